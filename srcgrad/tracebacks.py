"""Tracebacks for users: of srcgrad's own frames they show the one that was called.

The public functions that run much of srcgrad, or code of the user's, are its doors. An
error that leaves by a door has its traceback trimmed::

    the user's line             the user's line
    Called.__call__             Called.__call__      (the door)
    Traced.called
    Traced._by_tape       ->
    the user's function         the user's function

``SRCGRAD_TRACEBACK=full`` leaves every frame. It is read when an error comes up, so
that it can be set in a notebook after the first one.
"""

import dis
import os
import sys
from types import CodeType, TracebackType

from srcgrad.errors import PACKAGE

VARIABLE, FULL = "SRCGRAD_TRACEBACK", "full"
RAISE_OPCODE = dis.opmap["RAISE_VARARGS"]
# What stands between a line of the user's and what it calls, in a followed copy.
BETWEEN = tuple(
    os.path.join(PACKAGE, "tracing", room, "") for room in ("following", "arrays")
)
# Where the tape calls the function that the user calls: an error there is NumPy's.
NUMPY_RUNS_IN = tuple(
    os.path.join(PACKAGE, "tape", f"{name}.py")
    for name in ("apply", "fast_path", "inplace", "inplace_functions", "recorded_path")
)

# Those that an error has left by.
_doors: set[CodeType] = set()


def trim(error: BaseException) -> None:
    """Take srcgrad's own frames out of the tracebacks of an error and its causes.

    A door calls it in an ``except``, and raises the error again. Of frames in a row
    that are srcgrad's the first is left, the one that the user's code called. Where
    srcgrad has not raised an error, but met one, the last is left as well: nobody has
    foreseen that, and it is found there.
    """
    _trim(error, sys._getframe(1).f_code)


def _trim(error: BaseException, door: CodeType) -> None:
    if os.environ.get(VARIABLE) == FULL:
        return
    _doors.add(door)
    seen: set[int] = set()
    errors: list[BaseException | None] = [error]
    try:
        while errors:
            each = errors.pop()
            if each is not None and id(each) not in seen:
                seen.add(id(each))
                errors += each.__cause__, each.__context__
                _trim_one(each, each.__traceback__)
    except RecursionError:  # no more calls can be made
        return  # the error stays what it is, at full length


def _trim_one(error: BaseException, kept: TracebackType | None) -> None:
    following = None if kept is None else kept.tb_next
    while kept is not None and following is not None:
        is_called = not _is_own(kept) and not _file_of(following).startswith(BETWEEN)
        is_last = following.tb_next is None
        if (
            is_called
            or not _is_own(following)
            or (is_last and _is_met(error, following))
        ):
            kept.tb_next = following
            kept = following
        following = following.tb_next
    if kept is not None:
        kept.tb_next = None


def _is_own(traceback: TracebackType) -> bool:
    return _file_of(traceback).startswith(PACKAGE)


def _file_of(traceback: TracebackType) -> str:
    return traceback.tb_frame.f_code.co_filename


def _is_met(error: BaseException, traceback: TracebackType) -> bool:
    """Whether the innermost frame has met an error that nobody has foreseen."""
    code = traceback.tb_frame.f_code
    if code in _doors:  # whose traceback was trimmed before it came here
        return False
    is_raised = code.co_code[traceback.tb_lasti] == RAISE_OPCODE
    if is_raised:
        return type(error) is AssertionError  # srcgrad's `assert`
    return not code.co_filename.startswith((*BETWEEN, *NUMPY_RUNS_IN))


def forget_context(error: BaseException, handled: BaseException) -> None:
    """Let an error not have come up while another one was handled.

    It came up by itself, when the same was run in another way.
    """
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        if each.__context__ is handled:
            each.__context__ = None
        each = each.__context__


class Door:
    """The context in which a door runs, where no one counts its calls."""

    def __enter__(self) -> None:
        """Nothing is to be done before there is an error."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, Exception):
            _trim(error, sys._getframe(1).f_code)


DOOR = Door()
