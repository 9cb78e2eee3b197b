"""Solutions of differential equations, by the adjoint method."""

import copy

import numpy as np
import pytest
import scipy.integrate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import integrate
from tests.variables import variable

START, RATES = np.array([1.0, 0.5]), np.array([0.8, 0.6])
SECOND = np.array([[1.0, -1.0], [-1.0, 1.0]])
EXACT = {"rtol": 1e-11, "atol": 1e-12}


def prey(t, y, rates):
    return [
        rates[0] * y[0] - rates[1] * y[0] * y[1],
        -y[1] + rates[1] * y[0] * y[1],
    ]


def decay(t, y, rate):
    return -rate * y


@pytest.mark.parametrize("times", [[0.5, 1.0], [0.0, 1.0], [1.0]])
def test_states_at_some_times(times):
    def solve(start, rates):
        options = {"t_eval": np.array(times), "args": (rates,), **EXACT}
        return integrate.solve_ivp(prey, (0.0, 1.0), start, **options).y

    assert gradcheck(solve, (START, RATES))


def test_second_derivatives():
    def solve(start, rate):
        return integrate.solve_ivp(
            decay, (0.0, 1.0), start, t_eval=[1.0], args=(rate,), **EXACT
        ).y

    assert gradgradcheck(solve, (np.array([1.5]), np.array(0.7)), rtol=1e-3)


def test_from_a_start_that_is_given():
    rate = variable(0.5)
    found = integrate.solve_ivp(decay, (0.0, 1.0), START, args=(rate,), **EXACT)
    found.y[0, -1].backward()
    assert rate.grad.item() == pytest.approx(-np.exp(-0.5))


def test_without_parameters():
    start = variable([2.0])
    found = integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), start, **EXACT)
    found.y[0, -1].backward()
    assert start.grad.data == pytest.approx(np.exp(-1.0))


@pytest.mark.parametrize("tfirst", [False, True])
def test_odeint(tfirst):
    def slope(y, t, rates):
        return np.stack(prey(t, y, rates))

    function = prey if tfirst else slope

    def solve(start, rates):
        times = np.array([0.0, 0.5, 1.0])
        return integrate.odeint(
            function, start, times, args=(rates,), tfirst=tfirst, **EXACT
        )

    assert gradcheck(solve, (START, RATES), rtol=1e-4)


# A number to start from, and of which shape the slope of its state is.
STARTS = [
    (1, lambda y: y[0]),
    (0.5, lambda y: [y[0]]),
    (np.float64(0.5), lambda y: y),
    (np.array(0.5), lambda y: y[0]),
]


@pytest.mark.parametrize(
    ("number", "shape"), STARTS, ids=["int", "float", "scalar", "array"]
)
def test_odeint_of_a_number(number, shape):
    """It is a state of one, whatever the slope makes of that."""

    def solve(start, rate, scipy_has=integrate):
        def slope(y, t, rate):
            return shape(t - rate * y * y)

        options = {"args": (rate,), "rtol": 1e-9, "atol": 1e-9}
        return scipy_has.odeint(slope, start, [0.0, 0.4], **options)

    def along(rate):
        return np.sum(solve(number, rate, scipy.integrate))

    inputs = np.asarray(number, float), np.array(1.3)
    assert solve(*map(variable, inputs)).shape == (2, 1)
    assert gradcheck(solve, inputs, rtol=1e-4)
    assert gradgradcheck(solve, inputs, rtol=1e-3)
    assert gradcheck(lambda rate: solve(number, rate), inputs[1:], rtol=1e-4)
    expected = (along(1.3 + 1e-3) - along(1.3 - 1e-3)) / 2e-3
    for _ in range(3):
        assert srcgrad.grad(along)(1.3) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("span", [(0.0, 1.0), (1.0, 0.0)])
