"""Gradients through the steps of Runge and Kutta, and beside them the adjoint's."""

import numpy as np
import pytest
from scipy import integrate

import srcgrad
from srcgrad.scipy.integration.runge_kutta import METHODS
from tests.differences import slope_of
from tests.scipy.integration.test_flows import EXACT, RATES, START, prey


@pytest.mark.parametrize("method", [*METHODS, "LSODA"])
@pytest.mark.parametrize("options", [{}, {"rtol": 1e-8, "atol": 1e-10}])
@pytest.mark.parametrize("asked", [None, [0.0, 0.3, 1.0, 2.0], [0.7]])
def test_gradients_are_those_of_the_solution(method, options, asked):
    def loss(rates, start, options):
        found = integrate.solve_ivp(
            prey, (0.0, 2.0), start, method, t_eval=asked, args=(rates,), **options
        )
        return found.y[0, -1] + found.y[1, -1] ** 2

    found = srcgrad.grad(loss, (0, 1))(RATES, START, options)
    expected = (
        slope_of(lambda rates: loss(rates, START, EXACT), RATES),
        slope_of(lambda start: loss(RATES, start, EXACT), START),
    )
    # SciPy's own tolerance is rough, and so is what is squared here.
    rtol = 1e-4 if options else 2e-2
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol)


@pytest.mark.parametrize("span", [(0.0, 1.0), (1.0, 0.0)])
def test_compiled_as_on_the_tape(span):
    @srcgrad.value_and_grad
    def loss(rates):
        found = integrate.solve_ivp(
            lambda t, y: prey(t, y, rates), span, START, t_eval=np.linspace(*span, 4)
        )
        return np.sum(found.y[:, 1:] ** 2)

    for rates in (RATES, 1.1 * RATES, 0.9 * RATES):
        value, gradient = loss(rates)
        by_tape = loss.untraced((rates,), {})
        np.testing.assert_allclose(value, by_tape[0], rtol=1e-12)
        np.testing.assert_allclose(gradient, by_tape[1], rtol=1e-12)
    assert loss.stats.compiled
