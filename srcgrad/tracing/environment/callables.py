"""What ``trace`` is given: the Python function behind a callable."""

import functools
import inspect
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

# Something to call, and the arguments that it is given before others.
Apart = tuple[Any, tuple[Any, ...], dict[str, Any]]


def taken_apart(function: Callable[..., Any]) -> Apart:
    """The Python function behind a callable, and what is passed to it already.

    Raises
    ------
    TypeError
        If there is none, or it is of a kind that cannot be traced.
    """
    inner, bound, keywords = peeled(function)
    if is_transforming(inner):
        return calling(inner), bound, keywords
    if not isinstance(inner, FunctionType):
        bound = (inner, *bound)
    return _python_function(inner), bound, keywords


def is_transforming(function: Any) -> bool:
    """Whether it is a transform, or what one has given, and not traced itself."""
    is_one = is_ours(function) or getattr(function, "is_transform", False)
    return is_one and not is_traced(function)


def is_ours(value: Any) -> bool:
    """Whether it is a traced or transformed function, which can follow the tracer."""
    return callable(value) and hasattr(type(value), "followed_by")


def is_traced(function: Any) -> bool:
    """Whether a function has traces of its own already."""
    return getattr(type(function), "is_traced", False)


def calling(function: Any) -> FunctionType:
    """A Python function that calls something of ours: a transform, a ``custom_vjp``."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    name = getattr(function, "__name__", type(function).__name__)
    made: Any = call
    made.__name__ = made.__qualname__ = name
    made.__wrapped__, made.is_of_ours = function, True
    return made  # type: ignore[no-any-return]


def transform_called_by(function: FunctionType) -> Any:
    """What such a function calls; None for functions of the user's."""
    return function.__wrapped__ if hasattr(function, "is_of_ours") else None  # type: ignore[attr-defined]


def shown_for(function: FunctionType) -> FunctionType:
    """The function that the user knows, where it is one that calls something of ours.

    >>> def f(x):
    ...     return x
    >>> wraps_f = functools.wraps(f)(lambda x: x)
    >>> shown_for(calling(wraps_f)) is f, shown_for(wraps_f) is wraps_f
    (True, True)
    """
    inner = transform_called_by(function)
    found = function if inner is None else inspect.unwrap(inner)
    return found if isinstance(found, FunctionType) else function


def peeled(function: Callable[..., Any]) -> Apart:
    """What partials and bound methods are of, and the arguments that they hold.

    >>> peeled(functools.partial([].append, 1))[1]
    (1,)

    Raises
    ------
    TypeError
        For a partial with placeholders.
    """
    if isinstance(function, functools.partial):
        inner, bound, keywords = peeled(function.func)
        if any(arg is getattr(functools, "Placeholder", None) for arg in function.args):
            raise TypeError("trace takes no partial with placeholders")
        keywords = {**keywords, **function.keywords} if keywords else function.keywords
        return inner, bound + function.args, keywords
    if isinstance(function, MethodType):
        inner, bound, keywords = peeled(function.__func__)
        return inner, (*bound, function.__self__), keywords
    return function, (), {}


def _python_function(function: Callable[..., Any]) -> FunctionType:
    """The Python function that a callable is, or that its class calls."""
    if isinstance(function, type):
        raise TypeError(
            f"trace takes a function, not the class {function.__name__}: trace its "
            "methods instead"
        )
    if is_traced(function):
        raise TypeError(f"{function!r} is traced already")
    if isinstance(function, (staticmethod, classmethod, property)):
        raise TypeError(
            f"put @trace below @{type(function).__name__}, next to the function itself"
        )
    found: Any = function
    if not isinstance(found, (FunctionType, BuiltinFunctionType)):
        found = vars(type(found)).get("__call__")
    if not isinstance(found, FunctionType):
        advice = ": trace one that calls it" if callable(function) else ""
        raise TypeError(
            f"trace takes a function written in Python, but got {function!r}{advice}"
        )
    if inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
        raise TypeError(f"{found.__qualname__} is a generator: it cannot be traced")
    if inspect.iscoroutinefunction(found):
        raise TypeError(f"{found.__qualname__} is a coroutine: it cannot be traced")
    return found
