"""Functions with others in the place of the Variables that they hold.

What leads to a Variable is copied, so nobody else sees the others. What a call changes
of the copies is put into the user's objects afterwards, as if they had been called.

>>> import srcgrad
>>> decay = {"rate": srcgrad.Variable(2.0, requires_grad=True)}
>>> def slope(t, y):
...     decay["calls"] = decay.get("calls", 0) + 1
...     return -decay["rate"] * y
>>> refilling = Refilling(slope, lambda variable: 3.0)
>>> refilling.function(0.0, 1.0)
-3.0
>>> refilling.settle()
>>> decay["calls"], decay["rate"].item()
(1, 2.0)
"""

import copy
import functools
from collections import deque
from collections.abc import Callable
from types import CellType, FunctionType, MethodType
from typing import Any

from srcgrad.scipy.holdings import (
    Holdings,
    attributes_of,
    is_empty,
    is_object,
    names_in,
    slots_of,
    stores_globals,
)
from srcgrad.tape.function import sequence_like

Swap = Callable[[Any], Any]


class Refilling:
    """A function with other values for its Variables: ``function``.

    Parameters
    ----------
    function : callable, or containers of these
        The user's.
    swap : callable
        What stands for a Variable.
    """

    def __init__(self, function: Any, swap: Swap) -> None:
        self._swap = swap
        self._holdings = Holdings(function)
        self._new: dict[int, Any] = {}
        # What the copies hold: what it stands for, by id, and what is kept for that.
        self._old: dict[int, Any] = {}
        self._kept: list[Any] = []
        # The user's objects, their copies, and what these held in the beginning.
        self._copies: list[tuple[Any, Any, Any]] = []
        # Globals, and which of them are bound anew.
        self._spaces: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        self._stored: set[int] = set()
        self.function = self._of(function)
        for place in self._stored:
            around, space = self._spaces[place]
            self._copies.append((around, space, dict(space)))

    def settle(self) -> None:
        """Put what a call has changed of the copies into the user's objects."""
        for original, new, put in self._copies:
            now = content_of(new)
            if differs(now, put):
                store(original, put, now, lambda item: self._old.get(id(item), item))

    def _of(self, item: Any) -> Any:
        is_variable = id(item) in self._holdings.variables
        if not is_variable and id(item) not in self._holdings.holders:
            return item
        if id(item) not in self._new:
            new = self._swap(item) if is_variable else self._made(item)
            self._new[id(item)] = new
            self._old[id(new)] = item
            self._kept.append(new)
        return self._new[id(item)]

    def _made(self, item: Any) -> Any:
        if isinstance(item, functools.partial):
            args, keywords = self._of(item.args), self._of(item.keywords)
            return functools.partial(self._of(item.func), *args, **keywords)
        if isinstance(item, FunctionType):
            return self._function(item)
        if isinstance(item, MethodType):
            return MethodType(self._of(item.__func__), self._of(item.__self__))
        if isinstance(item, tuple):
            return sequence_like(item, list(map(self._of, item)))
        return self._copy(item)

    def _copy(self, item: Any) -> Any:
        """What may lead to itself: it is known before what it holds."""
        kind: Any = type(item)
        if kind is CellType:
            new: Any = CellType()
        elif is_object(kind):
            new = object.__new__(kind)
        else:
            new = copy.copy(item)
        self._new[id(item)] = new
        fill(new, {key: self._of(each) for key, each in content_of(item).items()})
        self._copies.append((item, new, content_of(new)))
        return new

    def _function(self, function: FunctionType) -> Any:
        """The same code, with other cells, defaults and globals."""
        defaults = self._of(function.__defaults__)
        cells = tuple(map(self._of, function.__closure__ or ()))
        if id(function) in self._new:  # one of them has led here
            return self._new[id(function)]
        code, around = function.__code__, function.__globals__
        _, space = self._spaces.setdefault(id(around), (around, dict(around)))
        made = FunctionType(code, space, function.__name__, defaults, cells or None)
        self._new[id(function)] = made
        made.__kwdefaults__ = self._of(function.__kwdefaults__)
        if stores_globals(code):
            self._stored.add(id(around))
        for name in names_in(code):
            if name in around:
                space[name] = self._of(around[name])
        return functools.wraps(function)(made)


def content_of(item: Any) -> dict[Any, Any]:
    """What a container, cell or object holds, by keys."""
    if isinstance(item, dict):
        return dict(item)
    if isinstance(item, (list, deque)):
        return dict(enumerate(item))
    if isinstance(item, CellType):
        return {} if is_empty(item) else {"": item.cell_contents}
    return attributes_of(item)


def fill(item: Any, content: dict[Any, Any]) -> None:
    """Put content into one that has other values under the same keys, or none."""
    if isinstance(item, CellType):
        for value in content.values():
            item.cell_contents = value
    elif isinstance(item, (dict, list, deque)):
        for key, value in content.items():
            item[key] = value
    else:
        for name, value in content.items():
            set_attribute(item, name, value)


def set_attribute(item: Any, name: str, value: Any) -> None:
    """Bind an attribute; no code of its class runs."""
    slot = dict(slots_of(type(item))).get(name)
    if slot is None:
        object.__getattribute__(item, "__dict__")[name] = value
    else:
        slot.__set__(item, value)


def differs(now: dict[Any, Any], put: dict[Any, Any]) -> bool:
    return list(now) != list(put) or any(now[key] is not put[key] for key in put)


def store(
    item: Any, put: dict[Any, Any], now: dict[Any, Any], old: Callable[[Any], Any]
) -> None:
    """Do to one of the user's what has made ``now`` of ``put``."""
    changed = {key: old(now[key]) for key in now if now[key] is not put.get(key, now)}
    if isinstance(item, (list, deque)):
        values = list(map(old, now.values()))
        item.clear()
        item.extend(values)
    elif isinstance(item, dict):
        for key in put.keys() - now.keys():
            item.pop(key, None)
        item.update(changed)
        if list(item) != list(now):
            content = {key: item[key] for key in now if key in item}
            item.clear()
            item.update(content)
    elif isinstance(item, CellType):
        fill(item, changed)
        if not now:
            del item.cell_contents
    else:
        fill(item, changed)
        for name in put.keys() - now.keys():
            object.__delattr__(item, name)
