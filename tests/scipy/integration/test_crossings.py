"""Events of ``solve_ivp``, by what the solution depends on."""

import numpy as np
import pytest
from scipy import integrate

import srcgrad
from tests.differences import slope_of

PARAMETERS = np.array([10.0, 0.1])


def thrown(parameters, asked, **options):
    """A ball, until it comes down; and when it is at its highest."""
    speed, drag = parameters

    def slope(t, y):
        return [y[2], y[3], -drag * y[2], -9.81 - drag * y[3]]

    def down(t, y):
        return y[1]

    def highest(t, y):
        return y[3] * drag

    down.terminal, down.direction = True, -1
    start = [0.0, 0.1, speed * 0.7, speed * 0.7]
    return integrate.solve_ivp(
        *(slope, (0, 9), start),
        events=[down, highest],
        t_eval=asked,
        **{"rtol": 1e-9, "atol": 1e-10, **options},
    )


def of_times(found):
    return found.t_events[0][0] * found.t_events[1][0]


def of_states(found):
    return found.y_events[0][0, 0] + found.y_events[1][0][1]


def of_its_end(found):
    return found.t[-1] + np.sum(found.y[:, -1])


@pytest.mark.parametrize("read", [of_times, of_states, of_its_end])
@pytest.mark.parametrize("asked", [None, np.linspace(0.0, 9.0, 40)])
def test_events_move_with_the_parameters(read, asked):
    def function(parameters):
        return read(thrown(parameters, asked))

    value, gradient = srcgrad.value_and_grad(function)(PARAMETERS)
    assert value == function(PARAMETERS)
    np.testing.assert_allclose(gradient, slope_of(function, PARAMETERS), rtol=1e-5)


def test_none_may_happen():
    def function(rate):
        found = integrate.solve_ivp(
            lambda t, y: -rate * y, (0.0, 1.0), [1.0], events=lambda t, y: y[0]
        )
        return found.y[0, -1] + len(found.t_events[0])

    assert srcgrad.grad(function)(0.5) == pytest.approx(-np.exp(-0.5), rel=1e-2)
