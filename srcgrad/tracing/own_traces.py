"""The traces of functions that are not decorated: for transforms of these.

They belong to the function object, and go with it; those of a method are one for all
objects.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from srcgrad.tracing.environment.callables import calling, is_ours, peeled, taken_apart
from srcgrad.tracing.traced import Target, Traced

# Where a function has them.
NAME = "__srcgrad_traces__"


class OwnTraces:
    """What a function carries; a copy of it, or a pickle, begins without.

    ``made`` are transforms of it that need not be made again.
    """

    def __init__(self, traced: Traced[..., Any] | None = None) -> None:
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
    try:
        inner, bound, keywords = peeled(function)
        if isinstance(inner, Traced):
            own, first, given = inner.target
            return Target(own, (*first, *bound), {**given, **keywords})
        if is_ours(inner):
            inner = _calling(inner)
        inner, first, _ = taken_apart(inner)
    except TypeError:
        return None
    return Target(_own(inner), (*first, *bound), keywords)


def _own(function: FunctionType) -> Traced[..., Any]:
    """The traces of a function, which it carries."""
    found = vars(function).get(NAME)
    traced = None if found is None else found.traced
    # `functools.wraps` hands it on to the wrapper, which is another function.
    if traced is None or not traced.is_of(function):
        traced = Traced(function, is_own=True)
        setattr(function, NAME, OwnTraces(traced))
    return traced


def _calling(function: Any) -> Callable[..., Any]:
    """A function that calls something of ours, whose copy is another such thing."""
    own = vars(function).setdefault(NAME, OwnTraces())
    key = _calling, id(function)  # a copy has the same `own`
    if key not in own.made:
        own.made[key] = calling(function)
    return own.made[key]  # type: ignore[no-any-return]
