"""The ``events`` of ``solve_ivp``: when they are, and in which states.

The time of an event is the root of a function of the state then, which moves with all
that the solution depends on.
"""

import numpy as np

from srcgrad.scipy.optimization.implicit import Solution
from srcgrad.scipy.parameters import Parameters, as_array, refusing


def as_list(events):
    """One event, or several, as SciPy takes them."""
    if events is None:
        return []
    return [events] if callable(events) else list(events)


def for_scipy(events):
    """Events that lose no gradient, and end the solution where the user's do."""
    if events is None or callable(events):
        return refusing(events)
    return list(map(refusing, events))


def with_slopes(found, events, end_at, at, given, args):
    """Put Variables for the times and the states of events into what SciPy gives.

    ``given`` are the first time, the start, and the values of ``args`` (a
    ``Parameters``) that it depends on.
    """
    for number, event in enumerate(as_list(events)):
        times = found.t_events[number]
        if not len(times):
            continue
        moments = [_moment(event, time, end_at, given, args) for time in times]
        found.t_events[number] = np.stack(moments)
        states = found.y_events[number]
        columns = [
            at(np.reshape(moment, 1), state[None])[:, 0]
            for moment, state in zip(moments, states, strict=True)
        ]
        found.y_events[number] = np.stack(columns)


def _moment(event, time, end_at, given, args):
    around = Parameters(tuple(given))

    def residual(t, *values):
        first, start, *rest = around.filled(values)
        state = end_at(t, first, start, *rest)
        return np.reshape(as_array(event(t, state, *args.filled(rest))), ())

    return Solution.apply(residual, np.array(time), *around.variables)
