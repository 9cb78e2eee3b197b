"""``integrate.quad`` with weights, and of complex integrands."""

import numpy as np
import pytest
import scipy.integrate

import srcgrad
from srcgrad import gradcheck, gradgradcheck
from srcgrad.scipy import integrate
from tests.variables import variable

EXPONENTS = (-0.5, 0.3)
ALGEBRAIC = ["alg", "alg-loga", "alg-logb", "alg-log"]


def decay(x, rate, weights):
    return np.exp(-rate * x) * (1.0 + np.sum(weights) * x)


def between(weight):
    def call(a, b, wvar, rate, weights):
        args = rate, weights
        return integrate.quad(decay, a, b, args=args, weight=weight, wvar=wvar)[0]

    return call


def to_infinity(weight):
    def call(a, wvar, rate):
        args = rate, 0.5
        return integrate.quad(decay, a, np.inf, args, weight=weight, wvar=wvar)[0]

    return call


def arrays(*values):
    return tuple(map(np.array, values))


@pytest.mark.parametrize("weight", ["cos", "sin", "cauchy"])
def test_by_limits_parameters_and_what_the_weight_is_made_of(weight):
    values = arrays(0.2, 1.7, 0.9, 0.6, [0.3, 0.4])
    assert gradcheck(between(weight), values)
    assert gradgradcheck(between(weight), values)


@pytest.mark.parametrize("weight", ["cos", "sin"])
def test_waves_without_end(weight):
    values = arrays(0.2, 3.0, 0.6)
    assert gradcheck(to_infinity(weight), values)
    assert gradgradcheck(to_infinity(weight), values)


@pytest.mark.parametrize("weight", ALGEBRAIC)
def test_limits_with_exponents(weight):
    def call(a, b, rate):
        args = rate, 0.5
        return integrate.quad(decay, a, b, args, weight=weight, wvar=EXPONENTS)[0]

    values = arrays(0.2, 1.7, 0.6)
    expected = call(*values)
    assert call(*map(variable, values)).item() == pytest.approx(expected, rel=1e-13)
    assert gradcheck(call, values)
    assert gradgradcheck(call, values)
    fixed = 0.2, 1.7
    assert gradcheck(lambda rate: call(*fixed, rate), values[2:])


def test_exponents():
    def call(p, q):
        return integrate.quad(np.cos, 0.2, 1.7, weight="alg", wvar=(p, q))[0]

    assert gradcheck(call, arrays(*EXPONENTS))
    second = srcgrad.grad(srcgrad.grad(call))
    with pytest.raises(srcgrad.NoRuleError, match="write it into the integrand"):
        second(*EXPONENTS)


@pytest.mark.parametrize("options", [{}, {"weight": "cos", "wvar": 2.0}])
def test_complex_integrands(options):
    def call(b, rate):
        def wave(x, rate):
            return np.exp(1j * rate * x * x)

        found = integrate.quad(wave, 0.0, b, (rate,), complex_func=True, **options)[0]
        return np.abs(found) ** 2

    assert gradcheck(call, arrays(1.7, 0.6))
    assert gradgradcheck(call, arrays(1.7, 0.6))


def test_values_errors_and_options_are_scipys():
    for options in (
        {"weight": "sin", "wvar": 2.0, "full_output": 1},
        {"weight": "alg-log", "wvar": EXPONENTS, "epsrel": 1e-3},
        {"complex_func": True},
    ):
        args = 0.6, 0.5
        expected = scipy.integrate.quad(decay, 0.2, 1.7, args, **options)
        assert integrate.quad(decay, 0.2, 1.7, args, **options)[:2] == expected[:2]
        rate = variable(0.6)
        if "complex_func" in options:
            expected = expected[0].real, expected[1]
        found = integrate.quad(decay, 0.2, 1.7, (rate, 0.5), **options)
        assert np.real(found[0]).item() == pytest.approx(expected[0], rel=1e-13)
        assert found[1] == expected[1]
    by_place = integrate.quad(decay, 0.2, 1.7, (variable(0.6), 0.5), 1, 1e-3)
    assert "neval" in by_place[2]
    with pytest.raises(srcgrad.NoRuleError, match="full_output"):
        integrate.quad(
            decay, 0.0, variable(1.0), (0.6, 0.5), full_output=1, complex_func=True
        )


def test_a_traced_function():
    def score(rate, end):
        wave = scipy.integrate.quad(
            lambda x: np.exp(-rate * x) * end, 0.0, 2.0, weight="cos", wvar=3.0 * end
        )[0]
        turn = scipy.integrate.quad(
            lambda x: np.exp(1j * rate * x), 0.0, end, complex_func=True
        )[0]
        return wave * np.abs(turn)

    traced, h = srcgrad.trace(score), 1e-6
    for rate, end in ((1.0, 2.0), (1.1, 1.8), (1.2, 1.6), (1.3, 1.4)):
        found, slopes = srcgrad.value_and_grad(traced, argnums=(0, 1))(rate, end)
        assert found == pytest.approx(score(rate, end), rel=1e-13)
        by_rate = (score(rate + h, end) - score(rate - h, end)) / (2.0 * h)
        by_end = (score(rate, end + h) - score(rate, end - h)) / (2.0 * h)
        np.testing.assert_allclose(slopes, (by_rate, by_end), rtol=1e-6)
    assert traced.stats.compiled, traced.explain()
