"""``scipy.integrate.solve_ivp`` and ``odeint``: the adjoint method.

What the loss is worth per unit of the state obeys an equation of its own, which runs
backwards in time beside the state. It is solved by the same node, so a solution is
differentiable to any order.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import passing_on
from srcgrad.scipy.integrals import split
from srcgrad.scipy.parameters import (
    Parameters,
    arguments,
    as_array,
    pulled_back,
    refuse,
)
from srcgrad.tape.function import Function

Slope = Callable[..., Any]


class Flow(Function):
    """The states at some times, a row each, of ``dy/dt = slope(t, y, *values)``."""

    @staticmethod
    def forward(
        ctx: Any,
        slope: Slope,
        times: Any,
        states: Any,
        options: Any,
        start: Any,
        *values: Any,
    ) -> Any:
        ctx.slope, ctx.times, ctx.options = slope, times, options
        states = np.array(states)
        ctx.save_for_backward(states, *values)
        return states

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        states, *values = ctx.saved_tensors
        n = states.shape[1]
        slope = backwards(ctx.slope, n)
        worth = g[-1]
        gradients = np.zeros(sum(int(np.prod(value.shape)) for value in values))
        for i in range(len(ctx.times) - 1, 0, -1):
            start = np.concatenate([states[i], worth, gradients])
            span = ctx.times[[i, i - 1]]
            end = flow(slope, span, start, values, ctx.options)[-1]
            worth, gradients = end[n : 2 * n] + g[i - 1], end[2 * n :]
        of_start = worth if ctx.needs_input_grad[4] else None
        return (None, None, None, None, of_start, *split(gradients, values))


def backwards(slope: Slope, n: int) -> Slope:
    """The slope of a state of ``n`` numbers, of its worth, and of the gradients."""

    def joint(t: Any, state: Any, *values: Any) -> Any:
        y, worth = state[:n], state[n : 2 * n]
        out, found = pulled_back(lambda y, *v: slope(t, y, *v), [y, *values], worth)
        return np.concatenate([out, *(-np.reshape(each, -1) for each in found)])

    return joint


def flow(
    slope: Slope, times: Any, start: Any, values: Sequence[Any], options: Any
) -> Any:
    """The states at some times, from that at the first of them."""
    raw = [raw_of(value) for value in values]
    found = integrate.solve_ivp(
        lambda t, y: np.asarray(raw_of(slope(t, y, *raw))),
        *((times[0], times[-1]), raw_of(start)),
        t_eval=times,
        **options,
    )
    if not found.success:
        raise RuntimeError(f"the adjoint equation has no solution: {found.message}")
    return Flow.apply(slope, times, found.y.T, options, start, *values)


def tightened(options: Any, rtol: float, atol: float) -> dict[str, Any]:
    """How the adjoint is solved: as the equation itself, and not worse than well."""
    return {
        "method": options.get("method", "RK45"),
        "rtol": min(options.get("rtol") or rtol, 1e-8),
        "atol": min(np.min(options.get("atol") or atol), 1e-10),
    }


def solve_ivp(
    fun: Any,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Any = None,
    **options: Any,
) -> Any:
    """``scipy.integrate.solve_ivp``: ``y`` is a Variable, at the times in ``t``."""
    args = () if args is None else arguments(args)
    given = Parameters((t_span, y0, t_eval, args))
    if not given.variables:
        return integrate.solve_ivp(
            *(fun, t_span, y0, method, t_eval, dense_output, events, vectorized),
            args or None,
            **options,
        )
    if events is not None or Parameters((t_span, t_eval)).variables:
        refuse("integrate.solve_ivp", "by times, or with events")
    parameters, start = Parameters(args), y0
    found = integrate.solve_ivp(
        *(fun, t_span, raw_of(y0), method, t_eval, dense_output, None, vectorized),
        parameters.raw or None,
        **options,
    )

    def at(times: Any, states: Any) -> Any:
        return states_of(
            lambda t, y, *values: fun(t, y, *parameters.filled(values)),
            *(times, states, t_span[0], start, parameters),
            tightened({"method": method, **options}, 1e-3, 1e-6),
        ).T

    found.y = at(found.t, found.y.T)
    if dense_output:
        found.sol = functools.partial(between, found.sol, at)
    return found


def between(solution: Any, at: Callable[[Any, Any], Any], t: Any) -> Any:
    """A solution at other times than SciPy's steps, as a node of its own."""
    if Parameters(t).variables:
        refuse("integrate.solve_ivp", "by the times that `sol` is asked for")
    t = np.asarray(t, float)
    if np.any((t < solution.t_min) | (t > solution.t_max)):
        refuse("integrate.solve_ivp", "beyond the times that it has gone through")
    times, places = np.unique(t, return_inverse=True)
    if not solution.ascending:
        times, places = times[::-1], len(times) - 1 - places
    return at(times, solution(times).T)[:, np.reshape(places, t.shape)]


def states_of(
    slope: Slope,
    times: Any,
    states: Any,
    first: Any,
    start: Any,
    parameters: Parameters,
    options: Any,
) -> Any:
    """The node of a solution; it begins at the start, asked for or not."""
    is_in = times[0] == first
    if not is_in:
        times = np.concatenate([[first], times])
        states = np.concatenate([[np.asarray(raw_of(start), float)], states])

    def vector(t: Any, y: Any, *values: Any) -> Any:
        return as_array(slope(t, y, *values))

    found = Flow.apply(vector, times, states, options, start, *parameters.variables)
    return found if is_in else found[1:]


def odeint(
    func: Any,
    y0: Any,
    t: Any,
    args: Any = (),
    Dfun: Any = None,
    col_deriv: Any = 0,
    full_output: Any = 0,
    *rest: Any,
    tfirst: bool = False,
    **kwargs: Any,
) -> Any:
    """``scipy.integrate.odeint``"""
    parameters = Parameters(arguments(args))
    if not Parameters((y0, t, args)).variables:
        return integrate.odeint(
            *(func, y0, t, args, Dfun, col_deriv, full_output, *rest),
            tfirst=tfirst,
            **kwargs,
        )
    if full_output or rest or Parameters(t).variables:
        refuse("integrate.odeint", "by times, or with full_output")
    states = integrate.odeint(
        *(func, raw_of(y0), t, parameters.raw, Dfun, col_deriv), tfirst=tfirst, **kwargs
    )

    def slope(t: Any, y: Any, *values: Any) -> Any:
        args = parameters.filled(values)
        return func(t, y, *args) if tfirst else func(y, t, *args)

    t = np.asarray(t, float)
    options = tightened({"method": "LSODA", **kwargs}, 1.5e-8, 1.5e-8)
    return states_of(slope, t, states, t[0], y0, parameters, options)


for _original, _replacement in (
    (integrate.solve_ivp, solve_ivp),
    (integrate.odeint, odeint),
):
    REPLACEMENTS[_original] = passing_on(_original, _replacement)
    LOOKING.add(REPLACEMENTS[_original])
