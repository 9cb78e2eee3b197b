"""Integrals over two variables, and of vectors: as SciPy's, and differentiable."""

import numpy as np
import pytest
import scipy.integrate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import integrate
from srcgrad.scipy.integration.multiple_integrals import stretched
from tests.variables import variable

ARGS = np.array(0.7), np.array(1.3)


def bump(y, x, a, b):
    return np.exp(-a * y) * x**2 + b * a * x * y


def region(x, a, b):
    return [0.0, a * x]


CALLS = {
    "quad_vec": lambda a, b: integrate.quad_vec(
        lambda x, a: np.stack([np.exp(-a * x), a * x]), 0.0, b, args=(a,)
    )[0],
    "fixed_quad": lambda a, b: integrate.fixed_quad(
        lambda x, a: np.exp(-a * x), 0.0, b, args=(a,), n=4
    )[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_by_limits_and_parameters(name):
    call = CALLS[name]
    expected = call(*ARGS)
    assert not isinstance(expected, srcgrad.Variable)
    np.testing.assert_allclose(call(*map(variable, ARGS)).data, expected, rtol=1e-13)
    assert gradcheck(call, ARGS)
    assert gradgradcheck(call, ARGS)


def double(a, b):
    return integrate.dblquad(bump, 0.0, b, 0.0, lambda x: 1.0 + x, args=(a, b))


def nested(a, b):
    return integrate.nquad(bump, [region, [0.0, b]], args=(a, b))


@pytest.mark.parametrize("call", [double, nested])
def test_over_two_variables(call):
    a, b = map(variable, ARGS)
    found, error = call(a, b)
    np.testing.assert_allclose((found.data, error), call(*ARGS), rtol=1e-13)
    found.backward()
    for name, value in (("a", a), ("b", b)):
        step = np.array([1e-5 * (name == "a"), 1e-5 * (name == "b")])
        ends = [call(*(np.array(ARGS) + sign * step))[0] for sign in (1.0, -1.0)]
        slope = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(value.grad.data, slope, rtol=1e-7)


def test_over_three_variables():
    def call(a, b):
        limits = 0.0, 1.0, lambda x, y: x - y, lambda x, y: 2.0
        return integrate.tplquad(lambda z, y, x: a * x * y * z, 0.0, b, *limits)[0]

    a, b = map(variable, ARGS)
    found = call(a, b)
    assert found.item() == pytest.approx(call(*ARGS))
    found.backward()
    # The integral over y and z is x (1 - x ** 2 / 4 + x / 3 - 1 / 8), times a.
    x, over_x = ARGS[1], found.item()
    assert a.grad.item() == pytest.approx(over_x / ARGS[0])
    assert b.grad.item() == pytest.approx(ARGS[0] * x * (0.875 + x / 3 - x**2 / 4))


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


def test_what_the_integrand_and_the_limits_close_over():
    a = variable(2.0)
    integrate.dblquad(lambda y, x: a * x * y, 0.0, 1.0, lambda x: 0.0, lambda x: a * x)[
        0
    ].backward()
    assert a.grad.item() == pytest.approx(1.5)  # of a ** 3 / 8


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
