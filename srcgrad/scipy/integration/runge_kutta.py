"""The steps that ``RK45`` and ``RK23`` of ``solve_ivp`` have taken, back one by one.

The gradient is that of the numbers which SciPy gives, for steps of these lengths: as
exact as the solution is, and stable wherever that is.
"""

from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.modes import is_grad_enabled
from srcgrad.protocols import raw_of
from srcgrad.scipy.parameters import pulled_back

METHODS = {"RK45": integrate.RK45, "RK23": integrate.RK23}


class Steps:
    """The times between the steps of a method, and the states there, a row each."""

    def __init__(self, method, times, states):
        tableau: Any = METHODS[method]
        self._a, self._b, self._c = tableau.A, tableau.B, tableau.C
        self._p, self._times, self._states = tableau.P, times, states

    def pulled(self, slope, asked, g, start, values):
        """The gradients of the start and the values, for those of states asked for."""
        if is_grad_enabled():
            _, (of_start, *of_values) = pulled_back(
                lambda start, *values: self.replayed(slope, asked, start, values),
                *([start, *values], g),
            )
            return of_start, of_values
        g, raw = raw_of(g), [raw_of(value) for value in values]
        way = _Back(slope, raw, np.shape(raw_of(start)))
        places = self._places(asked)
        for number in reversed(range(len(places))):
            rows = [(x, g[row]) for row, x in places[number] if g[row].any()]
            if rows or way.has_begun:
                self._step_back(number, rows, way)
        way.pull(self._times[0], self._states[0], way.of_slope)
        return way.of_state + g[0], way.of_values

    def replayed(self, slope, asked, start, values):
        """The states that are asked for, of Variables on the tape."""
        t, y = self._times[0], start
        rows, first = [y], slope(t, y, *values)
        for end, places in zip(self._times[1:], self._places(asked), strict=True):
            h, k = end - t, [first]
            for c, a in zip(self._c[1:], self._a[1:], strict=True):
                k.append(slope(t + c * h, y + _sum(h * a, k), *values))
            after = y + _sum(h * self._b, k)
            k.append(first := slope(end, after, *values))
            for _, x in places:
                rows.append(after if x == 1.0 else y + _sum(h * self._weights(x), k))
            t, y = end, after
        return np.stack(rows)

    def _places(self, asked):
        """The rows of times within each step, or at its end, and where these are."""
        sign = 1.0 if self._times[-1] >= self._times[0] else -1.0
        found = np.searchsorted(sign * self._times[:-1], sign * asked) - 1
        places: list[list[tuple[int, float]]] = [[] for _ in self._times[1:]]
        for row, number in enumerate(np.maximum(found, 0)):
            if row:  # the first is the start
                begin, end = self._times[number : number + 2]
                places[number].append((row, (asked[row] - begin) / (end - begin)))
        return places

    def _weights(self, x):
        """How much the stages are worth for the state within a step."""
        powers = np.cumprod(np.full(self._p.shape[1], x))
        return self._p @ powers

    def _step_back(self, number, rows, way):
        (t, end), (y, after) = self._times[number:][:2], self._states[number:][:2]
        h, count = end - t, len(self._b)
        places, k = [y], np.empty((count, *y.shape))
        k[0] = way.slope_at(t, y)
        for s in range(1, count):
            places.append(y + h * (self._a[s, :s] @ k[:s]))
            k[s] = way.slope_at(t + self._c[s] * h, places[s])
        of_k = np.zeros((count + 1, *y.shape))
        of_k[count] = way.of_slope
        before = np.zeros(y.shape)
        for x, g in rows:
            if x == 1.0:
                way.of_state = way.of_state + g
            else:
                before += g
                of_k += np.multiply.outer(h * self._weights(x), g)
        way.pull(end, after, of_k[count])
        of_k[:count] += np.multiply.outer(h * self._b, way.of_state)
        for s in range(count - 1, 0, -1):
            of_place = way.pull(t + self._c[s] * h, places[s], of_k[s])
            of_k[:s] += np.multiply.outer(h * self._a[s, :s], of_place)
        way.of_state, way.of_slope = way.of_state + before, of_k[0]


class _Back:
    """What has come back so far: to a state, to the slope in it, and to the values."""

    def __init__(self, slope, values, shape):
        self._slope, self._values = slope, values
        self.of_state, self.of_slope = np.zeros(shape), np.zeros(shape)
        self.of_values = [np.zeros(np.shape(value)) for value in values]
        self.has_begun = False

    def slope_at(self, t, y):
        self.has_begun = True
        return raw_of(self._slope(t, y, *self._values))

    def pull(self, t, y, g):
        """Add what comes back through the slope in a place; that is given for it."""
        if not g.any():
            return np.zeros(y.shape)
        args = [t, y, *self._values]
        _, back = pulled_back(
            self._slope,
            *(args, lambda out: np.reshape(g, np.shape(raw_of(out)))),
            range(1, len(args)),
        )
        of_place, *found = map(raw_of, back)
        self.of_state = self.of_state + of_place
        self.of_values = [
            whole + part for whole, part in zip(self.of_values, found, strict=True)
        ]
        return of_place


def _sum(weights, stages):
    return sum(w * k for w, k in zip(weights, stages, strict=False) if w)
