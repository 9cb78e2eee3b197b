"""Runs of functions of the user's where nothing is compiled: of their followed copies.

>>> import math
>>> import srcgrad
>>> x = srcgrad.Variable(0.5, requires_grad=True)
>>> run(lambda x: math.sin(x), (x,), {}).value == math.sin(0.5)
True
"""

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from srcgrad.modes import state
from srcgrad.tape.variable import Variable
from srcgrad.tracing.following.follow import FOLLOWER
from srcgrad.tracing.following.leaving import LeftBehind


def run(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function's followed copy; what it returns is as the user knows it."""
    return run_copy(FOLLOWER.of(function), args, kwargs)


class Followed:
    """A function, and its followed copy for as long as the function is the same."""

    __slots__ = ("_code", "_copy", "_defaults", "_function", "_kwdefaults")

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._code: CodeType | None = None
        self._defaults: Any = None
        self._kwdefaults: Any = None
        self._copy: Any = None

    def run(self, args: Any, kwargs: Any) -> Any:
        """``run`` of the function."""
        function = self._function
        if (
            function.__code__ is not self._code
            or function.__defaults__ is not self._defaults
            or function.__kwdefaults__ is not self._kwdefaults
        ):
            self._copy = FOLLOWER.of(function)
            self._code = function.__code__
            self._defaults = function.__defaults__
            self._kwdefaults = function.__kwdefaults__
        return run_copy(self._copy, args, kwargs)


def run_copy(copy: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The same with the copy that there is."""
    before, depth = state.left_behind, state.depth
    left = LeftBehind()
    if depth or before is not None:
        left = LeftBehind.within(before, depth, (args, kwargs))
    state.left_behind = left
    try:
        result = copy(*args, **kwargs)
        # Nothing is asked of a result that is a Variable, as most are.
        if left.holders or type(result) is not Variable:
            result = left.result(result)
        return result
    finally:
        state.left_behind = before
        if left.holders or before is not None:
            left.settle()