def test_a_solution_between_its_steps(span):
    """At any times, in any order."""

    def between(start, rates):
        found = integrate.solve_ivp(
            prey, span, start, args=(rates,), dense_output=True, **EXACT
        )
        return found.sol(np.array([0.7, 0.2, 0.7])), found.sol(0.4)

    for ours, theirs in zip(
        between(variable(START), variable(RATES)), between(START, RATES), strict=True
    ):
        np.testing.assert_allclose(ours.data, theirs, rtol=1e-12)
    assert gradcheck(between, (START, RATES), rtol=1e-4)


def prey_in_time(t, y, rates):
    return np.stack(prey(t, y, rates)) * np.cos(t)


def final(start, rates, first, last):
    return integrate.solve_ivp(
        prey_in_time, (first, last), start, args=(rates,), **EXACT
    ).y[:, -1]


def asked(start, rates, first, times):
    return integrate.solve_ivp(
        *(prey_in_time, (first, 1.5), start), t_eval=times, args=(rates,), **EXACT
    ).y


def between_steps(start, rates, first, times):
    options = {"dense_output": True, "args": (rates,), **EXACT}
    return integrate.solve_ivp(prey_in_time, (first, 1.5), start, **options).sol(times)


def old(start, rates, times):
    return integrate.odeint(
        prey_in_time, start, times, args=(rates,), tfirst=True, **EXACT
    )


@pytest.mark.parametrize(
    ("solve", "times"),
    [
        (final, (0.1, 1.2)),
        (asked, (0.1, np.array([0.1, 0.4, 1.1]))),
        (between_steps, (0.1, np.array([0.9, 0.3]))),
        (old, (np.array([0.1, 0.5, 1.1]),)),
    ],
)
def test_times(solve, times):
    inputs = START, RATES, *map(np.asarray, times)
    if solve is asked:  # before the start there is no solution
        inputs[-1][0] += 1e-3
    assert gradcheck(solve, inputs, rtol=1e-4)


def test_second_derivatives_by_times():
    """Of ``s exp(first - last)``."""

    def solve(first, last):
        return integrate.solve_ivp(
            lambda t, y: -y, (first, last), [1.5], rtol=1e-9, atol=1e-9
        ).y[0, -1]

    found = srcgrad.hessian(solve, (0, 1))(0.2, 0.9)
    np.testing.assert_allclose(found, 1.5 * np.exp(-0.7) * SECOND, rtol=1e-6)


def test_a_state_at_the_start_moves_with_both_times():
    first, times = variable(0.1), variable([0.1, 0.6])
    row = asked(START, RATES, first, times)[:, 0]
    np.sum(row).backward()
    slope = np.sum(prey_in_time(0.1, START, RATES))
    assert times.grad.data == pytest.approx([slope, 0.0])
    assert first.grad.item() == pytest.approx(-slope)


def test_without_variables_they_are_scipys_functions():
    found = integrate.solve_ivp(prey, (0.0, 1.0), START, args=(RATES,))
    expected = scipy.integrate.solve_ivp(prey, (0.0, 1.0), START, args=(RATES,))
    np.testing.assert_array_equal(found.y, expected.y)
    times = [0.0, 1.0]
    found = integrate.odeint(prey, START, times, args=(RATES,), tfirst=True)
    assert found.shape == (2, 2)


def test_a_solution_can_be_copied():
    found = integrate.solve_ivp(
        decay, (0, 1), variable(START), args=(1.0,), dense_output=True
    )
    again = copy.copy(found.sol)
    np.testing.assert_array_equal(again(0.5).value, found.sol(0.5).value)


def test_what_has_no_derivative():
    sol = integrate.solve_ivp(
        decay, (0, 1), variable(START), args=(1.0,), dense_output=True
    ).sol
    with pytest.raises(srcgrad.NoRuleError, match="beyond the times"):
        sol(1.5)
    with pytest.raises(srcgrad.NoRuleError, match="is asked for twice"):
        sol(variable([0.5, 0.5]))
    with pytest.raises(srcgrad.NoRuleError, match="interpolants"):
        _ = sol.interpolants
