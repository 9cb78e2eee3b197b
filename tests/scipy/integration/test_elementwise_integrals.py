"""Integrals and sums of many elements at once."""

import numpy as np
import pytest

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import integrate
from tests.variables import variable

RATES, HIGH = np.array([0.7, 1.3]), np.array([[1.0], [2.0]])


def area(rates, high):
    found = integrate.tanhsinh(
        lambda x, rate: np.exp(-rate * x) * x, 0.0, high, args=(rates,)
    )
    assert np.all(found.success)
    return found.integral


def total(rates):
    return integrate.nsum(lambda k, rate: rate / k**rate, 1, np.inf, args=(rates,)).sum


def test_integrals_by_limits_and_parameters():
    expected = area(RATES, HIGH)
    assert expected.shape == (2, 2)
    found = area(variable(RATES), variable(HIGH))
    np.testing.assert_array_equal(found.data, expected)
    assert gradcheck(area, (RATES, HIGH))
    assert gradgradcheck(area, (RATES[:1], HIGH[0]))


def test_sums():
    np.testing.assert_array_equal(total(variable(RATES + 2)).data, total(RATES + 2))
    assert gradcheck(total, (RATES + 2.0,), atol=1e-6)


def test_what_the_integrand_closes_over():
    rate = variable(0.7)
    integrate.tanhsinh(lambda x: np.exp(-rate * x), 0.0, np.inf).integral.backward()
    assert rate.grad.item() == pytest.approx(-1.0 / 0.49)


def test_what_has_no_derivative():
    rates, high = variable(RATES), variable(1.0)
    for call, message in (
        (lambda: integrate.tanhsinh(lambda x: x * rates, 0, 1), "element by element"),
        (lambda: integrate.tanhsinh(np.log, 0, high, log=True), "`log`"),
        (lambda: integrate.nsum(np.log, 1, high), "by the limits"),
        (lambda: integrate.nsum(np.add, 1, 2, args=(high,), log=True), "`log`"),
        (
            lambda: integrate.tanhsinh(
                lambda x, r: np.sum(r) * x, 0, 1, args=(rates,), preserve_shape=True
            ),
            "`preserve_shape`",
        ),
    ):
        with pytest.raises(srcgrad.NoRuleError, match=message):
            call()
