"""``Handing``: functions of the user's that a recorded function hands to others.

>>> import functools
>>> is_partial = isinstance(_copied(abs, max, 1.0), functools.partial)
>>> is_partial, _copied(abs, max, 1.0)(2.0)
(True, 2.0)
"""

import functools
from types import FunctionType, MethodType
from typing import Any

from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.environment.callables import is_ours
from srcgrad.tracing.environment.objects import is_looked_into
from srcgrad.tracing.environment.trust import is_pure, is_users
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.user_code.instrument import is_instrumented


class Handing:
    """What stands for the functions that go to a library, or to a transform."""

    def __init__(self, context: Context) -> None:
        self._context, self._reads = context, context.reads

    def followed(self, arg: Any) -> Any:
        """The instrumented copy of a function that is handed to another."""
        if is_ours(arg):
            return arg.followed_by(self.within)
        if isinstance(arg, FunctionType) and not is_instrumented(arg) and is_users(arg):
            return self._reads.instrumented(arg)
        if isinstance(arg, MethodType) and isinstance(arg.__func__, FunctionType):
            original = self._reads.original_of(arg)
            return _copied(original, self.followed(arg.__func__), arg.__self__)
        is_partial = isinstance(arg, functools.partial) and not self.is_copied(arg)
        if is_partial or self._is_object_to_call(arg):
            original = self._reads.original_of(arg)
            return _copied(original, self._context.call, self._reads.seen.seen_of(arg))
        return arg

    def _is_object_to_call(self, arg: Any) -> bool:
        """Whether it is an object of the user's that is followed where it is called."""
        is_followed = self._reads.twins.is_own(arg) or is_looked_into(arg)
        return is_followed and callable(arg)

    def is_copied(self, function: Any) -> bool:
        """Whether what it does is followed."""
        if isinstance(function, functools.partial):
            function = function.func
        return function is self._context.call or is_instrumented(function)

    def within(self, function: Any) -> Any:
        """The copy of the function that a transform is of, or a trace."""
        copy = self.followed(function)
        inner = getattr(copy, "func", copy)
        if not (self.is_copied(copy) or is_ours(inner) or is_pure(inner)):
            give_up(f"transforms {function!r}, which is not followed")
        return copy


def _copied(original: Any, function: Any, first: Any) -> Any:
    """What is called instead of something while a function is traced."""
    made = functools.partial(function, first)
    made.copied_from = lambda: original  # type: ignore[attr-defined]
    return made
