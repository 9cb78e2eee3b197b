"""Polynomials between breakpoints: by coefficients, breakpoints and points."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

C = np.array([[1.0, -0.5], [0.3, 2.0], [1.1, 0.7]])
BREAKS, POINTS = np.array([0.0, 1.0, 2.5]), np.array([0.3, 1.7, 3.0])

CALLS = {
    "value": lambda c, x, p: interpolate.PPoly(c, x)(p),
    "slope": lambda c, x, p: interpolate.PPoly(c, x)(p, 1),
    "derivative": lambda c, x, p: interpolate.PPoly(c, x).derivative()(p),
    "antiderivative": lambda c, x, p: interpolate.PPoly(c, x).antiderivative(2)(p),
    "integral": lambda c, x, p: interpolate.PPoly(c, x).integrate(p[0], p[1]),
    "Bernstein": lambda c, x, p: interpolate.BPoly(c, x)(p),
    "Bernstein, slope": lambda c, x, p: interpolate.BPoly(c, x).derivative()(p),
    "Bernstein, integral": lambda c, x, p: interpolate.BPoly(c, x).integrate(0.1, p[1]),
    "roots": lambda c, x, p: interpolate.PPoly(c, x).solve(p[0] + 2.0, False),
    "coefficients": lambda c, x, p: interpolate.PPoly(c, x).derivative().c[0],
    "constant": lambda c, x, p: interpolate.PPoly(c[:1], x).derivative()(p),
}


@pytest.mark.parametrize("name", CALLS)
def test_coefficients_breakpoints_and_points(name):
    call, args = CALLS[name], (C, BREAKS, POINTS)
    found = call(*map(variable, args)).data
    np.testing.assert_allclose(found, call(*args), atol=1e-13)
    assert gradcheck(call, args)


def test_roots_that_are_none():
    jumps = interpolate.PPoly(variable([[1.0, 1.0]]), [0.0, 1.0, 2.0])
    assert jumps.roots().size == 0
    signs = interpolate.PPoly(variable([[1.0, -1.0]]), [0.0, 1.0, 2.0])
    with pytest.raises(srcgrad.NoRuleError, match="at its jumps"):
        signs.roots()
    for name in ("c", "roots"):
        with pytest.raises(srcgrad.NoRuleError, match=name):
            getattr(interpolate.BPoly(variable(C), BREAKS), name)


def test_another_axis():
    c = np.moveaxis(np.stack([C, C**2], axis=2), 2, 0)
    found = interpolate.PPoly(variable(c), BREAKS, axis=1)(POINTS)
    expected = scipy.interpolate.PPoly(c, BREAKS, axis=1)(POINTS)
    np.testing.assert_allclose(found.data, expected)


def test_without_variables_it_is_scipys():
    made = interpolate.PPoly(C, BREAKS)
    assert isinstance(made, scipy.interpolate.PPoly)
    for out in (made(1.0), made.derivative()(1.0), made.antiderivative()(1.0)):
        assert isinstance(out, np.ndarray)
    assert made.integrate(0.0, 1.0) == pytest.approx(1.0 / 3.0 + 0.15 + 1.1)
    with pytest.raises(srcgrad.NoRuleError, match="periods"):
        interpolate.PPoly(variable(C), BREAKS, "periodic").integrate(0.0, 9.0)
