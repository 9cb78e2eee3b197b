"""``replayed``: a compiled call put on the tape, and what becomes of it if that fails.

What was saved may not be what the graph says, through a fault of the compiler. Then all
is computed again of the arguments, as long as these are what they were at the call.
"""

from collections.abc import Mapping
from typing import Any

from srcgrad.errors import CompilerError, describe, explained
from srcgrad.tape.function import Edge
from srcgrad.tracing.containment import stage
from srcgrad.tracing.runs.replay import Call
from srcgrad.tracing.serving.trace import Trace

# What the user's own code and settings raise, and walks that come too late.
KNOWN = (FloatingPointError, MemoryError, RuntimeError, Warning)


def replayed(
    trace: Trace,
    call: Call | None,
    edges: Mapping[int, Edge | None],
    inner: Mapping[int, Edge],
    where: Any,
) -> list[Edge]:
    """Where walks back from a call's results start, on the tape; see ``Replay.run``.

    Raises
    ------
    CompilerError
        If it fails, and the call cannot be computed again; it says what to do.
    """
    replay = trace.replay
    if replay.has_user_backward:  # it runs the user's own code, whose errors are theirs
        return replay.run(call, edges, inner)
    try:
        with stage("putting a compiled call on the tape", *KNOWN):
            return replay.run(call, edges, inner)
    except CompilerError as error:
        trace.report(error)
        if call is not None and _has_arguments_as_then(call):
            with stage("computing a compiled call again", *KNOWN):
                return replay.from_inputs().run(call, edges, inner)
        raise explained(
            CompilerError(f"the gradient of a call cannot be differentiated: {error}"),
            f"the call was at {describe(where)}",
            "make the call again, which goes by the tape from now on",
        ) from error


def _has_arguments_as_then(call: Call) -> bool:
    """Whether all that the graph got is what it was: numbers, and arrays unchanged."""
    counted = {id(raw) for _, moment, raw in call.versions if not moment}
    return all(
        id(raw) in counted or type(raw) in (float, int, bool, complex)
        for raw in call.inputs
    )
