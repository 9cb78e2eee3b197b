"""Splines, by their values and by the point: as SciPy's, and differentiable."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

X = np.array([0.0, 0.5, 1.2, 2.0, 2.7, 3.5])
Y = np.sin(2.0 * X)
POINTS = np.array([[0.1, 1.9], [3.3, 2.2]])
TABLE = np.stack([Y, Y**2, X], axis=1)

MADE = {
    **{
        f"CubicSpline-{bc}": lambda x, y, axis, bc=bc: interpolate.CubicSpline(
            x, y, axis, bc
        )
        for bc in ("not-a-knot", "natural", "clamped")
    },
    "CubicSpline-slopes": lambda x, y, axis: (
        interpolate.CubicSpline(
            x, y, axis, ((1, 0.5 * np.ones(())), (2, 0.2 * np.ones(())))
        )
        if np.ndim(y) == 1
        else interpolate.CubicSpline(x, y, axis)
    ),
    **{
        f"make_interp_spline-{k}": lambda x, y, axis, k=k: (
            interpolate.make_interp_spline(x, y, k, axis=axis)
        )
        for k in (1, 2, 3, 5)
    },
    **{
        f"interp1d-{kind}": lambda x, y, axis, kind=kind: interpolate.interp1d(
            x, y, kind, axis=axis
        )
        for kind in ("linear", "slinear", "quadratic", "cubic")
    },
}


@pytest.mark.parametrize("name", MADE)
def test_values_and_points(name):
    make = MADE[name]

    def call(y, point):
        return make(X, y, 0)(point)

    np.testing.assert_allclose(
        call(variable(Y), variable(POINTS)).data, call(Y, POINTS), atol=1e-12
    )
    assert gradcheck(call, (Y, POINTS))
    assert gradgradcheck(call, (Y, POINTS))


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_the_values_may_lie_along_any_axis(name, axis):
    table = TABLE if axis == 0 else TABLE.T
    make = MADE[name]
    found = make(X, variable(table), axis)(POINTS)
    np.testing.assert_allclose(found.data, make(X, table, axis)(POINTS), atol=1e-12)
    assert gradcheck(lambda y: make(X, y, axis)(POINTS), (table,))


@pytest.mark.parametrize("nu", [0, 1, 2, 3])
def test_derivatives_of_a_spline(nu):
    def call(y, point):
        return interpolate.CubicSpline(X, y)(point, nu)

    found = call(variable(Y), variable(POINTS))
    np.testing.assert_allclose(found.data, call(Y, POINTS), atol=1e-10)
    assert gradcheck(call, (Y, POINTS))


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
def test_beyond_the_ends(extrapolate):
    y = np.append(Y[:-1], Y[0])
    bc = "periodic" if extrapolate == "periodic" else "natural"
    points = np.array([-0.3, 0.2, 4.0])

    def call(y):
        return interpolate.CubicSpline(X, y, 0, bc, extrapolate)(points)

    np.testing.assert_allclose(call(variable(y)).data, call(y), atol=1e-12)
    point = variable(points)
    found = interpolate.CubicSpline(X, y, 0, bc, extrapolate)(point)
    np.testing.assert_allclose(found.data, call(y), atol=1e-12)


@pytest.mark.parametrize("kind", ["nearest", "previous", "next", "zero", "nearest-up"])
def test_steps(kind):
    points = np.array([0.1, 0.5, 2.9])
    y = variable(Y)
    found = interpolate.interp1d(X, y, kind)(points)
    expected = scipy.interpolate.interp1d(X, Y, kind)(points)
    np.testing.assert_array_equal(found.data, expected)
    found.sum().backward()
    assert y.grad.data.sum() == 3.0


@pytest.mark.parametrize("fill", [0.5, (1.0, 2.0), "extrapolate", np.nan])
def test_what_interp1d_says_outside(fill):
    points, order = np.array([-1.0, 1.0, 9.0]), [2, 0, 1, 5, 4, 3]
    options = {"bounds_error": False, "fill_value": fill}
    found = interpolate.interp1d(X[order], variable(Y[order]), **options)(points)
    expected = scipy.interpolate.interp1d(X[order], Y[order], **options)(points)
    np.testing.assert_allclose(found.data, expected)
    with pytest.raises(ValueError, match="below the interpolation range"):
        interpolate.interp1d(X, variable(Y))(points)


def test_a_spline_without_variables_is_scipys():
    for name, make in MADE.items():
        spline = make(X, Y, 0)
        assert isinstance(spline, getattr(scipy.interpolate, type(spline).__name__)), (
            name
        )
        assert type(spline(POINTS)) is np.ndarray


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="periodic"):
        interpolate.CubicSpline(variable(X), Y - Y, bc_type="periodic")(1.0)
    with pytest.raises(srcgrad.NoRuleError, match="'extend'"):
        interpolate.CubicSpline(X, variable(Y)).extend(Y, Y)
    with pytest.raises(srcgrad.NoRuleError, match="roots of several"):
        interpolate.CubicSpline(X, variable(np.stack([Y, Y], 1))).roots()


@pytest.mark.parametrize("name", MADE)
def test_places(name):
    """In no order for interp1d."""
    order = [2, 0, 1, 5, 4, 3] if name.startswith("interp1d") else slice(None)

    def call(x, y):
        return MADE[name](x[order], y[order], 0)(POINTS)

    np.testing.assert_allclose(call(variable(X), Y).data, call(X, Y), atol=1e-12)
    assert gradcheck(call, (X, Y))


@pytest.mark.parametrize(
    "call",
    [
        lambda y: interpolate.CubicSpline(X, y).derivative(2)(POINTS),
        lambda y: interpolate.CubicSpline(X, y.T, 1).antiderivative()(POINTS),
        lambda y: interpolate.CubicSpline(X, y).integrate(0.1, 3.0),
        lambda y: interpolate.make_interp_spline(X, y).derivative()(POINTS),
        lambda y: interpolate.make_interp_spline(X, y).antiderivative(2)(POINTS),
        lambda y: interpolate.make_interp_spline(X, y).integrate(0.1, 3.0),
    ],
)
def test_splines_made_of_splines(call):
    np.testing.assert_allclose(call(variable(TABLE)).data, call(TABLE), atol=1e-11)
    assert gradcheck(call, (TABLE,))


@pytest.mark.parametrize("kind", ["previous", "next", "nearest", "zero"])
@pytest.mark.parametrize("fill", ["extrapolate", np.nan, (1.0, 2.0)])
def test_steps_beyond_the_ends(kind, fill):
    x = np.array([-0.5, 0.3, 1.7, 2.5, np.nan])
    y = np.array([0.3, -0.5, 1.2])

    def steps(y):
        options = {"kind": kind, "fill_value": fill, "bounds_error": False}
        return scipy.interpolate.interp1d([0.0, 1.0, 2.0], y, **options)(x)

    traced = srcgrad.trace(steps)
    for _ in range(2):
        found = traced(srcgrad.Variable(y, requires_grad=True))
        np.testing.assert_array_equal(srcgrad.stop_gradient(found), steps(y))
