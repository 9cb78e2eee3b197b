"""Integrals over two variables, and of vectors: as SciPy's, and differentiable."""

import numpy as np
import pytest
import scipy.integrate

import srcgrad
from srcgrad.scipy import integrate
from srcgrad.scipy.integration.multiple_integrals import stretched
from tests.variables import variable


def bump(y, x, a, b):
    return np.exp(-a * y) * x**2 + b * a * x * y


def region(x, a, b):
    return [0.0, a * x]


@pytest.mark.parametrize(
    ("low", "high"),
    [(1.0, 3.0), (1.0, np.inf), (-np.inf, 1.0), (np.inf, -np.inf), (np.inf, 0.0)],
)
def test_sides_of_any_length_as_of_length_one(low, high):
    near, step = np.array([1e-9, 0.3, 1.0 - 1e-9]), 1e-6
    places, _ = stretched(near, low, high)
    assert np.all((places[1:] - places[:-1]) > 0.0)
    assert (places[0] < -1e8) == (-np.inf in (low, high))
    assert (places[-1] > 1e8) == (np.inf in (low, high))
    above, below = (stretched(0.3 + d, low, high)[0] for d in (step, -step))
    found = np.abs(stretched(0.3, low, high)[1])
    assert found == pytest.approx((above - below) / (2.0 * step))
    assert (stretched(0.3, low, high)[1] < 0.0) == (low > high)


def test_what_has_no_derivative():
    a = variable(1.0)
    with pytest.raises(srcgrad.NoRuleError, match="full_output"):
        integrate.nquad(bump, [region, [0, 1]], (a, 1.0), None, True)
    weight = {"weight": "cos", "wvar": 3.0}
    for sides in ([[0, 1]], [[0, 1]] * 3):  # its slope was that without the weight
        with pytest.raises(srcgrad.NoRuleError, match="weight: write it into"):
            integrate.nquad(lambda x, *rest: x * rest[-1], sides, (a,), weight)
    inside = integrate.nquad(lambda *_: a, [lambda *_: [0, a], [0, 1], [0, 1]])[0]
    with pytest.raises(srcgrad.NoRuleError, match="by limits inside"):
        inside.backward()
    with pytest.raises(ValueError, match="finite limits"):
        integrate.fixed_quad(np.exp, a, np.inf)


@pytest.mark.parametrize(
    "ranges",
    [
        lambda x: [[0, x[2]], [0, 1]],
        lambda x: [(x[0], x[2]), (x[1], 1)],
        lambda x: [x[:2], x[1:]],
        lambda x: np.stack([x[:2], x[1:]]),
    ],
)
def test_constant_inner_limits_have_slopes(ranges):
    x = np.array([0.1, 0.4, 0.9])

    def area(x):
        return scipy.integrate.nquad(
            lambda a, b, k: k * a * b, ranges(x), args=(x[1],)
        )[0]

    found = srcgrad.grad(area)(x)
    steps = 1e-5 * np.eye(3)
    expected = [(area(x + step) - area(x - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
