"""``scipy.integrate.solve_ivp`` and ``odeint``: the adjoint method.

What the loss is worth per unit of the state obeys an equation of its own, which runs
backwards in time beside the state. It is solved by the same node, so a solution is
differentiable to any order.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.modes import is_grad_enabled
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.rules.algorithms import ALGORITHMS, Spec, arguments
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.algorithm_results import close
from srcgrad.scipy.captures import passing_on, way_back
from srcgrad.scipy.integration.crossings import for_scipy, with_slopes
from srcgrad.scipy.integration.integrals import split
from srcgrad.scipy.integration.known_solutions import Known, as_given
from srcgrad.scipy.integration.runge_kutta import METHODS, Steps
from srcgrad.scipy.parameters import Opened, Parameters, pulled_back, refuse, refusing
from srcgrad.tape.function import Function
from srcgrad.tape.operands import joined


class Flow(Function):
    """The states at some times, a row each, of ``dy/dt = slope(t, y, *values)``.

    The first of them is the start, at the first time. A state moves with its own time
    as the slope says, and all that come later with that of the start.
    """

    is_algorithms = True

    @staticmethod
    def forward(ctx, slope, states, options, times, start, *values):
        ctx.slope, ctx.options = slope, options
        states = np.array(states)
        ctx.save_for_backward(states, times, *values)
        return states

    @staticmethod
    @way_back
    def backward(ctx, g):
        states, times, *values = ctx.saved_tensors
        # The steps do not tell how second derivatives move with the times.
        by_time = ctx.needs_input_grad[3] or not ctx.options.has_steps
        if ctx.options.gone is None or (by_time and is_grad_enabled()):
            way = by_adjoint(ctx.slope, states, times, g, values, ctx.options.solving)
        else:
            gone, asked = ctx.options.gone(), np.asarray(raw_of(times), float)
            way = gone.pulled(ctx.slope, asked, g, states[0], values)
        worth, gradients = way
        of_times = None
        if ctx.needs_input_grad[3]:
            worths = [g[0] - worth, *g[1:]]
            rows = zip(times, states, worths, strict=True)
            of_times = np.stack(
                [np.sum(w * ctx.slope(t, y, *values)) for t, y, w in rows]
            )
        of_start = worth if ctx.needs_input_grad[4] else None
        return (None, None, None, of_times, of_start, *gradients)


@dataclass(frozen=True)
class Back:
    """How to go back through a solution: how to solve, or which way it has gone.

    Only steps are differentiated twice. A solution that is known is solved for again.
    """

    solving: dict[str, Any]
    gone: Callable[[], Steps | Known] | None = None
    has_steps: bool = False


def by_adjoint(slope, states, times, g, values, options):
    """The gradients of the start and of the values, by the adjoint equation."""
    n = states.shape[1]
    bound = FARTHEST * (1.0 + np.max(np.abs(raw_of(states))))
    joint, worth = backwards(slope, n, bound), g[-1]
    gradients = np.zeros(sum(int(np.prod(value.shape)) for value in values))
    for i in range(len(times) - 1, 0, -1):
        start = np.concatenate([states[i], worth, gradients])
        end = flow(joint, times[[i, i - 1]], start, values, options)[-1]
        worth, gradients = end[n : 2 * n] + g[i - 1], end[2 * n :]
    return worth, split(gradients, values)


# How much larger than the states it has come from it may be on its way back.
FARTHEST = 1e3


def backwards(slope, n, bound):
    """The slope of a state of ``n`` numbers, of its worth, and of the gradients."""

    def joint(t, state, *values):
        y, worth = state[:n], state[n : 2 * n]
        if not np.all(np.abs(raw_of(y)) <= bound):
            raise RuntimeError(
                "the solution is lost on its way back: the equation is stiff. Its "
                "first derivatives are found along the solution, but not those of "
                "their slopes"
            )
        args = [t, y, *values]
        out, found = pulled_back(slope, args, as_given(worth), range(1, len(args)))
        return np.concatenate([np.ravel(out), *(-np.ravel(each) for each in found)])

    return joint


def flow(slope, times, start, values, options):
    """The states at two times, from that at the first of them."""
    raw, ends = [raw_of(value) for value in values], raw_of(times)
    back = Back(options)
    if ends[0] == ends[1]:
        return Flow.apply(slope, [raw_of(start)] * 2, back, times, start, *values)
    found = integrate.solve_ivp(
        lambda t, y: np.asarray(raw_of(slope(t, y, *raw))),
        *(ends, raw_of(start)),
        t_eval=ends,
        **options,
    )
    if not found.success:
        raise RuntimeError(f"the adjoint equation has no solution: {found.message}")
    return Flow.apply(slope, found.y.T, back, times, start, *values)


def for_slopes(options):
    """Options for steps whose slopes are to be good: SciPy's own tolerance is rough."""
    if options.get("rtol", 1e-3) <= 1e-5:
        return options
    atol = np.minimum(options.get("atol", 1e-6), 1e-8)
    return {**options, "rtol": 1e-5, "atol": atol}


