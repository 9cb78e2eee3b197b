"""``scipy.optimize``: minima under bounds and constraints, differentiated implicitly.

At a minimum the constraints that are active hold the gradient in balance, each with
its multiplier (Karush, Kuhn and Tucker). Those equations have the minimum and the
multipliers for their root; which constraints are active does not change nearby.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import arguments
from srcgrad.scipy.captures import captured, opened
from srcgrad.scipy.optimization.implicit import Solution, jacobian
from srcgrad.scipy.parameters import Parameters, as_array, pulled_back, refuse

# How near to its limit a constraint is active, and how much it must hold back.
NEAR, HELD = 1e-5, 1e-6

# How well the constraints must balance the gradient.
BALANCED = 1e-3


@dataclass(frozen=True)
class Limit:
    """What is to be zero, or not negative: ``function(x, *values)``, a vector."""

    function: Callable[..., Any]
    is_equality: bool = False


# ----- What SciPy takes -----


def ends_of(bounds):
    """The lower and the upper bounds, from pairs too."""
    if bounds is None:
        return -np.inf, np.inf
    if isinstance(bounds, optimize.Bounds):
        return bounds.lb, bounds.ub
    if Parameters(bounds).variables:
        refuse("optimize", "by bounds: write them as constraints")
    low, high = zip(*bounds, strict=True)
    return (
        [-np.inf if end is None else end for end in low],
        [np.inf if end is None else end for end in high],
    )


def limits_of_ends(ends, size):
    """What bounds on the elements of ``x`` ask for."""
    if Parameters(ends).variables:
        refuse("optimize", "by bounds: write them as constraints of `minimize`")
    low, high = (np.broadcast_to(np.ravel(end), size).astype(float) for end in ends)
    lows, highs = np.nonzero(np.isfinite(low))[0], np.nonzero(np.isfinite(high))[0]
    return [
        Limit(lambda x, *_: np.reshape(x, -1)[lows] - low[lows]),
        Limit(lambda x, *_: high[highs] - np.reshape(x, -1)[highs]),
    ]


class Constraints:
    """Constraints as SciPy takes them, with the Variables that they depend on."""

    def __init__(self, constraints):
        is_one = isinstance(constraints, dict) or hasattr(constraints, "lb")
        self.items = [constraints] if is_one else list(constraints)
        self.variables = captured([function_of(item) for item in self.items])
        self.args = [self._args_of(item) for item in self.items]

    def _args_of(self, item):
        own = arguments(item.get("args", ())) if isinstance(item, dict) else ()
        return (*own, *self.variables)

    def raw(self, args):
        """What SciPy gets, with plain arguments for its functions."""
        pairs = zip(self.items, args, strict=True)
        return [self._raw(item, own) for item, own in pairs]

    def _raw(self, item, args):
        if isinstance(item, dict):
            functions = {
                name: opened(item[name], self.variables)
                for name in ("fun", "jac")
                if callable(item.get(name))
            }
            return {**item, **functions, "args": args}
        if isinstance(item, optimize.LinearConstraint) or not self.variables:
            return item
        function = opened(item.fun, self.variables)
        return optimize.NonlinearConstraint(
            lambda x: raw_of(function(x, *args)), item.lb, item.ub
        )

    def limits(self, number):
        """What they ask for; ``number(i)`` gives the arguments of one among values."""
        found: list[Limit] = []
        for i, item in enumerate(self.items):
            found += self._limits(item, number(i))
        return found

    def _limits(self, item, args_of):
        function = opened(function_of(item), self.variables)

        def value(x, *values):
            args = args_of(*values)
            return np.reshape(as_array(function(x, *args)), -1)

        if isinstance(item, dict):
            return [Limit(value, item["type"] == "eq")]
        return limits_between(value, np.ravel(item.lb), np.ravel(item.ub))


def function_of(item):
    if isinstance(item, dict):
        return item["fun"]
    if isinstance(item, optimize.LinearConstraint):
        matrix = item.A
        return lambda x: matrix @ x
    return item.fun


def limits_between(value, low, high):
    """``low <= value <= high``, equality where the two are equal."""

    def among(ends, are_in, sign):
        def function(x, *values):
            out = value(x, *values)
            own = np.broadcast_to(ends, out.shape)
            places = np.nonzero(np.broadcast_to(are_in, out.shape))[0]
            return sign * (out[places] - own[places])

        return function

    is_equal = low == high
    return [
        Limit(among(low, is_equal, 1.0), True),
        Limit(among(low, np.isfinite(low) & ~is_equal, 1.0)),
        Limit(among(high, np.isfinite(high) & ~is_equal, -1.0)),
    ]


# ----- The minimum -----


def minimum(gradient, x, variables, limits=()):
    """What an algorithm has found, as a Variable that depends on others.

    The gradient and the limits are functions of ``x`` and of their values.
    """
    x = np.array(raw_of(x), float)
    raw = [variable.value for variable in variables]
    found = (nearby(limit, x, raw) for limit in limits)
    near = [limit for limit in found if limit is not None]
    active, multipliers = balanced(gradient, near, x, raw) if near else (None, [])
    if active is None or not len(multipliers):
        return Solution.apply(gradient, x, *variables)

    def residual(state, *values):
        place, worth = np.reshape(state[: x.size], x.shape), state[x.size :]
        held, (back,) = pulled_back(lambda x: active(x, *values), [place], worth)
        slope = gradient(place, *values) - back
        return np.concatenate([np.reshape(slope, -1), held])

    state = np.concatenate([np.ravel(x), multipliers])
    return np.reshape(Solution.apply(residual, state, *variables)[: x.size], x.shape)


def nearby(limit, x, raw):
    """The elements of a limit that are near to it, as one of their own."""
    value = np.atleast_1d(raw_of(limit.function(x, *raw)))
    scale = NEAR * (1.0 + np.max(np.abs(x), initial=0.0))
    places = np.nonzero(limit.is_equality | (value <= scale))[0]

    def function(x, *values):
        return np.reshape(limit.function(x, *values), -1)[places]

    return Limit(function, limit.is_equality) if places.size else None


def balanced(gradient, near, x, raw):
    """The constraints that hold the gradient back, and their multipliers."""

    def all_near(x, *values):
        return np.concatenate([limit.function(x, *values) for limit in near])

    slopes = raw_of(jacobian(all_near, x, raw))
    sizes = [np.size(raw_of(limit.function(x, *raw))) for limit in near]
    is_equality = np.repeat([limit.is_equality for limit in near], sizes)
    slope = np.ravel(raw_of(gradient(x, *raw)))
    low = np.where(is_equality, -np.inf, 0.0)
    worth = optimize.lsq_linear(slopes.T, slope, (low, np.inf), tol=1e-14).x
    scale = 1.0 + np.max(np.abs(slope))
    if np.max(np.abs(slopes.T @ worth - slope)) > BALANCED * scale:
        where = "where it has stopped: no constraints balance the gradient; ask for "
        refuse("optimize", where + "more accuracy (`tol`, `catol`, `acc`)")
    held = np.nonzero(is_equality | (worth > HELD * scale))[0]
    if np.linalg.matrix_rank(slopes[held], 1e-9) < held.size:
        refuse("optimize", "where the active constraints depend on each other")

    def active(x, *values):
        return all_near(x, *values)[held]

    return active, worth[held]
