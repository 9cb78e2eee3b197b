"""The traces of functions that are not decorated: for transforms of these.

They belong to the function object, and go with it; those of a method are one for all
objects.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from srcgrad.tracing.callables import taken_apart
from srcgrad.tracing.traced import Target, Traced

# Where a function has them.
NAME = "__srcgrad_traces__"


class OwnTraces:
    """What a function carries; a copy of it, or a pickle, begins without.

    ``made`` are transforms of it that need not be made again.
    """

    def __init__(self, traced: Traced | None = None) -> None:
        self.traced = traced
        self.made: dict[Any, Any] = {}

    def __reduce__(self) -> Any:
        return OwnTraces, ()


def remembered(function: Callable[..., Any], make: Any, *options: Any) -> Any:
    """``make(function, *options)``, which a function of the user's keeps."""
    if type(function) is not FunctionType:
        return make(function, *options)
    own = vars(function).get(NAME)
    if own is None or own.traced is None or not own.traced.is_of(function):
        return make(function, *options)
    found = own.made.get((make, options))
    if found is None:
        found = own.made[make, options] = make(function, *options)
    return found


def target_of(function: Callable[..., Any]) -> Target | None:
    """Where the traces of a function are; None if there can be none.

    >>> def f(x):
    ...     return x * x
    >>> target_of(f).traced is target_of(f).traced
    True
    >>> print(target_of(len))
    None
    """
    if isinstance(function, Traced):
        return function.target
    try:
        inner, bound, keywords = taken_apart(function)
    except TypeError:
        return None
    own = vars(inner).get(NAME)
    traced = None if own is None else own.traced
    # `functools.wraps` hands it on to the wrapper, which is another function.
    if traced is None or not traced.is_of(inner):
        traced = Traced(inner, is_own=True)
        setattr(inner, NAME, OwnTraces(traced))
    return Target(traced, bound, keywords)
