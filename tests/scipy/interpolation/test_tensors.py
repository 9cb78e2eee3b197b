"""Splines and polynomials of many variables."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

RNG = np.random.default_rng(0)
KNOTS = (
    np.array([0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0]),
    np.array([0.0, 0.0, 0.4, 0.7, 1.0, 1.0]),
)
C = RNG.uniform(-1.0, 1.0, (4, 4, 2))
POINTS = RNG.uniform(0.1, 0.9, (3, 2))
BREAKS = np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.5, 0.6, 1.0])
POWERS = RNG.uniform(-1.0, 1.0, (3, 2, 2, 3, 2))


@pytest.mark.parametrize("nu", [None, [1, 0], [2, 1]])
def test_splines(nu):
    def call(inner, c, x):
        t = np.concatenate([KNOTS[0][:3], inner, KNOTS[0][-3:]])
        return interpolate.NdBSpline((t, KNOTS[1]), c, (2, 1))(x, nu=nu)

    args = np.array([0.5]), C, POINTS
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-12)
    assert gradcheck(call, args)


@pytest.mark.parametrize("nu", [None, [1, 0], [2, 1], [3, 0]])
def test_polynomials(nu):
    def call(c, first, x):
        return interpolate.NdPPoly(c, (first, BREAKS[1]))(x, nu)

    args = POWERS, BREAKS[0], POINTS
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-12)
    assert gradcheck(call, args)


def test_twice():
    call = lambda x: interpolate.NdPPoly(POWERS, BREAKS)(x)  # noqa: E731
    assert gradgradcheck(call, (POINTS,))


def test_beyond_the_ends():
    x = np.array([[0.5, 0.5], [0.5, 1.5]])
    for made, plain in (
        (interpolate.NdBSpline(KNOTS, variable(C), (2, 1)), C),
        (interpolate.NdPPoly(variable(POWERS), BREAKS), POWERS),
    ):
        inside = made(x, extrapolate=False).data
        assert np.isnan(inside).all(axis=1).tolist() == [False, True]
        name = type(made).__name__
        args = (KNOTS, plain, (2, 1)) if name == "NdBSpline" else (plain, BREAKS)
        expected = getattr(scipy.interpolate, name)(*args)
        np.testing.assert_allclose(made(x).data, expected(x))
        assert isinstance(getattr(interpolate, name)(*args), type(expected))


def test_what_has_no_derivative():
    spline = interpolate.NdBSpline(KNOTS, variable(C), (2, 1))
    pieces = interpolate.NdPPoly(variable(POWERS), BREAKS)
    for call in (
        lambda: spline.derivative([1, 0]),
        lambda: pieces.derivative([1, 0]),
        lambda: pieces.antiderivative([1, 0]),
        lambda: pieces.integrate([(0, 1), (0, 1)]),
        lambda: pieces.integrate_1d(0, 1, 0),
    ):
        with pytest.raises(srcgrad.NoRuleError, match="call it with `nu`"):
            call()
    plain = interpolate.NdPPoly(POWERS, BREAKS)
    assert plain.derivative([1, 0]) is not None
    plain = interpolate.NdBSpline(KNOTS, C, (2, 1))
    assert plain.derivative([1, 0]) is not None
