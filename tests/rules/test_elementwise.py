"""Rules of NumPy's ufuncs: every sample; powers, and second derivatives."""

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad.tape.variable import Variable

INF, NAN = np.inf, np.nan


def test_an_exponent_that_changes_takes_the_short_cuts_of_each():
    def powers(x, p):
        return x**p

    slopes = srcgrad.elementwise_grad(powers)
    x = np.array([2.0, 0.0, -0.0, INF, -INF, NAN, -3.0])
    with np.errstate(all="ignore"):
        for p in (0.7, 0.7, 1.5, 0.0, 1.0, 2.0, -1.0, 3.0, 0.5):
            ours = slopes(x, p)
            with srcgrad.set_stance("tape"):
                np.testing.assert_array_equal(ours, slopes(x, p))


# ----- Second derivatives -----


def second(function, x):
    """The second derivative of a function of one number."""
    variable = Variable(np.array(x), requires_grad=True)
    (first,) = srcgrad.autograd.grad(function(variable), variable, create_graph=True)
    (found,) = srcgrad.autograd.grad(first, variable)
    return found.data.item()


@pytest.mark.parametrize(
    ("function", "x", "curvature"),
    [
        (lambda x: x**2, 0.0, 2.0),
        (lambda x: x**3, 0.0, 0.0),
        (lambda x: x**2.0, 0.0, 2.0),
        (np.square, 0.0, 2.0),
        (np.cos, 0.0, -1.0),
        (lambda x: x * np.abs(x), 2.0, 2.0),
    ],
)
def test_curvature(function, x, curvature):
    assert second(function, x) == curvature


def test_curvature_of_sinc_at_zero():
    assert second(np.sinc, 0.0) == pytest.approx(-(np.pi**2) / 3.0)
    for x in (1e-9, 1e-4, 0.031, 0.0319):
        u = np.pi * x
        exact = np.pi**2 * ((2.0 / u**3 - 1.0 / u) * np.sin(u) - 2.0 * np.cos(u) / u**2)
        if x > 0.01:
            assert second(np.sinc, x) == pytest.approx(exact, rel=1e-7)
        else:
            assert second(np.sinc, x) == pytest.approx(-(np.pi**2) / 3.0, rel=1e-6)
