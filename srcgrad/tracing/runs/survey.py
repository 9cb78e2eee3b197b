"""``obstacles``: all that keeps a function on the tape, as far as it can be told.

A recording ends at the first refusal. Here the function's copy runs once more, and goes
on: what was refused gives an ``Unknown``, and so does what is computed of that. Nothing
else changes, as in any recording. It ends where the function would decide by what is
not known, or has changed something in a way that is not followed.
"""

from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from srcgrad.modes import modes_now, override, state
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS
from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.instrumentation import Capture, RunCapture
from srcgrad.tracing.environment.draws import State, restore
from srcgrad.tracing.environment.signature import STEADY, Signature
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.runs.received import check_arguments, received
from srcgrad.tracing.user_code.instrument import refusals_in

# After so many it ends: a loop may wait for an error of what is not known.
MOST_REFUSED, MOST_UNKNOWN = 20, 500
# What goes on after a refusal, of all that copies call.
GOING_ON = (
    "attribute call compared formatted imported item remainder same searched".split()
)


class Unknown:
    """What stands for the result of what was refused."""

    __array_ufunc__ = None

    def _itself(self, *args: Any, **kwargs: Any) -> "Unknown":
        return self

    def _end(self, *args: Any) -> NoReturn:
        raise Refusal

    __call__ = __getattr__ = __getitem__ = __neg__ = __abs__ = _itself
    __enter__ = _itself
    __bool__ = __iter__ = __len__ = __index__ = __float__ = __int__ = _end
    __exit__ = __setitem__ = __contains__ = __hash__ = _end


for _operator in (*BINARY_OPERATORS, *COMPARISONS):
    for _prefix in ("", "r"):
        setattr(Unknown, f"__{_prefix}{_operator.name}__", Unknown._itself)

# A name that is told in no refusal of anything else.
Unknown.__name__ = Unknown.__qualname__ = "<unknown>"
UNSEEN = Unknown()


class Surveyed(CapturedReads):
    """Notes each refusal, of the text of a function all that are in it."""

    def __init__(
        self, recorder: Recorder, changing: Collection[str], drawn: list[State]
    ) -> None:
        super().__init__(recorder, Surveying, changing, drawn)
        self.refused: dict[str, None] = {}
        self._unknown = 0

    def refuse(self, reason: str) -> None:
        if Unknown.__name__ not in reason:
            self.refused.setdefault(reason)
        if len(self.refused) >= MOST_REFUSED:
            raise Refusal

    def unknown(self) -> Unknown:
        """What stands for a result."""
        self._unknown += 1
        if self._unknown > MOST_UNKNOWN:
            raise Refusal
        return UNSEEN

    def instrumented(self, function: FunctionType) -> FunctionType:
        """The copy of a user's function."""
        for reason in refusals_in(function):
            self.refuse(reason)
        return super().instrumented(function)


class Surveying(RunCapture):
    """What copies of functions call that are looked through."""

    def __init__(self, reads: Surveyed) -> None:
        super().__init__(reads)
        self._surveyed, found = reads, self.interface
        for name in GOING_ON:
            found[name] = _going_on(reads, found[name])
        context = self.parts.context
        context.call, context.attribute = found["call"], found["attribute"]
        context.item = found["item"]

    def capture(self, function: FunctionType) -> Capture:
        """What the copy of a function calls."""
        capture: Any = super().capture(function)
        capture.environment = _going_on(self._surveyed, capture.environment)
        return capture  # type: ignore[no-any-return]


def _going_on(reads: Surveyed, method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a part, with something unknown for what is refused."""

    def going_on(*args: Any, **kwargs: Any) -> Any:
        if any(arg is UNSEEN for arg in (*args, *kwargs.values())):
            return reads.unknown()
        try:
            return method(*args, **kwargs)
        except Refusal as refusal:
            if not str(refusal):
                raise
            reads.refuse(str(refusal))
            return reads.unknown()

    return going_on


def obstacles(
    function: FunctionType, signature: Signature, changing: Collection[str] = ()
) -> list[str]:
    """The refusals on the way of one call, in order; ``changing`` as for ``record``."""
    recorder, drawn, modes = Recorder(), list[State](), modes_now()
    reads = Surveyed(recorder, changing, drawn)
    try:
        silent = np.errstate(all="ignore")  # the tape warns, once
        with silent, override(recorder=recorder, grad_enabled=state.grad_enabled):
            check_arguments(signature)
            found = received(function, signature, recorder, reads, STEADY)
            args, kwargs, bound = found[0]
            reads.instrumented(function)(*bound, *args, **kwargs)
    except Refusal as refusal:
        if str(refusal) and Unknown.__name__ not in str(refusal):
            reads.refused.setdefault(str(refusal))
    except Exception:  # of something that is not known, or the user's own
        pass
    finally:
        vars(state).update(modes)
        restore(drawn)
        reads.let_go()
    return [*reads.refused]
