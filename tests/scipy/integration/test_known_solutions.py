"""Stiff equations have gradients from stiff methods, as good as the solution."""

import numpy as np
import pytest
import scipy.integrate

import srcgrad
from srcgrad.scipy.integration.known_solutions import Known

RATES = np.array([0.04, 3e7, 1e4])
START = np.array([1.0, 0.0, 0.0])


def robertson(t, y, k):
    slow, fast, back = k[0] * y[0], k[1] * y[1] ** 2, k[2] * y[1] * y[2]
    return np.stack([back - slow, slow - back - fast, fast])


def last(k, method="Radau", **options):
    return scipy.integrate.solve_ivp(
        robertson, (0.0, 40.0), START, method, args=(k,), **options
    ).y[2, -1]


def by_odeint(k):
    return scipy.integrate.odeint(robertson, START, [0.0, 40.0], (k,), tfirst=True)[
        1, 2
    ]


@pytest.fixture(scope="module")
def differences():
    tight = {"rtol": 1e-9, "atol": 1e-12}
    steps = np.diag(1e-4 * RATES)
    return [
        (last(RATES + step, **tight) - last(RATES - step, **tight)) / (2.0 * step.sum())
        for step in steps
    ]


@pytest.mark.parametrize(
    "function",
    [by_odeint, *(lambda k, way=way: last(k, way) for way in ("BDF", "LSODA"))],
    ids=["odeint", "BDF", "LSODA"],
)
def test_a_stiff_equation(function, differences):
    gradient = srcgrad.grad(srcgrad.trace(function))
    for _ in range(2):
        np.testing.assert_allclose(gradient(RATES), differences, 1e-5)


def test_second_derivatives_of_one_say_that_it_is_stiff():
    def fast(a):
        return scipy.integrate.solve_ivp(
            lambda t, y: -1e3 * a * (y - np.cos(t)), (0.0, 0.1), [0.0], "LSODA"
        ).y[0, -1]

    first = srcgrad.grad(fast)
    with pytest.raises(RuntimeError, match="stiff"):
        srcgrad.grad(first)(1.0)


def test_from_state_to_state_backwards_in_time_too():
    def ended(a, span):
        return np.sum(
            scipy.integrate.solve_ivp(
                lambda t, y: -a * y,
                span,
                np.ones(1),
                "BDF",
                [*span],
                rtol=1e-9,
                atol=1e-12,
            ).y
            * a
        )

    for a in (1.3, 1.7):
        expected = 1.0 + (1.0 + a) * np.exp(a)
        found = srcgrad.grad(ended)(a, (1.0, 0.0))
        np.testing.assert_allclose(found, expected, 1e-6)
    stays = Known(lambda t: np.ones(1), {"method": "LSODA", "rtol": 1e-8})
    of_start, gradients = stays.pulled(None, [1.0, 1.0], np.ones((2, 1)), None, [])
    assert of_start == [2.0]
    assert gradients == []


def test_a_jacobian_that_takes_variables_from_around_it():
    def ended(a):
        return scipy.integrate.solve_ivp(
            *(lambda t, y: -a * y, (0.0, 1.0), np.ones(1), "Radau"),
            jac=lambda t, y: np.array([[-1.0]]) * a,
            rtol=1e-9,
        ).y[0, -1]

    np.testing.assert_allclose(srcgrad.grad(ended)(1.3), -np.exp(-1.3), 1e-6)
