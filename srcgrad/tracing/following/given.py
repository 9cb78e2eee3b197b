"""What followed functions give to those that are not followed: a library's, mostly.

>>> import json
>>> with_numbers(json.dumps)([TracedArray.make(1.5, None)])
'[1.5]'
"""

from collections.abc import Callable
from typing import Any

from srcgrad.modes import state
from srcgrad.tape.ways import is_python_number
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.following.leaving import HOLDING_NOTHING


def with_contents(
    function: Callable[..., Any], take: Callable[[Any], Any]
) -> Callable[..., Any]:
    """A function that is given ndarrays and Variables for arrays of its caller's."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or not HOLDING_NOTHING.issuperset(map(type, args)):
            return function(*take(args), **take(kwargs))
        return function(*args)

    return call


def with_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that knows no Variables, and is given Python's numbers for theirs."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given: list[tuple[list[Any], list[Any]]] = []
        stood_for: dict[int, Any] = {}
        if state.recorder is None:
            args, kwargs = _numbers((args, kwargs), given, stood_for)
        result = function(*args, **kwargs)
        for items, changed in given:  # it may sort them, or shuffle them
            items[:] = [stood_for.get(id(each), each) for each in changed]
        return result

    return call


HOLDING_NUMBERS = frozenset({TracedArray, tuple, list, dict})


def _numbers(
    item: Any, given: list[tuple[list[Any], list[Any]]], stood_for: dict[int, Any]
) -> Any:
    """An argument with numbers for their stand-ins, in containers too.

    ``given`` gets the lists with what is given for them, ``stood_for`` the stand-ins.
    """
    kind = type(item)
    if kind is TracedArray and is_python_number(item):
        item._warn_of_loss()
        number = item.value * 1  # another object than any other
        stood_for[id(number)] = item
        return number
    if kind not in (tuple, list, dict):
        return item
    parts = [*item.values()] if kind is dict else item
    if HOLDING_NUMBERS.isdisjoint(map(type, parts)):
        return item
    found = [_numbers(each, given, stood_for) for each in parts]
    if all(new is old for new, old in zip(found, parts, strict=True)):
        return item
    if kind is list:
        given.append((item, found))
        return found
    return dict(zip(item, found, strict=True)) if kind is dict else tuple(found)
