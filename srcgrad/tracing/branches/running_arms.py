"""``Arm``: an arm of an ``if`` that runs, and whether it has done more than compute."""

import sys
from collections.abc import Hashable, Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.protocols import ArrayProtocol
from srcgrad.tracing.branches.arm_writes import ArmWrites
from srcgrad.tracing.environment.callables import is_ours
from srcgrad.tracing.environment.draws import is_draw
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.environment.trust import is_pure
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.user_code.plain_text import is_plain_function

# What may be asked for an item in an arm: asking changes nothing.
WITH_ITEMS = (ArrayProtocol, np.ndarray, np.generic, list, tuple, dict, str)
NUMBERS = (bool, int, float, complex, np.generic, Symbolic)
# The methods of arrays that compute, and no more.
ARRAYS = (ArrayProtocol, np.ndarray, np.generic)
METHODS = frozenset(
    "all any argmax argmin astype clip conj copy cumprod cumsum diagonal dot flatten "
    "max mean min prod ravel repeat reshape round squeeze std sum take trace transpose "
    "var".split()
)


class Arm:
    """An arm that runs; ``is_plain`` while it has done nothing but compute.

    One that is tried may take so many steps, until their number is ``most``;
    ``is_of_ints``: for a test of integers, and it may ask for none itself.
    """

    def __init__(
        self, is_tried: bool, writer: GraphWriter, most: int, is_of_ints: bool = False
    ) -> None:
        self.is_tried, self._writer, self.most = is_tried, writer, most
        self.is_of_ints = is_of_ints
        self.is_plain = True
        self.why = ""
        self.writes = ArmWrites()

    def look_at_call(self, function: Any, args: Sequence[Any]) -> None:
        """A function is about to be called."""
        if self.is_tried and self._writer.count() > self.most:
            give_up("does too much to be tried: write `np.where(condition, a, b)`")
        own: Any = function.__func__ if isinstance(function, MethodType) else function
        is_plain = isinstance(own, FunctionType) and is_plain_function(own)
        if is_plain and self.is_tried and _runs(own):
            self.spoil(f"calls `{_name_of(function)}`, which is running: use a loop")
        if not is_plain and not _only_computes(function, args):
            self.spoil(_why_not(function))

    def look_at_change(self, item: Any) -> None:
        """``+=`` is about to be done to something."""
        if not is_number(item):
            self.spoil("changes an object in place: write `x = x + y` for `x += y`")

    def look_at_item(self, item: Any) -> None:
        """An object is about to be asked for an item."""
        if not isinstance(item, WITH_ITEMS):
            kind = type(item).__name__
            self.spoil(f"takes an item of a {kind}: take it before the `if`")

    def spoil(self, why: str) -> None:
        """It is about to do more."""
        if self.is_tried:
            self.why = self.why or why
            give_up("tries what it must not")
        self.is_plain, self.why = False, self.why or why


def is_number(item: Any) -> bool:
    """Whether ``+=`` makes another one of it."""
    if isinstance(item, ArrayProtocol):
        return not isinstance(item.value, np.ndarray)
    return isinstance(item, NUMBERS)


# Python's own that look at what something is.
ASKING = frozenset({isinstance, issubclass, hasattr, getattr, callable, type, id, len})


def _why_not(function: Any) -> str:
    """Why an arm may not call a function."""
    name = _name_of(function)
    if isinstance(function, Hashable) and function in ASKING:
        return f"asks `{name}`: ask before the `if`, and keep the answer in a name"
    return f"calls `{name}`, which may do more than compute: call it before the `if`"


def _name_of(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


def _runs(function: FunctionType) -> bool:
    """Whether a function is running, or a copy of it."""
    code = function.__code__
    name = code.co_filename, code.co_name
    frame: Any = sys._getframe(1)
    while frame is not None:
        if (frame.f_code.co_filename, frame.f_code.co_name) == name:
            return True
        frame = frame.f_back
    return False


def _only_computes(function: Any, args: Sequence[Any]) -> bool:
    if isinstance(getattr(function, "__self__", None), ARRAYS):
        # An array that comes after the first argument may be to be written into.
        is_filled = any(isinstance(arg, ARRAYS[:2]) for arg in args[1:])
        return function.__name__ in METHODS and not is_filled
    if not isinstance(getattr(function, "__self__", None), (ModuleType, type(None))):
        return False
    if isinstance(function, FunctionType) and is_ours(function):
        return False
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        return False  # the last one is changed
    if function is next or any(hasattr(arg, "__next__") for arg in args):
        return False
    known = facts_of(function)
    is_plain = is_pure(function) and not (known.effect or known.calls)
    return is_plain and not is_draw(function)
