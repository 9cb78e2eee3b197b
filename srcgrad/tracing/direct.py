"""Calls of a transform that have nothing to do but to run the generated code.

No look at what is outside, no effects, no draws: all but a few are such calls, and in
those on a few numbers the way there takes longer than the code.
"""

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.emit import Module
from srcgrad.floats import LEFT_TO_NUMPY, ignores_underflow
from srcgrad.tracing.assumptions import Assumptions
from srcgrad.tracing.interface import Interface
from srcgrad.tracing.recording import Whole

# What comes of a call that is to be made in the usual way.
MISS: Any = object()

Direct = Callable[[Sequence[Any]], Any]


def direct_call(
    module: Module, assumptions: Assumptions, interface: Interface, whole: Whole
) -> Direct | None:
    """Make a function of a call's leaves that gives what the call does, or ``MISS``.

    It does not fit, or an error comes up, which the usual way tells in its own terms:
    nothing outside has changed. None for traces that do more than compute.
    """
    is_plain = interface.is_direct and module.outside is None
    if not is_plain or whole.is_linear or not whole.are_all_there:
        return None
    if interface.only not in ("array", "static"):
        return None
    forward, on_floats = module.forward, module.forward_on_floats or module.forward
    assert forward is not None
    assert on_floats is not None
    result = interface.outputs[0].source
    is_given, is_one = interface.only == "static", module.has_one_output
    holds, pack, count = assumptions.holds, whole.pack, interface.count

    def call(leaves: Sequence[Any]) -> Any:
        try:
            if not holds():
                return MISS
            try:
                function = on_floats if ignores_underflow() else forward
                outs = function(*leaves)
            except LEFT_TO_NUMPY:
                outs = forward(*leaves)
            if type(outs) is str:
                return MISS
            if is_one:
                outs = (outs,)
            return pack(result if is_given else outs[0], outs[count:])
        except Exception:
            return MISS

    return call
