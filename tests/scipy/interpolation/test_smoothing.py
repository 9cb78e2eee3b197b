"""Smoothing splines: where FITPACK chooses the knots, and how stiff they are."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

RNG = np.random.default_rng(0)
X = np.linspace(0.0, 3.0, 20)
Y = np.sin(2.0 * X) + 0.1 * RNG.standard_normal(20)
W, S, POINTS = np.linspace(1.0, 2.0, 20), np.array(0.3), np.array([0.3, 1.7])


def in_the_plane(x, y, w, s, points, **options):
    (t, c, k), u = interpolate.splprep([x, y], w=w, s=s, **options)
    return [*interpolate.splev(points / 3.0, (t, c, k)), u]


def curve_in_the_plane(x, y, w, s, points):
    spline, u = interpolate.make_splprep([x, y], w=w, s=s)
    return spline(points / 3.0), u


CALLS = {
    **{
        f"splrep {k}": lambda x, y, w, s, p, k=k: interpolate.splev(
            p, interpolate.splrep(x, y, w, s=s, k=k)
        )
        for k in (1, 2, 3)
    },
    "UnivariateSpline": lambda x, y, w, s, p: interpolate.UnivariateSpline(
        x, y, w, s=s
    )(p),
    "make_splrep": lambda x, y, w, s, p: interpolate.make_splrep(x, y, w=w, s=s)(p),
    "splprep": in_the_plane,
    "make_splprep": curve_in_the_plane,
}


@pytest.mark.parametrize("name", CALLS)
def test_by_all_that_they_are_made_of(name):
    """As far as differences of what is within 0.1 % of ``s`` can tell."""
    call, args = CALLS[name], (X, Y, W, S, POINTS)
    found, expected = call(*map(variable, args)), call(*args)
    if not isinstance(found, (list, tuple)):
        found, expected = [found], [expected]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-10)
    assert gradcheck(call, args, eps=1e-4, rtol=0.03, atol=0.03)


def residual(x, y, w, s):
    tck = interpolate.splrep(x, y, w, s=s)
    return np.sum((w * (y - interpolate.splev(x, tck))) ** 2)


def test_the_residual_is_what_was_asked_for():
    """To second order: exactly, unlike differences."""
    args = X, Y, W, S
    slopes = srcgrad.grad(residual, (0, 1, 2, 3))(*args)
    for slope in slopes[:3]:
        np.testing.assert_allclose(slope, 0.0, atol=1e-9)
    np.testing.assert_allclose(slopes[3], 1.0)
    for curvature in srcgrad.hessian(residual, (1, 3))(*args)[0]:
        np.testing.assert_allclose(curvature, 0.0, atol=1e-6)


def test_so_smooth_that_it_is_a_polynomial():
    def call(y):
        return interpolate.splev(POINTS, interpolate.splrep(X, y, s=100.0))

    np.testing.assert_allclose(call(variable(Y)).data, call(Y))
    assert gradcheck(call, (Y,))


def test_without_smoothing_they_go_through_the_data():
    for y in (Y, variable(Y)):
        made = interpolate.make_splrep(X, y)(POINTS)
        np.testing.assert_allclose(
            getattr(made, "data", made), scipy.interpolate.make_splrep(X, Y)(POINTS)
        )
    assert gradcheck(
        lambda x, y: interpolate.make_splprep([x, y])[0](POINTS / 3.0), (X, Y)
    )
    plain = interpolate.make_splprep([X, Y], s=0.1)
    assert isinstance(plain[0], scipy.interpolate.BSpline)


def test_what_has_no_derivative():
    y = variable(Y)
    for call in (
        lambda: interpolate.make_splrep(X, y, bc_type="periodic"),
        lambda: interpolate.make_splprep([X, y], bc_type="periodic"),
    ):
        with pytest.raises(srcgrad.NoRuleError, match="bc_type"):
            call()
