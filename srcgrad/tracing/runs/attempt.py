"""``attempt``: a recording, or why there is none."""

from types import FunctionType

from srcgrad.errors import CompilerError, told
from srcgrad.modes import modes_now, state
from srcgrad.tracing.environment.draws import State, restore
from srcgrad.tracing.environment.signature import STEADY, Changes, Signature
from srcgrad.tracing.refusal import Refusal, UserError
from srcgrad.tracing.runs.record import record
from srcgrad.tracing.runs.recording import Recording


def attempt(
    function: FunctionType,
    signature: Signature,
    changing: set[str] | None = None,
    changes: Changes = STEADY,
    drawn: list[State] | None = None,
) -> Recording | CompilerError | str | None:
    """Record a call of a function, or say why not; None: the user's code raises.

    Where there is no recording, nothing of the environment has changed. ``drawn`` gets
    the states of the generators that the function draws from.
    """
    drawn = [] if drawn is None else drawn
    recording = None
    modes = modes_now()
    try:
        recording = _attempt(function, signature, changing, changes, drawn)
    finally:
        vars(state).update(modes)
        if not isinstance(recording, Recording):
            restore(drawn)
    return recording


def _attempt(
    function: FunctionType,
    signature: Signature,
    changing: set[str] | None,
    changes: Changes,
    drawn: list[State],
) -> Recording | CompilerError | str | None:
    try:
        recording = record(function, signature, changing, changes, drawn)
    except UserError:
        return None
    except Refusal as refusal:
        return str(refusal)
    except CompilerError as error:
        return error
    except Exception as error:
        # It may be the user's own error, or come from a stand-in that is not quite an
        # ndarray. A plain run decides.
        return f"while it was traced: {told(error)}"
    transform = signature.transform
    derives = transform is not None and transform.derives
    if (derives or state.depth) and recording.has_lost_its_gradient:
        # The tape warns, with the line.
        return "takes a number out of what it is differentiated by"
    return recording
