"""Exported modules, run and called."""

import inspect
import itertools
import linecache
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

_numbers = itertools.count(1)


def loaded(path: Path) -> ModuleType:
    """A module in a file, run anew: it may have been edited."""
    module = ModuleType(f"{path.stem}_{next(_numbers)}")
    module.__file__ = str(path)
    text = path.read_text(encoding="utf-8")
    linecache.checkcache(str(path))
    exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))
    return module


def called(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    """What a function gives for values of its parameters, in order.

    >>> called(lambda x, *xs, k: (x, xs, k), [1, (2, 3), 4])
    (1, (2, 3), 4)
    """
    args, kwargs = call_of(function, values)
    return function(*args, **kwargs)


def call_of(
    function: Callable[..., Any], values: Sequence[Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of such a call, by position and by name."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    parameters = inspect.signature(function).parameters.values()
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += value
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs |= value
        elif parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[parameter.name] = value
        else:
            args.append(value)
    return args, kwargs