def tightened(options, rtol, atol):
    """How the adjoint is solved: as the equation itself, and not worse than well."""
    return {
        "method": options.get("method", "RK45"),
        "rtol": min(options.get("rtol") or rtol, 1e-8),
        "atol": min(np.min(options.get("atol") or atol), 1e-10),
    }


def solved_again(slope, span, start, parameters, finer, own):
    """The solution by smaller steps, and at all times."""
    raw = [variable.value for variable in parameters.variables]
    kept = {key: item for key, item in own.items() if key not in CHECKED}
    return integrate.solve_ivp(
        lambda t, y: np.asarray(raw_of(slope(t, y, *raw))),
        *(span, raw_of(start)),
        dense_output=True,
        **kept | finer,
    )


# Options that another tolerance or the values of Variables would make wrong.
CHECKED = ("jac", "first_step", "min_step")


def solve_ivp(
    original,
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    dense_output=False,
    events=None,
    vectorized=False,
    args=None,
    **options,
):
    """``scipy.integrate.solve_ivp``: ``y`` is a Variable, at the times in ``t``."""
    args = () if args is None else arguments(args, unpacks=True)
    is_plain = not Parameters((t_span, y0, t_eval, args)).variables
    parameters = Parameters(args)
    first, last = (None, None) if is_plain else t_span
    start, asked = (y0, t_eval) if is_plain else (joined(y0), vector(t_eval))
    raw_span = t_span if is_plain else (float(raw_of(first)), float(raw_of(last)))
    found = original(
        *(refusing(fun), raw_span, raw_of(start), method, raw_of(asked), dense_output),
        events if is_plain else for_scipy(events),
        vectorized,
        args=parameters.raw or None,
        **options,
    )
    if is_plain or not len(found.t):  # it has failed before it came to one of them
        return found

    slope, own = Opened(fun, parameters, (0, 1)), {"method": method, **options}
    back = Back(tightened(own, 1e-3, 1e-6))
    if not np.iscomplexobj(found.y) and not vectorized:
        steps = (found.t, found.y.T) if asked is None else None
        around = slope, raw_span, start, parameters
        back = with_steps(back.solving, own, steps, around)

    def end_at(t, first, start, *values):
        ends = np.stack([np.reshape(first, ()), np.reshape(t, ())])
        return flow(slope, ends, start, values, back.solving)[-1]

    def at(times, states):
        return states_of(slope, times, states, first, start, parameters, back).T

    states = found.y.T
    if events is not None:
        given = vector(first), vector(start), *parameters.variables
        with_slopes(found, events, end_at, at, given, parameters)
    times = asked[: found.t.size] if asked is not None else _times_gone(found, last)
    found.y = at(times, states)
    if asked is None and found.status == 1:
        found.t = times
    if dense_output:
        found.sol = Between(found.sol, at)
    return found


def with_steps(solving, own, steps, around):
    """The way back through SciPy's own steps, or else along the solution found.

    ``steps``: the times and states of all of them, if these were asked for.
    """
    method = own["method"]
    has_steps, finer = method in METHODS, for_slopes(own)

    def gone():
        if has_steps and steps is not None and own == finer:
            return Steps(method, *steps)
        again = solved_again(*around, finer if has_steps else solving, own)
        if has_steps:
            return Steps(method, again.t, again.y.T)
        return Known(again.sol, solving)

    return Back(solving, gone, has_steps)


def _times_gone(found, last):
    """The times of SciPy's steps, the last of which may be an event's, or the end."""
    times = found.t
    if found.status == 1:
        lasts = [each[-1:] for each in found.t_events if len(each)]
        last = max(lasts, key=lambda each: raw_of(each)[0])
    if found.status == 1 or (Parameters(last).variables and found.success):
        return np.concatenate([times[:-1], np.reshape(last, 1)])
    return times


