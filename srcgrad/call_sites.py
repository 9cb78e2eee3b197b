"""Call sites: what the user's code is about to call, as far as its bytecode tells.

NumPy's protocols hide some arguments: the ``initial`` of ``np.add.reduce``, what is put
into an ndarray. There a Variable is asked for its number by C code, as it is by
``float(v)``; and only what is called tells the two apart.
"""

import builtins
import dis
import functools
import inspect
import sys
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

import numpy as np

from srcgrad.errors import NUMPY, PACKAGE, stores_item

UNKNOWN_CALL = object()
FOLLOWER_NAME = "__srcgrad__"  # the name of it in followed copies
ROOTS = ("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
# What comes between the arguments and the call.
PREPARATIONS = ("PRECALL", "KW_NAMES")


def gives_to_numpy(depth: int) -> bool:
    """Whether it is, or may be, NumPy that asks for a number, and not the user.

    The innermost ``depth`` frames are those of the answer. Others of our own hand on
    what the user calls; there that is called by its name too.
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if frame.f_code.co_filename.startswith(NUMPY):
            return True
        where = frame.f_code, frame.f_lasti
        path = path_called(*where)
        found = UNKNOWN_CALL if path is None else _found(path, frame)
        if found is not UNKNOWN_CALL:
            return _is_numpys(found)
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return path is not None or stores_item(*where)
        frame = frame.f_back
    return False


@functools.lru_cache(maxsize=1024)
def path_called(code: CodeType, last: int) -> tuple[str, ...] | None:
    """The name, and the attributes of it, that an instruction calls.

    Nothing, if it is the result of something else; None, if it is no call.
    """
    *before, call = [
        instruction
        for instruction in dis.get_instructions(code)
        if instruction.offset <= last and instruction.opname != "CACHE"
    ]
    # What lies on the stack above the function: the arguments, the keywords' names.
    above = call.arg
    if call.opname == "CALL_FUNCTION_EX":  # a sequence, a dict: always, from 3.14 on
        above = 2 if above is None else 1 + (above & 1)
    if not call.opname.startswith("CALL") or above is None:
        return None
    above += call.opname.endswith("_KW")
    _drop(before, PREPARATIONS)
    while above > 0 and before:
        argument = before.pop()
        above -= dis.stack_effect(argument.opcode, argument.arg, jump=False)
    if above:  # there are jumps among them
        return ()
    _drop(before, ("PUSH_NULL",))
    if before and before[-1].opname.startswith("CALL") and before[-1].arg == 1:
        before.pop()
        _drop(before, PREPARATIONS)
        path = _path_at_end(before)
        # `__srcgrad__.of(path)(...)`: a followed copy calls what the user does.
        return path if _path_at_end(before) == (FOLLOWER_NAME, "of") else ()
    return _path_at_end(before)


def _drop(instructions: list[dis.Instruction], names: Sequence[str]) -> None:
    """Take away instructions at the end that have one of some names."""
    while instructions and instructions[-1].opname in names:
        instructions.pop()


def _path_at_end(instructions: list[dis.Instruction]) -> tuple[str, ...]:
    """Take away the instructions that load a name, and attributes of it: the path."""
    path: list[str] = []
    while instructions and instructions[-1].opname in ATTRIBUTES:
        path.insert(0, instructions.pop().argval)
    if not instructions or not instructions[-1].opname.startswith(ROOTS):
        return ()
    root = instructions.pop().argval
    root = root[-1] if isinstance(root, tuple) else root  # two names are loaded at once
    return (root, *path) if isinstance(root, str) else ()


def _found(path: tuple[str, ...], frame: FrameType) -> Any:
    """What is at the end of a path, without running code on the way."""
    if not path:
        return UNKNOWN_CALL
    root, *attributes = path
    spaces = (frame.f_locals, frame.f_globals, vars(builtins))
    found = next((space[root] for space in spaces if root in space), UNKNOWN_CALL)
    for name in attributes:
        found = inspect.getattr_static(found, name, UNKNOWN_CALL)
    return UNKNOWN_CALL if isinstance(found, property) else found


def _is_numpys(function: Any) -> bool:
    """Whether a function is one of NumPy's in C, other than ``np.float64``."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, type):
        return not issubclass(function, np.generic) and _is_in_numpy(function)
    owner = getattr(function, "__self__", None)
    of_class = getattr(function, "__objclass__", None)
    if isinstance(owner, (np.ufunc, np.ndarray)) or _is_in_numpy(of_class):
        return True
    return _is_in_numpy(function)


def _is_in_numpy(item: Any) -> bool:
    module = getattr(item, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] == "numpy"
