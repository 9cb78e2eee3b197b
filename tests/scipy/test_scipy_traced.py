"""SciPy's algorithms in traced functions: values and gradients at call after call."""

import numpy as np
import pytest
from scipy import interpolate, optimize, special, stats

import srcgrad
from srcgrad import Variable

X, Y = (each.ravel() for each in np.meshgrid(np.arange(6.0), np.arange(6.0)))
Z = np.sin(X / 2) * np.cos(Y / 3)
THETA, PHI = (
    each.ravel()
    for each in np.meshgrid(np.linspace(0.3, 2.8, 8), np.linspace(0.1, 6.0, 12))
)
RADII = 1.0 + 0.3 * np.sin(THETA) * np.cos(PHI)
DOWN, ACROSS = np.array([0.5, 1.2, 2.0, 2.8]), np.array([0.0, 1.5, 3.0, 4.5])


def cubes(x):
    return np.sum(x**3)


def by_bisplrep(z):
    return interpolate.bisplev(1.5, 2.2, interpolate.bisplrep(X, Y, z, s=0.05))


def on_a_plane(z):
    return np.sum(interpolate.SmoothBivariateSpline(X, Y, z, s=0.05).ev(1.5, 2.2))


def on_a_sphere(r):
    surface = interpolate.LSQSphereBivariateSpline(THETA, PHI, r, [1.0, 2.0], [2.0, 4])
    return np.sum(surface.ev(1.5, 2.2))


def on_a_grid(r):
    return np.sum(interpolate.RectSphereBivariateSpline(DOWN, ACROSS, r).ev(1.2, 1.1))


def differences(x):
    return np.sum(optimize.approx_fprime(x, cubes, 1e-3))


def checked(x):
    return optimize.check_grad(cubes, lambda u: 3 * u * u * x[0], x)


def compared(x):
    return np.sum(stats.dunnett(x[:3], x[3:6], control=x[6:]).statistic)


def polynomial(x):
    return special.jacobi(3, x[0], x[1], monic=True)(0.3)


def multifactorial(x):
    return np.sum(special.factorial2(x, extend="complex"))


@pytest.mark.parametrize(
    ("function", "start"),
    [
        (by_bisplrep, Z),
        (on_a_plane, Z),
        (on_a_sphere, RADII),
        (on_a_grid, np.outer(np.sin(DOWN), np.cos(ACROSS))),
        (differences, np.array([1.0, 2.0])),
        (checked, np.array([1.1, 2.0])),
        (compared, np.array([0.3, 1.2, -0.5, 1.9, 0.8, 0.1, -1.0, 2.2, 0.4])),
        (polynomial, np.array([0.4, 1.2])),
        (multifactorial, np.array([0.4, 1.2])),
    ],
)
def test_values_and_gradients(function, start):
    traced, step = srcgrad.trace(function), 1e-4
    for factor in (1.0, 1.01, 0.99):
        x = start * factor
        assert traced(x) == function(x)
        variable = Variable(x, requires_grad=True)
        out = traced(variable)
        out.backward()
        assert out.item() == pytest.approx(function(x), rel=1e-12)
        found = variable.grad.data
        np.testing.assert_allclose(found, srcgrad.grad(function)(x), rtol=1e-12)
        top = np.unravel_index(np.argmax(np.abs(found)), x.shape)
        change = np.zeros(x.shape)
        change[top] = step
        numeric = (function(x + change) - function(x - change)) / (2 * step)
        assert found[top] == pytest.approx(numeric, rel=1e-4)
