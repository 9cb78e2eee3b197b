"""Splines by their older names, and surfaces."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

X = np.array([0.0, 0.4, 0.5, 1.1, 1.3, 1.9, 2.4, 3.0])
Y = np.sin(2.0 * X)
POINTS = np.array([0.3, 1.7, 2.9])
INNER = np.array([1.0, 2.0])
W = np.linspace(1.0, 2.0, len(X))


def outside(x, y):
    tck = interpolate.splrep(x, y)
    return [interpolate.splev([-1.0, 1.0, 4.0], tck, ext=ext) for ext in (0, 1, 3)]


def in_the_plane(x, y):
    (t, c, k), u = interpolate.splprep([x, y], s=0)
    return interpolate.splev(u[1:3] + 0.1, (t, c, k))


CALLS = {
    **{
        f"splrep {k}": lambda x, y, p, k=k: interpolate.splev(
            p, interpolate.splrep(x, y, k=k), 1
        )
        for k in (1, 2, 3, 5)
    },
    "splrep on knots": lambda x, y, p: interpolate.splev(
        p, interpolate.splrep(x, y, t=INNER)
    ),
    "outside": lambda x, y, p: outside(x, y),
    "splder": lambda x, y, p: interpolate.splev(
        p, interpolate.splder(interpolate.splrep(x, y))
    ),
    "splantider": lambda x, y, p: interpolate.splev(
        p, interpolate.splantider(interpolate.splrep(x, y))
    ),
    "splint": lambda x, y, p: interpolate.splint(
        p[0], 9.0, interpolate.splrep(x, y, k=3)
    ),
    "spalde": lambda x, y, p: interpolate.spalde(p[1], interpolate.splrep(x, y)),
    "splprep": lambda x, y, p: in_the_plane(x, y),
    "UnivariateSpline": lambda x, y, p: interpolate.UnivariateSpline(x, y, s=0)(p),
    "its integral": lambda x, y, p: interpolate.UnivariateSpline(x, y, s=0).integral(
        p[0], p[1]
    ),
    "its derivatives": lambda x, y, p: interpolate.InterpolatedUnivariateSpline(
        x, y
    ).derivatives(p[0]),
    "its derivative": lambda x, y, p: interpolate.InterpolatedUnivariateSpline(
        x, y, k=2
    ).derivative()(p),
    "its antiderivative": lambda x, y, p: interpolate.UnivariateSpline(
        x, y, s=0
    ).antiderivative()(p),
    "LSQUnivariateSpline": lambda x, y, p: interpolate.LSQUnivariateSpline(x, y, INNER)(
        p
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_by_places_values_and_points(name):
    call, args = CALLS[name], (X, Y, POINTS)
    found = call(*map(variable, args))
    expected = call(*args)
    if isinstance(expected, list):
        found, expected = np.stack(found), np.stack(expected)
    np.testing.assert_allclose(found.data, expected, atol=1e-9)
    assert gradcheck(call, args)


def test_weights_and_knots():
    def call(y, w, t):
        return interpolate.splev(POINTS, interpolate.splrep(X, y, w, t=t))

    args = Y, W, INNER
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-9)
    assert gradcheck(call, args)


def test_a_bspline_is_a_tck_too():
    spline = interpolate.make_interp_spline(X, variable(Y))
    expected = scipy.interpolate.splrep(X, Y)
    for function in ("splder", "splantider"):
        made = getattr(interpolate, function)(spline)
        tck = getattr(scipy.interpolate, function)(expected)
        found = interpolate.splev(POINTS, made).data
        np.testing.assert_allclose(found, scipy.interpolate.splev(POINTS, tck))
    area = interpolate.splint(0.2, 2.0, spline)
    assert area.item() == pytest.approx(scipy.interpolate.splint(0.2, 2.0, expected))


def test_roots():
    def call(x, y):
        made = interpolate.InterpolatedUnivariateSpline(x, y)
        return made.roots(), interpolate.sproot(interpolate.splrep(x, y))

    y = Y + 0.1
    for found, expected in zip(call(X, variable(y)), call(X, y), strict=True):
        np.testing.assert_allclose(found.data, expected, atol=1e-10)
    assert gradcheck(call, (X, y))
    assert gradgradcheck(lambda y: call(X, y)[1], (y,))


@pytest.mark.parametrize("x", [0.3, 0.9])
def test_one_more_knot(x):
    def call(y, x):
        t, c, _ = interpolate.insert(x, interpolate.splrep(X, y), 2)
        spline = interpolate.insert(x, interpolate.make_interp_spline(X, y))
        return t, c, spline.c[: len(X) + 1]

    args = Y, np.array(x)
    for found, expected in zip(call(*map(variable, args)), call(*args), strict=True):
        np.testing.assert_allclose(getattr(found, "data", found), expected, atol=1e-10)
    assert gradcheck(call, args)


def test_coefficients_and_knots():
    def call(y):
        made = interpolate.UnivariateSpline(X, y, s=0)
        return made.get_coeffs(), interpolate.make_interp_spline(X, y).c

    for found, expected in zip(call(variable(Y)), call(Y), strict=True):
        np.testing.assert_allclose(found.data, expected, atol=1e-12)
    made = interpolate.UnivariateSpline(X, variable(Y), s=0)
    plain = interpolate.UnivariateSpline(X, Y, s=0)
    np.testing.assert_allclose(made.get_knots(), plain.get_knots())
    assert plain.get_residual() < 1e-20
    plain.set_smoothing_factor(1.0)
    for change in (made.get_residual, lambda: made.set_smoothing_factor(1.0)):
        with pytest.raises(srcgrad.NoRuleError, match="of a spline"):
            change()


def test_without_variables_they_are_scipys():
    for name in ("UnivariateSpline", "InterpolatedUnivariateSpline"):
        made = getattr(interpolate, name)(X, Y)
        assert isinstance(made, getattr(scipy.interpolate, name))
        for out in (made(1.0), made.integral(0, 1), made.derivative()(1.0)):
            assert isinstance(out, (float, np.ndarray))
    assert isinstance(interpolate.splrep(X, Y)[1], np.ndarray)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y: interpolate.splrep(X, y, xb=-1.0), "with ends"),
        (lambda y: interpolate.UnivariateSpline(X, y, s=0, bbox=[-1, 4]), "with ends"),
    ],
)
def test_what_has_no_derivative(call, message):
    with pytest.raises(srcgrad.NoRuleError, match=message):
        call(variable(Y))
