"""``fitting``: among the traces of a signature the one that fits a call, which it runs.

A trace that does not fit leaves no mark: what was drawn from is put back.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from srcgrad.tape.variable import Variable
from srcgrad.tracing.algorithms.algorithm_callbacks import MisfitError
from srcgrad.tracing.environment.draws import State, restore
from srcgrad.tracing.serving.back_off import BackOff
from srcgrad.tracing.serving.cache import Entry, Stats
from srcgrad.tracing.serving.compiled_call import packed_of, results_of
from srcgrad.tracing.serving.filled_zeros import LOST, has_nan, unharmed
from srcgrad.tracing.serving.trace import MET, Trace

# A trace that fits a call, what the call gives, the values and the objects that its
# effects are about, and the states before random draws.
Hit = tuple[Trace, Any, Sequence[Any], Sequence[Any], list[State]]


class Unfit(NamedTuple):
    """Why the last trace that was tried does not fit; whether all were tried."""

    reason: str = ""
    is_all_tried: bool = True


def fitting(
    leaves: Sequence[Any],
    entry: Entry,
    changing: set[str],
    back_off: BackOff,
    stats: Stats,
) -> Hit | Unfit:
    """Run the trace that fits the leaves of a call, if there is one.

    ``changing`` gets references to integers that turn out to change.
    """
    reason = ""
    for number, trace in enumerate(entry.traces):
        if number == 1 and not back_off.looking.allows(stats.calls, stats.compiled):
            return Unfit(reason, is_all_tried=False)
        found = _tried(trace, leaves, entry)
        if type(found) is not str:
            if number:
                entry.put_first(trace)
            entry.streak = back_off.streak = 0
            entry.used = stats.compiled
            return found  # type: ignore[return-value]
        reason = found
        entry.meets = entry.meets or found.startswith((MET, LOST))
        if found in trace.guards.environment.ints:
            changing.add(trace.guards.environment.ints[found])
    return Unfit(reason)


def _tried(trace: Trace, leaves: Sequence[Any], entry: Entry) -> Hit | str:
    """Run a trace; where the user's code catches errors, one says that it does not fit.

    Raises
    ------
    Exception
        Any other.
    """
    try:
        return _run(trace, leaves)
    except MisfitError:
        raise
    except Exception as error:
        if not entry.catches:
            raise
        return f"{type(error).__name__} was not raised"


def _run(trace: Trace, leaves: Sequence[Any]) -> Hit | str:
    """Run a trace; or say why it does not fit."""
    drawn: list[State] = []
    hit = None
    try:
        read = trace.guards.read(leaves, drawn)
        if type(read) is str:
            return read
        held: Sequence[Any] = ()
        if read:
            if trace.effects is not None:
                count = len(trace.guards.environment.taken)
                read, held = read[:count], read[count:]
            leaves = [*leaves, *read]
        inputs: Any = leaves
        if not trace.interface.is_direct:
            inputs = [
                leaf.value if type(leaf := leaves[i]) is Variable else leaf
                for i in trace.interface.positions
            ]
        if trace.quiet is not None:
            found = trace.run_masked(inputs)
        elif trace.fills and trace.whole is not None:
            found = unharmed(trace.module.call_forward, inputs) or LOST
        else:
            found = trace.module.call_forward(inputs)
        if type(found) is str:
            return found
        outs, saved = found
        if trace.fills and trace.whole is not None and has_nan(outs):
            return LOST
        values: Any = ()
        if trace.whole is not None:
            result, values = packed_of(trace, leaves, inputs, outs, saved)
        else:
            result = results_of(trace, leaves, inputs, outs, saved)
            if trace.effects is not None:
                result, values = result
        hit = trace, result, values, held, drawn
        return hit
    finally:
        if drawn and hit is None:
            restore(drawn)
