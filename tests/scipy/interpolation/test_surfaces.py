"""Surfaces made of splines of two variables."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

X = np.array([0.0, 0.4, 0.5, 1.1, 1.3, 1.9, 2.4, 3.0])


def test_through_a_table():
    x, y = X[:5], X[1:6]
    z = np.cos(x)[:, None] * y + x[:, None] ** 2
    p, q = np.array([0.3, 1.1, 9.0]), np.array([0.6, 1.7, 1.0])

    def call(z, p, q):
        made = interpolate.RectBivariateSpline(x, y, z)
        return made(np.sort(p), np.sort(q), dx=1), made.ev(p, q, dy=1)

    found = call(variable(z), variable(p), variable(q))
    for ours, theirs in zip(found, call(z, p, q), strict=True):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-10)
    assert gradcheck(call, (z, p, q))
    tck = scipy.interpolate.bisplrep(
        *np.meshgrid(x, y, indexing="ij"), z, s=0.0, kx=2, ky=2
    )
    for points in ((p[:2], q[:2]), (p[0], q[:2]), (p[:2], q[0]), (p[0], q[0])):
        ours = interpolate.bisplev(*map(variable, points), tck)
        np.testing.assert_allclose(ours.data, scipy.interpolate.bisplev(*points, tck))


def test_near_scattered_values():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.0, 1.0, (2, 40))
    z, w = np.sin(3.0 * x) * y, rng.uniform(0.5, 1.5, 40)
    tx, ty, p = np.array([0.4, 0.7]), np.array([0.5]), np.array([0.3, 0.6])

    def call(x, z, tx, w, p):
        made = interpolate.LSQBivariateSpline(x, y, z, tx, ty, w, kx=2)
        return made.ev(p, p[::-1]), made(p, p), made.integral(p[0], 0.9, 0.2, 0.8)

    args = x, z, tx, w, p
    for found, expected in zip(call(*map(variable, args)), call(*args), strict=True):
        np.testing.assert_allclose(found.data, expected, atol=1e-9)
    assert gradcheck(call, args)
    plain = interpolate.LSQBivariateSpline(x, y, z, tx, ty)
    assert isinstance(plain, scipy.interpolate.LSQBivariateSpline)
    assert plain.partial_derivative(1, 0)(0.5, 0.5).shape == (1, 1)


def test_what_has_no_derivative():
    z = variable(np.outer(X, X))
    made = interpolate.RectBivariateSpline(X, X, z)
    with pytest.raises(srcgrad.NoRuleError, match="use dx and dy"):
        made.partial_derivative(1, 0)
    with pytest.raises(srcgrad.NoRuleError, match="residual"):
        made.get_residual()
    assert made.get_coeffs().requires_grad
    plain = interpolate.RectBivariateSpline(X, X, z.data)
    np.testing.assert_array_equal(plain.get_knots()[0], made.get_knots()[0])
    assert plain.get_residual() < 1e-10
    with pytest.raises(srcgrad.NoRuleError, match="`s` or `bbox`"):
        interpolate.RectBivariateSpline(X, X, z, s=1.0)


def test_numbers_make_a_grid_of_one_row_as_scipys():
    z = np.arange(30.0).reshape(5, 6) ** 1.5

    def at(z, *point, **options):
        places = np.arange(5.0), np.arange(6.0)
        return scipy.interpolate.RectBivariateSpline(*places, z)(*point, **options)

    for point in ((1.5, [1.2, 2.7]), ([1.2, 2.7], 1.5), (1.5, 2.0)):
        for options in ({}, {"dx": 1}, {"grid": False}):
            found = srcgrad.trace(at)(srcgrad.Variable(z, True), *point, **options)
            expected = at(z, *point, **options)
            assert found.shape == expected.shape
            np.testing.assert_allclose(found.data, expected, rtol=1e-9)
