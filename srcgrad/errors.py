"""The exceptions, and how a message names the user's file and line.

Each is of the type that NumPy or PyTorch users expect, so that old ``except`` clauses
still fit.
"""

import bisect
import dis
import functools
import linecache
import os
import sys
import warnings
from types import CodeType, FrameType
from typing import Any, TypeVar

import numpy as np

from srcgrad.codes import per_code

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Installed packages lie in a folder of the standard library's.
STANDARD_PATH = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
SITE_FOLDER = os.path.join(STANDARD_PATH, "site-packages") + os.sep
NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep

# Where an operation ran: a code object and an instruction in it. Cheap to take, and, in
# contrast to a frame, it keeps no locals alive.
Where = tuple[CodeType, int]

# The instructions of `x[i] = v`.
STORES = ("STORE_SUBSCR", "STORE_SLICE")


# The page that tells of each kind of error, under an anchor of its own.
PAGE = "https://srcgrad.readthedocs.io/en/latest/errors.html"

E = TypeVar("E", bound=BaseException)

# So many file names are remembered.
MOST_FILE_NAMES = 4096


class InplaceError(RuntimeError):
    """A value that the backward pass needs was changed in place."""


class AnomalyError(RuntimeError):
    """NaN or infinity came up in a backward pass under ``detect_anomaly``."""


class NoRuleError(NotImplementedError):
    """A function without a derivative rule met a Variable that requires grad."""


class DivergenceError(AssertionError):
    """Generated code and the tape disagree (``trace(verify=True)``)."""


class GradcheckError(AssertionError):
    """A gradient differs from its numerical estimate."""


class CompilerError(RuntimeError):
    """A part of the compiler failed; users see a warning, and the tape's result."""


# What the page calls the classes.
KINDS: dict[type[BaseException], str] = {
    InplaceError: "changed-in-place",
    AnomalyError: "nan-or-infinity",
    NoRuleError: "no-derivative",
    DivergenceError: "divergence",
    GradcheckError: "gradcheck",
    CompilerError: "compiler",
}


class _Internal(dict[str, bool]):
    """Whether a file is srcgrad's own, NumPy's, SciPy's or Python's; remembered."""

    def __missing__(self, filename: str) -> bool:
        if len(self) >= MOST_FILE_NAMES:  # of code that is made while the program runs
            self.clear()
        scipy = getattr(sys.modules.get("scipy"), "__file__", None)
        scipys = (os.path.dirname(scipy) + os.sep,) if scipy else ()
        is_pythons = filename.startswith(STANDARD_PATH) and SITE_FOLDER not in filename
        self[filename] = is_pythons or filename.startswith((PACKAGE, NUMPY, *scipys))
        return self[filename]


is_internal = _Internal()


def told(error: BaseException) -> str:
    """The type and text of an error, whose own code may fail.

    >>> told(KeyError("a"))
    "KeyError: 'a'"
    """
    try:
        text = str(error)
    except Exception:
        text = "its text cannot be told"
    return f"{type(error).__name__}: {text}"


def shown(item: Any) -> str:
    """The ``repr`` of an object, whose own code may fail."""
    try:
        return repr(item)
    except Exception:
        return f"<{type(item).__name__}>"


def warn(message: str, kind: str = "") -> None:
    """Warn, in the name of the user's line; ``kind`` is an anchor on the page."""
    message += f" (see {PAGE}#{kind})" if kind else ""
    level, frame = 1, sys._getframe().f_back
    while frame is not None and is_internal[frame.f_code.co_filename]:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, RuntimeWarning, stacklevel=level + 1)


def caller(depth: int = 1) -> FrameType | None:
    """Return the nearest frame that is the user's (generated code is)."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and is_internal[frame.f_code.co_filename]:
        frame = frame.f_back
    return frame


def here(depth: int = 2) -> Where | None:
    """Where the user's code is now; the innermost ``depth`` frames are ours."""
    # As `caller`; written out, because it runs once for every operation on the tape.
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and is_internal[frame.f_code.co_filename]:
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)


@functools.lru_cache(maxsize=256)
def where_of(filename: str, line: int) -> Where:
    """A place that is known by its line only."""
    code = compile("\n" * (line - 1) + "pass", filename, "exec")
    return code, next(start for start, _, found in code.co_lines() if found == line)


def line_of(where: Where) -> tuple[str, int]:
    """The file and line of an instruction."""
    code, last = where
    starts, lines = _lines_of(code)
    return code.co_filename, lines[bisect.bisect_right(starts, last)]


