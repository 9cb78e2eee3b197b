"""Integrals over boxes: by parameters and corners, and by random points."""

import numpy as np
import pytest
import scipy.integrate
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import integrate
from tests.variables import variable

ARGS = np.array([0.7, 1.3]), np.array([0.0, -0.5]), np.array([1.0, 0.5])


def waves(x, rates):
    return np.stack([np.exp(-(x @ rates)), np.sum(rates) * x[:, 0]], axis=1)


def call(rates, low, high):
    return integrate.cubature(waves, low, high, args=(rates,)).estimate


def test_parameters_and_corners():
    np.testing.assert_array_equal(call(*map(variable, ARGS)).data, call(*ARGS))
    assert gradcheck(call, ARGS)


def test_twice():
    def along(rate, high):
        integrand = lambda x, rate: np.exp(-rate * x[:, 0])  # noqa: E731
        return integrate.cubature(integrand, [0.0], high, args=(rate,)).estimate

    assert gradgradcheck(along, (np.array(0.7), np.array([1.5])))


def test_what_the_integrand_closes_over_and_no_end():
    rate = variable(0.7)
    found = integrate.cubature(lambda x: np.exp(-rate * x[:, 0]), [0.0], [np.inf])
    found.estimate.backward()
    assert rate.grad.item() == pytest.approx(-1.0 / 0.49)
    assert found.status == "converged"


def test_a_jump_of_the_integrand_stays_where_it_is():
    b = variable([2.0])
    found = integrate.cubature(
        lambda x: 1.0 * (x[:, 0] < 0.5), [0.0], b, points=[[0.5]]
    )
    found.estimate.backward()
    assert b.grad.data == 0.0


@pytest.mark.parametrize("turned", [False, True])
def test_random_points(turned):
    def estimate(rate, low, high):
        if turned:
            low, high = high, low
        found = integrate.qmc_quad(
            lambda x: np.exp(-rate * x[0] * x[1]),
            *(low, high),
            n_points=16,
            qrng=scipy.stats.qmc.Halton(2, seed=np.random.default_rng(0)),
        )
        return found.integral, found.standard_error

    args = np.array(0.7), np.array([0.0, -0.5]), np.array([1.0, 0.5])
    for found, expected in zip(
        estimate(*map(variable, args)), estimate(*args), strict=True
    ):
        np.testing.assert_allclose(found.data, expected, rtol=1e-12)
    assert gradcheck(estimate, args)
    rate = variable(args[0])
    by_rate = estimate(rate, *args[1:])[0]
    assert by_rate.item() == pytest.approx(estimate(*args)[0])
    assert not isinstance(estimate(*args)[0], srcgrad.Variable)


def test_what_has_no_derivative():
    rate = variable(0.7)
    with pytest.raises(srcgrad.NoRuleError, match="with `log`"):
        integrate.qmc_quad(lambda x: -rate * x[0], [0.0], [1.0], log=True)
