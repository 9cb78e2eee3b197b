"""Calls of a transform that have nothing to do but to run the generated code.

No look at the environment, no effects, no draws: all but a few are such calls, and in
those on a few numbers the way there takes longer than the code. So it is written as one
function, from the call's arguments to what the call gives.
"""

from collections.abc import Callable, Mapping, Sequence
from textwrap import indent
from typing import Any

from srcgrad.emit import Module
from srcgrad.policy import MOST_IN_PLACE
from srcgrad.steps import Value
from srcgrad.tracing.environment.assumptions import Assumptions
from srcgrad.tracing.graphs.interface import Interface
from srcgrad.tracing.runs.recording import Whole
from srcgrad.tracing.serving.called import MISS
from srcgrad.tracing.serving.packing import written
from srcgrad.tracing.serving.unpacking import Unpacking
from srcgrad.unboxing import (
    LEFT_TO_NUMPY,
    ignores_underflow,
    last_ignoring,
    state_now,
)

# Of the trace, and of a call's arguments by position and by name, and those that were
# given before.
Direct = Callable[[Any, Any, Any, Any], Any]


def usual_way(*_: Any) -> Any:
    """The way of those that have none."""
    return MISS


def direct_call(
    unpacking: Unpacking,
    module: Module,
    assumptions: Assumptions,
    interface: Interface,
    whole: Whole,
    outputs: Sequence[Value],
) -> Direct:
    """Make a function of a call's arguments that gives what the call does, or ``MISS``.

    They do not fit, or an error comes up, which the usual way tells in its own terms:
    nothing of the environment has changed. ``usual_way`` for traces that do more than
    compute.
    """
    is_plain = interface.is_direct and module.environment is None
    if not is_plain or whole.is_linear or not whole.are_all_there:
        return usual_way
    if interface.only not in ("array", "static"):
        return usual_way
    assert module.forward is not None
    packed = _packed(module, interface, whole, outputs)
    given = {"pack": whole.pack, "result": interface.outputs[0].source}
    return written_call(
        *(unpacking, module, assumptions, unpacking.leaves, given),
        [f"return {packed}"],
    )


def written_call(
    unpacking: Unpacking,
    module: Module,
    assumptions: Assumptions,
    inputs: Sequence[str],
    given: Mapping[str, Any],
    result: Sequence[str],
    reading: Sequence[str] = (),
    effects: Sequence[str] = (),
) -> Direct:
    """Make a function that takes a call apart, tests the assumptions, and runs it.

    ``inputs`` are those of the module by their names in ``unpacking``, or in the
    statements ``reading``, of the environment; the statements ``result`` give what the
    call does, in terms of ``outs``, ``trace`` and ``given``. After ``effects``, if
    there are any, the call is made: from there on errors are the user's.
    """
    given = {
        "MISS": MISS,
        "LEFT_TO_NUMPY": LEFT_TO_NUMPY,
        "ignores_underflow": ignores_underflow,
        "state_now": state_now,
        "last_ignoring": last_ignoring,
        "holds": assumptions.holds,
        "forward": module.forward,
        "forward_on_floats": module.forward_on_floats,
        **given,
    }
    test = "holds()"
    if len(assumptions) <= MOST_IN_PLACE:
        test, given = f"({assumptions.source})", {**assumptions.namespace, **given}
    lines = [
        *unpacking.lines,
        f"if not {test}:",
        "    return MISS",
        *reading,
        *_running(module, ", ".join(inputs)),
    ]
    assert module.forward is not None
    if any(type(each) is str for each in module.forward.__code__.co_consts):
        # It may say that it does not fit.
        lines += ["if type(outs) is str:", "    return MISS"]
    lines = [
        "try:",
        indent("\n".join([*lines, *result]), "    "),
        "except Exception:",
        "    return MISS",
        *effects,
    ]
    return unpacking.function("direct(trace, args, kwargs, bound)", lines, given)


def _running(module: Module, leaves: str) -> list[str]:
    """The statements that run it."""
    if module.forward_on_floats is None:
        return [f"outs = forward({leaves})"]
    return [
        "if state_now(None) is last_ignoring[0] or ignores_underflow():",
        "    try:",
        f"        outs = forward_on_floats({leaves})",
        "    except LEFT_TO_NUMPY:",
        f"        outs = forward({leaves})",
        "else:",
        f"    outs = forward({leaves})",
    ]


def _packed(
    module: Module, interface: Interface, whole: Whole, outputs: Sequence[Value]
) -> str:
    """What the call gives, of what the module does."""
    names = [f"outs[{number}]" for number in range(len(outputs))]
    if module.has_one_output:
        names = ["outs"]
    count = interface.count
    result = "result" if interface.only == "static" else names[0]
    derived = names[count:]
    found = written(whole.pack, result, outputs[count:], derived)
    if found is None:
        return f"pack({result}, [{', '.join(derived)}])"
    # What is to be given may be the very tuple that there is.
    return "outs" if found == f"({', '.join(names)})" else found
