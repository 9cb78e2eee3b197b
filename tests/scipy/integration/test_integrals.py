"""Integrals, differentiated in their limits and parameters."""

import numpy as np
import pytest
import scipy.integrate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import integrate


def wave(x, rate, weights):
    return np.exp(-rate * x) * np.sum(weights) * np.cos(x)


def between(a, b, rate, weights):
    return integrate.quad(wave, a, b, args=(rate, weights))[0]


def to_infinity(rate):
    return integrate.quad(lambda x, rate: np.exp(-rate * x), 0, np.inf, args=rate)[0]


def test_limits_and_parameters():
    values = (np.array(0.3), np.array(1.5), np.array(0.7), np.array([1.0, 2.0]))
    assert gradcheck(between, values)
    assert gradgradcheck(between, values)


def test_an_infinite_limit():
    assert gradcheck(to_infinity, (np.array(0.7),))
    assert gradgradcheck(to_infinity, (np.array(0.7),))


@pytest.mark.parametrize("limit", [2.0, np.float32(2.0), np.array(2.0)])
def test_a_limit_of_any_kind(limit):
    high = srcgrad.Variable(limit, requires_grad=True)
    integrate.quad(lambda x: x**3, 0.0, high)[0].backward()
    assert high.grad.item() == pytest.approx(8.0)


def test_transforms():
    second = srcgrad.grad(srcgrad.grad(to_infinity))(2.0)
    assert second == pytest.approx(0.25)  # of 1 / rate


def test_without_variables_it_is_scipys_function():
    found = integrate.quad(np.cos, 0.0, 1.0)
    assert found == scipy.integrate.quad(np.cos, 0.0, 1.0)
