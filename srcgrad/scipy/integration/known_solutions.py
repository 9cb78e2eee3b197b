"""The adjoint equation beside a solution that is known: as stable as that is.

Who solves for the state again on the way back goes against the stream: what dies out
fast grows as fast backwards. Along a known solution the adjoint itself dies out as the
state did, so stiff equations have gradients from stiff methods.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.scipy.integration.integrals import split
from srcgrad.scipy.parameters import pulled_back

# Places and weights between 0 and 1, for what is added up along so many steps.
PLACES, WEIGHTS = np.polynomial.legendre.leggauss(5)
PLACES, WEIGHTS = 0.5 + 0.5 * PLACES, 0.5 * WEIGHTS
STEPS = 4

# The methods whose adjoint is solved by Radau's: it is linear, and smooth.
STIFF = ("Radau", "BDF")


class Known:
    """A way back along a solution: ``state`` gives it at a time."""

    def __init__(self, state, solving):
        method = "Radau" if solving["method"] in STIFF else solving["method"]
        self._state, self._method, self._rtol = state, method, solving["rtol"]

    def pulled(self, slope, asked, g, start, values):
        """The gradients of the start and the values, for those of states asked for."""
        g, raw = raw_of(g), [raw_of(value) for value in values]
        size = sum(int(np.size(value)) for value in raw)
        worth, gradients, end = g[-1], np.zeros(size), len(asked) - 1
        way = _Way(slope, self._state, raw)
        for i in range(len(asked) - 2, -1, -1):
            if i and not g[i].any():  # it goes on
                continue
            if worth.any() and asked[i] != asked[end]:
                options = self._options(worth)
                worth, parts = way.between(asked[end], asked[i], worth, options)
                gradients += parts
            worth, end = worth + g[i], i
        return worth, split(gradients, values)

    def _options(self, worth):
        atol = 1e-2 * self._rtol * np.max(np.abs(worth))
        return {"method": self._method, "rtol": self._rtol, "atol": atol}


class _Way:
    """What a state is worth, and what the values are, between two times."""

    def __init__(self, slope, state, values):
        self._slope, self._state, self._values = slope, state, values

    def between(self, end, start, worth, options):
        """The worth at ``start`` of one at ``end``, and the gradients on the way."""
        if options["method"] in ("Radau", "LSODA"):
            options["jac"] = self._jacobian
        found = integrate.solve_ivp(
            self._change, (end, start), worth, dense_output=True, **options
        )
        if not found.success:
            raise RuntimeError(f"the adjoint equation has no solution: {found.message}")
        gradients = self._of_values(found) if self._values else np.zeros(0)
        return found.y[:, -1], gradients

    def _change(self, t, worth):
        return -self._pull(t, worth, [1])

    def _jacobian(self, t, worth):
        units = np.eye(worth.size)
        return np.stack([self._change(t, unit) for unit in units], axis=-1)

    def _of_values(self, found):
        wanted = range(2, 2 + len(self._values))
        whole: Any = 0.0
        ends = np.append(found.t[:-1:STEPS], found.t[-1])
        for t, h in zip(ends[:-1], np.diff(ends), strict=True):
            for place, weight in zip(PLACES, WEIGHTS, strict=True):
                at = t + place * h
                whole = whole - h * weight * self._pull(at, found.sol(at), wanted)
        return whole

    def _pull(self, t, worth, wanted):
        args = [t, self._state(t), *self._values]
        _, back = pulled_back(self._slope, args, as_given(worth), wanted)
        return np.concatenate([np.reshape(raw_of(each), -1) for each in back])


def as_given(worth: Any) -> Callable[[Any], Any]:
    """The cotangent of a slope, which may be one number, of the shape of that."""
    return lambda slope: np.reshape(worth, np.shape(raw_of(slope)))
