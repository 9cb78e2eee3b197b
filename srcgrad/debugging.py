"""Debuggers that step into generated code, and past the rest of srcgrad.

From ``loss(w)``, ``step`` goes to the first line of the user's function, or of the
generated code that runs in its place; from ``out.backward()`` to that of the generated
backward. Breakpoints hold everywhere.
"""

import bdb
import pdb
import sys
from types import FrameType
from typing import Any

from srcgrad.errors import PACKAGE, is_internal
from srcgrad.modes import refuse

# What srcgrad, and the `typing` of its modules, call as it compiles.
DEPENDENCIES = frozenset("astunparse gast optree typing_extensions".split())


def set_trace(*, header: str | None = None) -> None:
    """Stop here in Python's debugger, which steps past srcgrad's own code.

    ``PYTHONBREAKPOINT=srcgrad.debugging.set_trace`` in the environment has
    ``breakpoint()`` call it. A traced function that calls it runs on the tape.

    Parameters
    ----------
    header : str, optional
        What to print first.

    Examples
    --------
    >>> import os
    >>> os.environ["PYTHONBREAKPOINT"] = "srcgrad.debugging.set_trace"
    """
    refuse("stops in a debugger")
    debugger = pdb.Pdb()
    skip(debugger)
    if header is not None:
        debugger.message(header)
    debugger.set_trace(sys._getframe(1))


def skip(debugger: Any = None) -> None:
    """Let a debugger step past srcgrad's own code: by default the one that runs.

    A line in ``.pdbrc`` does it for every session::

        import srcgrad.debugging; srcgrad.debugging.skip()

    Parameters
    ----------
    debugger : bdb.Bdb, optional
        ``pdb``, or another one that is made of Python's.

    Raises
    ------
    RuntimeError
        If none is given, and none runs.

    Examples
    --------
    >>> import pdb
    >>> from srcgrad import debugging
    >>> debugger = pdb.Pdb()
    >>> debugging.skip(debugger)
    """
    debugger = _running() if debugger is None else debugger
    stops = debugger.stop_here

    def stop_here(frame: FrameType) -> bool:
        # `next` in a frame of srcgrad's, which a breakpoint led to, stays there.
        is_chosen = frame is debugger.stopframe
        return (is_chosen or not is_passed(frame)) and stops(frame)

    debugger.stop_here = stop_here


def _running() -> Any:
    """The debugger at whose prompt this is called."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        found = frame.f_locals.get("self")
        if isinstance(found, bdb.Bdb):
            return found
        frame = frame.f_back
    raise RuntimeError("no debugger runs: call skip() at its prompt, or in .pdbrc")


def is_passed(frame: FrameType) -> bool:
    """Whether a frame is srcgrad's, or of a library that srcgrad calls.

    Generated code is none of these, nor what it calls. Text that is executed is whose
    it is that executes it.
    """
    each: FrameType | None = frame
    is_users = False
    while each is not None:
        filename = each.f_code.co_filename
        if filename.startswith(PACKAGE):
            return not is_users
        if filename.startswith("<frozen importlib"):
            is_users = False  # a hook, or a module, whoever has written that
        elif not _is_librarys(each):
            is_users = True
        each = each.f_back
    return False


def _is_librarys(frame: FrameType) -> bool:
    filename = frame.f_code.co_filename
    root = str(frame.f_globals.get("__name__")).partition(".")[0]
    is_pythons = filename.startswith("<frozen ") or filename == "<string>"
    return is_pythons or is_internal[filename] or root in DEPENDENCIES
