"""``integrate.quad`` with weights, and of complex integrands."""

import numpy as np
import pytest
import scipy.integrate

import srcgrad
from srcgrad import gradcheck
from srcgrad.scipy import integrate

EXPONENTS = (-0.5, 0.3)


def arrays(*values):
    return tuple(map(np.array, values))


def test_exponents():
    def call(p, q):
        return integrate.quad(np.cos, 0.2, 1.7, weight="alg", wvar=(p, q))[0]

    assert gradcheck(call, arrays(*EXPONENTS))
    second = srcgrad.grad(srcgrad.grad(call))
    with pytest.raises(srcgrad.NoRuleError, match="write it into the integrand"):
        second(*EXPONENTS)


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
