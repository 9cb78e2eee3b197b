"""Draws of computed distributions are NumPy's, number for number, with their slopes."""

import numpy as np
import pytest

import srcgrad

GENERATORS = [np.random.default_rng, np.random.RandomState]
DRAWS = {
    "normal": lambda rng, x: rng.normal(x, 1.0 + x**2, 3),
    "normal of arrays": lambda rng, x: rng.normal([x, 1.0], scale=np.array([x, 2.0])),
    "normal, one": lambda rng, x: rng.normal(scale=x),
    "lognormal": lambda rng, x: rng.lognormal(x, x, size=(2, 2)),
    "uniform": lambda rng, x: rng.uniform(-x, high=x * x + 1.0, size=4),
    "exponential": lambda rng, x: rng.exponential(x, 2),
    "laplace": lambda rng, x: rng.laplace(x, x),
    "logistic": lambda rng, x: rng.logistic(0.0, x),
    "gumbel": lambda rng, x: rng.gumbel(x),
    "rayleigh": lambda rng, x: rng.rayleigh(x, 3),
    "poisson": lambda rng, x: rng.poisson(3.0 * x, 4) * x,
    "binomial": lambda rng, x: rng.binomial(5, x / 2.0) * x,
    "choice by weight": lambda rng, x: (
        x * rng.choice(3, size=5, p=np.array([x, 1.0, 1.0]) / (x + 2.0))
    ),
    "choice of elements": lambda rng, x: rng.choice(np.array([x, x**2, 1.0]), 4),
    "choice of a list": lambda rng, x: rng.choice([x, x**2, 1.0]),
    "permutation": lambda rng, x: rng.permutation(x ** np.arange(5.0))[:2],
}


@pytest.mark.parametrize("make", GENERATORS)
@pytest.mark.parametrize("name", DRAWS)
def test_values_and_slopes(name, make):
    def loss(x):
        rng = make(3)
        return np.sum(DRAWS[name](rng, x)) + rng.normal()

    found, slope = srcgrad.value_and_grad(loss)(0.6)
    assert found == pytest.approx(loss(0.6), rel=1e-14)
    difference = (loss(0.6 + 1e-6) - loss(0.6 - 1e-6)) / 2e-6
    assert slope == pytest.approx(difference, rel=1e-6)
    assert srcgrad.trace(loss)(0.6) == loss(0.6)


@pytest.mark.parametrize("make", GENERATORS)
def test_errors_are_numpys(make):
    def loss(scale):
        return make(3).normal(0.0, scale)

    with pytest.raises(ValueError, match="scale < 0"):
        srcgrad.grad(loss)(-1.0)


@pytest.mark.parametrize("make", GENERATORS)
def test_parameters_are_taken_in_double_precision(make):
    def loss(x):
        rng, least = make(3), np.float32(0.3)
        draws = rng.normal(x, least), rng.uniform(x[1], 3.0), rng.uniform(least, x)
        return np.sum(draws[0]) + draws[1] + np.sum(draws[2]) + rng.normal(x[0], 0.1)

    x = np.array([1.0, 2.0, 3.0], np.float32)
    found, slope = srcgrad.value_and_grad(loss)(x)
    assert found == pytest.approx(loss(x), rel=1e-15)
    assert (type(found), slope.dtype) == (np.float64, np.float32)


def test_what_has_no_slope_says_so():
    with pytest.raises(
        srcgrad.NoRuleError, match=r"(?s)draw by `gamma`.*stop_gradient"
    ):
        srcgrad.grad(lambda a: np.random.default_rng(1).gamma(a))(2.0)