class Between:
    """A solution at any time, and what SciPy's own tells of its steps."""

    def __init__(self, solution, at):
        self._solution, self._at = solution, at

    def __call__(self, t):
        """The states at other times than SciPy's steps, as a node of its own."""
        solution, asked = self._solution, joined(t)
        raw = np.asarray(raw_of(asked), float)
        if np.any((raw < solution.t_min) | (raw > solution.t_max)):
            refuse("integrate.solve_ivp", "beyond the times that it has gone through")
        times, chosen, places = np.unique(raw, return_index=True, return_inverse=True)
        if not solution.ascending:
            times, chosen, places = times[::-1], chosen[::-1], len(times) - 1 - places
        states = solution(times).T
        if Parameters(asked).variables:
            if len(times) < raw.size:
                refuse("integrate.solve_ivp", "by a time that `sol` is asked for twice")
            times = np.reshape(asked, -1)[chosen]
        return self._at(times, states)[:, np.reshape(places, raw.shape)]

    def __getattr__(self, name):
        if name.startswith("_"):  # what copy and pickle ask for
            raise AttributeError(name)
        if name == "interpolants":
            refuse("integrate.solve_ivp", "by the `interpolants` of its `sol`")
        return getattr(self._solution, name)


def states_of(slope, times, states, first, start, parameters, back):
    """The node of a solution; it begins at the start, asked for or not.

    ``first``: the time of that; None, if it is the first of the times.
    """
    is_in = first is None or (
        times[0] == first and not Parameters((times, first)).variables
    )
    if not is_in:
        times = np.concatenate([np.reshape(first, 1), times])
        states = np.concatenate([[np.asarray(raw_of(start), float)], states])

    found = Flow.apply(slope, states, back, times, start, *parameters.variables)
    return found if is_in else found[1:]


def odeint(
    original,
    func,
    y0,
    t,
    args=(),
    Dfun=None,
    col_deriv=0,
    full_output=0,
    *rest,
    tfirst=False,
    **kwargs,
):
    """``scipy.integrate.odeint``"""
    parameters = Parameters(arguments(args))
    if not Parameters((y0, t, args)).variables:
        return original(
            *(refusing(func), y0, t, args, Dfun, col_deriv, full_output, *rest),
            tfirst=tfirst,
            **kwargs,
        )
    if rest:
        refuse("integrate.odeint", "with options that are not named")
    start, t = joined(y0), vector(t)
    if not np.ndim(raw_of(start)):  # a number is a state of one
        start = np.reshape(start, 1)
    found = original(
        *(refusing(func), raw_of(start), raw_of(t), parameters.raw, Dfun, col_deriv),
        full_output=full_output,
        tfirst=tfirst,
        **kwargs,
    )
    states, *told = found if full_output else (found,)

    slope = Opened(func, parameters, (0, 1) if tfirst else (1, 0))
    solving = tightened({"method": "LSODA", **kwargs}, 1.5e-8, 1.5e-8)

    def gone():
        span = float(raw_of(t)[0]), float(raw_of(t)[-1])
        again = solved_again(slope, span, start, parameters, solving, {})
        return Known(again.sol, solving)

    back = Back(solving, gone)
    out = states_of(slope, t, states, None, start, parameters, back)
    for each in told:
        close(each, "what scipy.integrate.odeint tells", [out])
    return (out, *told) if full_output else out


def vector(times):
    """Times as an array, if there are some: a list, a range, with Variables or not."""
    times = joined(times)
    is_made = times is None or isinstance(times, ArrayProtocol)
    return times if is_made else np.asarray(times, float)


def _against(given):
    for name in ("dense_output", "events", "full_output", "tcrit"):
        if given.get(name) not in (None, False, 0):
            return f"with `{name}`"
    return ""


ALGORITHMS[integrate.solve_ivp] = Spec(
    *(solve_ivp, ("fun", "jac"), ("y",), ("t",)),
    told=("success", "status", "message"),
    against=_against,
    unpacks=True,
)
ALGORITHMS[integrate.odeint] = Spec(odeint, ("func", "Dfun"), against=_against)
for _original in (integrate.solve_ivp, integrate.odeint):
    _replacement = functools.partial(ALGORITHMS[_original].implementation, _original)
    _unpacks = ALGORITHMS[_original].unpacks
    REPLACEMENTS[_original] = passing_on(_original, _replacement, _unpacks)
    LOOKING.add(REPLACEMENTS[_original])
