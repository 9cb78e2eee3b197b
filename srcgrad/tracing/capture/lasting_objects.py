"""What may be kept as it is, beyond the call: code that was there before it.

A function that is defined inside runs the followed copy of the user's text, and what
it closes over stands for something else; so does what a method is bound to.

>>> [is_of_environment(each) for each in (len, Iterator, [2].append)]
[True, True, False]
"""

from collections.abc import Iterator
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.tracing.environment.containers import is_key
from srcgrad.tracing.environment.texts import is_live
from srcgrad.tracing.environment.trust import CODE
from srcgrad.tracing.user_code.copies import is_copied

NUMBER_TYPES = int, float, complex, np.generic
IMMUTABLE = (*NUMBER_TYPES, str, bytes, type(None), type(...), np.dtype, type)


def is_lasting(key: Any) -> bool:
    """Whether a key of a dict is the same at each call, whatever else is."""
    if isinstance(key, (tuple, frozenset)):
        return all(map(is_lasting, key))
    return is_key(key) or (
        isinstance(key, (*IMMUTABLE, *CODE)) and is_of_environment(key)
    )


def is_of_environment(item: Any) -> bool:
    """Whether a constant, a function or a class holds nothing that the call has made.

    Of constants that is known. What a method is bound to has to be looked at.
    """
    if isinstance(item, FunctionType):
        return not (is_copied(item.__code__) or any(map(is_live, _held_by(item))))
    if isinstance(item, BuiltinFunctionType):
        return isinstance(item.__self__, (type(None), ModuleType, type))
    if isinstance(item, type):
        parts = vars(item).values()
        functions = [part for part in parts if isinstance(part, FunctionType)]
        return not any(map(is_live, parts)) and all(map(is_of_environment, functions))
    return not isinstance(item, MethodType)


def _held_by(function: FunctionType) -> Iterator[Any]:
    """What a function closes over, and its defaults."""
    cells = [cell for cell in function.__closure__ or () if cell != CellType()]
    yield from (cell.cell_contents for cell in cells)
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()


def is_defined_in(item: Any, function: Any) -> bool:
    """Whether a method of an object, or of a class, is that of its class."""
    kind = item if isinstance(item, type) else type(item)
    members = [member for base in kind.__mro__ for member in vars(base).values()]
    return any(getattr(each, "__func__", each) is function for each in members)
