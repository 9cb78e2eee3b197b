"""B-splines: by coefficients, knots, values, places and points."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 0.7, 1.6, 3.0, 3.0, 3.0, 3.0])
C = np.array([1.0, -0.5, 2.0, 0.3, 1.1, -1.0])
X = np.array([0.0, 0.4, 0.5, 1.1, 1.3, 1.9, 2.4, 2.5, 3.0])
Y = np.sin(2.0 * X)
POINTS = np.array([-0.2, 0.3, 1.7, 2.9, 3.3])


@pytest.mark.parametrize("nu", [0, 1, 2, 3, 4])
def test_coefficients_knots_and_points(nu):
    def call(inner, c, x):
        t = np.concatenate([KNOTS[:4], inner, KNOTS[-4:]])
        return interpolate.BSpline(t, c, 3)(x, nu)

    args = KNOTS[4:6], C, POINTS
    expected = scipy.interpolate.BSpline(KNOTS, C, 3)(POINTS, nu)
    np.testing.assert_allclose(call(*map(variable, args)).data, expected, atol=1e-12)
    assert gradcheck(call, args)


def test_second_derivatives():
    def call(c, x):
        return interpolate.BSpline(KNOTS, c, 3)(x)

    assert gradgradcheck(call, (C, POINTS[:2]))


@pytest.mark.parametrize("axis", [0, 1])
def test_coefficients_along_any_axis(axis):
    table = np.stack([C, C**2], axis=1 - axis)

    def call(c):
        spline = interpolate.BSpline(KNOTS, c, 3, False, axis)
        return spline.antiderivative()(POINTS[1:4]), spline.derivative()(POINTS[1:4])

    found = call(variable(table))
    expected = scipy.interpolate.BSpline(KNOTS, table, 3, False, axis)
    np.testing.assert_allclose(
        found[0].data, expected.antiderivative()(POINTS[1:4]), atol=1e-13
    )
    np.testing.assert_allclose(found[1].data, expected.derivative()(POINTS[1:4]))
    assert gradcheck(call, (table,))


def test_beyond_the_ends():
    found = interpolate.BSpline(KNOTS, variable(C), 3, extrapolate=False)(POINTS)
    assert np.isnan(found.data).tolist() == [True, False, False, False, True]
    plain = interpolate.BSpline(KNOTS, C, 3)
    assert isinstance(plain, scipy.interpolate.BSpline)
    assert type(plain.derivative()(1.0)) is np.ndarray
    slope = plain.derivative()
    assert slope(variable(1.0)).item() == pytest.approx(slope(1.0).item())


def least_squares(x, y, inner, w):
    t = np.concatenate([[-0.5] * 4, inner, [3.5] * 4])
    return interpolate.make_lsq_spline(x, y, t, 3, w)(POINTS)


def smooth(x, y, w, lam):
    return interpolate.make_smoothing_spline(x, y, w, lam)(POINTS[1:4])


def clamped(x, y):
    return interpolate.make_interp_spline(x, y, 3, bc_type="clamped")(POINTS)


def sloped(x, y):
    ends = [(1, 0.5)], [(2, 0.0)]
    return interpolate.make_interp_spline(x, y, 3, bc_type=ends)(POINTS)


def periodic(y):
    y = np.concatenate([y, y[:1]])
    return interpolate.make_interp_spline(X, y, 3, bc_type="periodic")(POINTS)


W = np.linspace(1.0, 2.0, len(X))


@pytest.mark.parametrize(
    ("call", "args"),
    [
        (least_squares, (X, Y, KNOTS[4:6], W)),
        (smooth, (X, Y, W, np.array(0.3))),
        (clamped, (X, Y)),
        (sloped, (X, Y)),
        (periodic, (Y[:-1],)),
    ],
)
def test_splines_of_data(call, args):
    variables = [variable(arg) for arg in args]
    np.testing.assert_allclose(call(*variables).data, call(*args), atol=1e-9)
    assert gradcheck(call, args)


def test_a_bspline_of_a_tck():
    t, c, k = interpolate.splrep(X, variable(Y))
    found = interpolate.BSpline(t, c, k)(list(POINTS))
    expected = scipy.interpolate.BSpline(t, c.data, k)(POINTS)
    np.testing.assert_allclose(found.data, expected)


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="give it a number"):
        interpolate.make_smoothing_spline(X, variable(Y))
    with pytest.raises(srcgrad.NoRuleError, match="by the places"):
        interpolate.make_interp_spline(variable(X), Y, 0)