@per_code
def _lines_of(code: CodeType) -> tuple[list[int], list[int]]:
    """Where the lines of a code start, and each line; before them, the first."""
    starts: list[int] = []
    lines = [line := code.co_firstlineno]
    for start, _, number in code.co_lines():
        if number is not None and number != line:
            line = number
            starts.append(start)
            lines.append(number)
    return starts, lines


def describe(where: Where | None) -> str:
    """``file.py:12: the source line``, as messages show it."""
    if where is None:
        return "<unknown place>"
    filename, line, text = source_at(where)
    return f"{full_name(filename)}:{line}" + (f": {text}" if text else "")


def short_name(filename: str) -> str:
    """A file without its folder, or the number of a cell, as comments name it.

    >>> short_name("/home/me/loss.py")
    'loss.py'
    """
    return cell_of(filename) or os.path.basename(filename)


def full_name(filename: str) -> str:
    """A file with its folder, or the number of a cell, as messages name it."""
    return cell_of(filename) or filename


def cell_of(filename: str) -> str:
    """``In[3]`` for a cell of a notebook, as IPython calls it; nothing for files."""
    ipython = sys.modules.get("IPython")
    try:
        shell: Any = ipython.get_ipython() if ipython else None
        label_and_name = shell.compile.format_code_name(filename)
    except AttributeError:  # no notebook, or an IPython that does not tell
        return ""
    return label_and_name[1] if label_and_name else ""


def source_at(where: Where) -> tuple[str, int, str]:
    """The file and line of an instruction, and what stands there."""
    filename, line = line_of(where)
    return filename, line, linecache.getline(filename, line).strip()


def is_item_update(code: CodeType, last: int) -> bool:
    """Whether an instruction is the ``+=`` of ``x[i] += v``: the next one stores it."""
    return last in _item_updates(code)


@per_code
def _item_updates(code: CodeType) -> frozenset[int]:
    found = set()
    update = None
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name.startswith("INPLACE_") or (
            name == "BINARY_OP" and instruction.argrepr.endswith("=")
        ):
            update = instruction.offset
        elif not name.startswith(("SWAP", "ROT_", "CACHE", "EXTENDED_ARG")):
            if update is not None and name in STORES:
                found.add(update)
            update = None
    return frozenset(found)


def stores_item(code: CodeType, last: int) -> bool:
    """Whether an instruction is the store of ``x[i] = v``."""
    return last in _item_stores(code)


@per_code
def _item_stores(code: CodeType) -> frozenset[int]:
    return frozenset(
        instruction.offset
        for instruction in dis.get_instructions(code)
        if instruction.opname in STORES
    )


@functools.lru_cache(maxsize=1024)
def formats_text(code: CodeType, last: int) -> bool:
    """Whether an instruction is the ``%`` of ``"%.3f" % v``."""
    return any(
        instruction.offset == last
        and (instruction.opname, instruction.argrepr)
        in (("BINARY_OP", "%"), ("BINARY_MODULO", ""))
        for instruction in dis.get_instructions(code)
    )


def add_note(error: BaseException, note: str, to_text: bool = True) -> None:
    """Add a line to what a traceback prints.

    The address of the page of errors stays the last one. Python 3.10 has no notes:
    there it goes ``to_text``, or nowhere.
    """
    if hasattr(error, "add_note"):
        error.add_note(note)
        _put_page_last(getattr(error, "__notes__", []))
    elif to_text and error.args and isinstance(error.args[0], str):
        lines = [*error.args[0].split("\n"), note]
        _put_page_last(lines)
        error.args = ("\n".join(lines), *error.args[1:])


def _put_page_last(notes: list[str]) -> None:
    if len(notes) > 1 and notes[-2].startswith(f"see {PAGE}"):
        notes[-2:] = reversed(notes[-2:])


def explained(error: E, *notes: str, kind: str = "") -> E:
    """An error of one sentence, with what else there is to say in notes behind it.

    Parameters
    ----------
    error : exception
        What has gone wrong, in a sentence.
    *notes : str
        Where that comes from, and what to do about it, a note each.
    kind : str
        The anchor on the page of errors; that of its class, if it has one.
    """
    kind = kind or KINDS.get(type(error), "")
    for note in filter(None, notes):
        add_note(error, note)
    if kind:
        add_note(error, f"see {PAGE}#{kind}")
    return error


def located(error: E, *notes: str, kind: str = "") -> E:
    """The same of an error that the user's line has met: that is the first note."""
    return explained(error, f"at {describe(here())}", *notes, kind=kind)
