"""What leaves a followed function: ndarrays and Variables, not arrays of its own.

>>> h = OwnArray(np.zeros(2))
>>> left([h, (1.0, h)])
[array([0., 0.]), (1.0, array([0., 0.]))]
"""

from collections import deque
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.pytree import flatten, unflatten
from srcgrad.tracing.own_array import OwnArray, OwnView, contents

# What may hold such an array, in a container or an attribute.
HOLDERS = frozenset({OwnArray, OwnView, list, tuple, dict, deque, FunctionType})


def left(result: Any) -> Any:
    """A result with ndarrays or Variables for the arrays that a function has made.

    Lists, dicts and objects of the user's stay the same ones.
    """
    kind = type(result)
    if issubclass(kind, OwnArray):
        return result.content
    if issubclass(kind, (ArrayProtocol, np.ndarray, float)):
        return result
    result = _without_own(result, set())
    leaves, structure = flatten(result)
    for leaf in leaves:
        leave_in(leaf)
    if not any(issubclass(type(leaf), OwnArray) for leaf in leaves):
        return result
    return unflatten(structure, list(map(contents, leaves)))


def leave_in(holder: Any) -> None:
    """The same for what a function has stored into a container or an object."""
    _change(holder, {id(holder)})


def _without_own(item: Any, seen: set[int]) -> Any:
    if isinstance(item, OwnArray):
        return item.content
    if isinstance(item, tuple):
        parts = [_without_own(each, seen) for each in item]
        if all(new is old for new, old in zip(parts, item, strict=True)):
            return item
        kind: Any = type(item)
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    if isinstance(item, (list, dict, deque, FunctionType)) and id(item) not in seen:
        seen.add(id(item))
        _change(item, seen)
    return item


def _change(holder: Any, seen: set[int]) -> None:
    """Replace what a container or an object holds, without running code of its own."""
    members: Any
    store: Any
    if isinstance(holder, dict):
        members, store = holder.items(), dict.__setitem__
    elif isinstance(holder, (list, deque)):
        # A long list of numbers is looked through once, at C's speed.
        if HOLDERS.isdisjoint(map(type, holder)):
            return
        members = enumerate(holder)
        store = list.__setitem__ if isinstance(holder, list) else deque.__setitem__
    elif isinstance(holder, FunctionType):
        members, store = _cells(holder), _fill
    else:
        members, store = _attributes(holder), object.__setattr__
    for key, member in list(members):
        if type(member) in HOLDERS:
            new = _without_own(member, seen)
            if new is not member:
                store(holder, key, new)


def _cells(function: FunctionType) -> list[tuple[CellType, Any]]:
    """The cells of a function that is made inside, but those that are still empty."""
    cells = [cell for cell in function.__closure__ or () if cell != CellType()]
    return [(cell, cell.cell_contents) for cell in cells]


def _fill(function: FunctionType, cell: CellType, content: Any) -> None:
    cell.cell_contents = content


def _attributes(item: Any) -> Any:
    """The attributes of an object, without running code of its own."""
    if issubclass(type(item), (type, ModuleType)):
        return vars(item).items()
    slots = [
        (name, member.__get__(item))
        for kind in type(item).__mro__
        for name, member in vars(kind).items()
        if type(member) is SLOT and _is_set(member, item)
    ]
    try:
        return [*slots, *object.__getattribute__(item, "__dict__").items()]
    except AttributeError:
        return slots


def _is_set(member: Any, item: Any) -> bool:
    try:
        member.__get__(item)
    except AttributeError:
        return False
    return True


SLOT = type(OwnArray._content)  # type: ignore[misc]
