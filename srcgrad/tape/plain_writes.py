"""Writes into plain arrays, which have no version that tells of them.

A followed function notes them here, and a backward pass looks whether a node that was
made before has saved what was written.

>>> a = np.zeros(4)
>>> note(a[1:3])
>>> is_written(a[2:], -1), is_written(a[3:], -1)
(True, False)
>>> is_written(a, next_order())  # saved after the write
False
"""

import functools
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.exceptions import TooHardError
from numpy.lib.array_utils import byte_bounds

from srcgrad.errors import InplaceError, Where, describe, explained, here, located
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, first_variable, raw_of
from srcgrad.tape.function import Function, has_edge, next_order
from srcgrad.tape.overwritten import ENOUGH_WORK, region

Array = np.ndarray[Any, Any]
# How many regions of one array are told apart: each look goes through all of them.
MOST_REGIONS = 4096
# What stands in slices whose parts are numbers of Python's.
PLAIN_PARTS = frozenset({int, type(None)})


class Write(NamedTuple):
    """The last write to some elements: when it came, and from which line.

    They are held by their address alone, which keeps no array alive.
    """

    order: int
    where: Where | None
    elements: dict[str, Any]
    low: int
    high: int

    def touches(self, array: Array, owner: Array) -> bool:
        """Whether an array in the owner's memory has an element of these."""
        low, high = byte_bounds(array)
        if high <= self.low or self.high <= low:
            return False
        return _share(array, np.asarray(_At(self.elements)))


class WriteAt(NamedTuple):
    """The same to what lies at an index of the array that has the memory.

    It is noted in a fraction of the time.
    """

    order: int
    where: Where | None
    index: Any
    shape: tuple[int, ...]

    def touches(self, array: Array, owner: Array) -> bool:
        """Whether an array in the owner's memory has an element of these."""
        # Since then the owner may have got another shape.
        is_same = owner.shape == self.shape
        return _share(array, region(owner, self.index)[0] if is_same else owner)


def _share(array: Array, written: Array) -> bool:
    try:
        # NumPy's stubs know no number but -1 and 0.
        return np.shares_memory(array, written, ENOUGH_WORK)  # type: ignore[arg-type]
    except TooHardError:
        return True


class _At:
    def __init__(self, elements: dict[str, Any]) -> None:
        self.__array_interface__ = elements


# By the array that has the memory: its identity, and how the elements lie in it.
Noted = dict[int, tuple[weakref.ref[Array], dict[Any, Write | WriteAt]]]
NOTED: Noted = {}


def note(array: Array) -> None:
    """Note that all elements of a plain array have been written."""
    owner = _owner(array)
    writes = _writes_into(owner)
    if len(writes) >= MOST_REGIONS:  # no longer told apart: all of it is written
        writes.clear()
        array = owner
    lies = array.__array_interface__
    place = lies["data"], array.shape, array.strides, lies["typestr"]
    writes[place] = Write(next_order(), here(), lies, *byte_bounds(array))


def note_at(array: Array, index: Any) -> None:
    """The same of what lies at an index."""
    key = _key_of(index) if array.base is None else None
    if key is not None:
        writes = _writes_into(array)
        if len(writes) < MOST_REGIONS:
            shape = array.shape
            writes[key, shape] = WriteAt(next_order(), here(), index, shape)
            return
    note(region(array, index)[0])


def _key_of(index: Any) -> Any:
    """What tells an index from others; None if it is none of the plain ones."""
    kind = type(index)
    if kind is int:
        return index
    if kind is slice:
        parts = index.start, index.stop, index.step
        return (slice, *parts) if PLAIN_PARTS.issuperset(map(type, parts)) else None
    is_of_ints = kind is tuple and {int}.issuperset(map(type, index))
    return index if is_of_ints else None


def _writes_into(owner: Array) -> dict[Any, Write | WriteAt]:
    known = NOTED.get(id(owner))
    if known is None or known[0]() is not owner:
        number = id(owner)
        reference = weakref.ref(owner, functools.partial(_forget, NOTED, number))
        known = NOTED[number] = reference, {}
    return known[1]


def note_all(items: Iterable[Any]) -> None:
    """The same of those among some things that are plain arrays."""
    for item in items:
        if type(item) is np.ndarray:
            note(item)


class Written:
    """Stands for an array where an element of it is stored: ``a[1] = v``.

    So it does for a list or a dict of arrays, in ``arrays[0] += v``.
    """

    __slots__ = ("_item", "_part")

    def __init__(self, item: Any) -> None:
        self._item = item
        self._part: Any = None

    def __getitem__(self, index: Any) -> Any:
        self._part = self._item[index]
        return self._part

    def __setitem__(self, index: Any, value: Any) -> None:
        item = self._item
        if type(item) is np.ndarray:
            if type(value) is float:  # as many are
                item[index] = value
            else:
                _store(item, index, value)
            note_at(item, index)
            return
        item[index] = value
        if value is self._part and type(value) is np.ndarray:
            note(value)


def _store(item: Array, index: Any, value: Any) -> None:
    """Store into a plain array, where no gradient flows."""
    variable = first_variable(value)
    if variable is None or not has_edge(variable) or not state.grad_enabled:
        item[index] = raw_of(value) if isinstance(value, ArrayProtocol) else value
        return
    kind: type[Exception] = TypeError
    try:
        np.array(item)[index] = value
    except (TypeError, ValueError) as error:
        kind = type(error)
    raise located(
        kind("a Variable that requires grad is stored into an array from outside"),
        "its gradient would be lost: store `srcgrad.stop_gradient(...)` of it, if "
        "nothing is computed from it there; else make the array in the function, "
        "or put a new one in its place",
        kind="lost-gradient",
    )


def is_written(array: Array, order: int) -> bool:
    """Whether an array was written into since a node of that number was made."""
    return _write_into(array, order) is not None


def check(saved: Any, node: Function) -> None:
    """Raise if a plain array that a node has saved was written into since.

    Raises
    ------
    InplaceError
        Naming both places.
    """
    for array in _arrays_in(saved):
        write = _write_into(array, node.order)
        if write is not None:
            raise explained(
                InplaceError(
                    "an array that is needed for the backward pass has been written "
                    "into since, and its old content is gone"
                ),
                f"{node.name()} needs it, at {describe(node.where)}",
                f"it was written into at {describe(write.where)}",
                "write into a copy, or put a new array in its place (`a = a + b` for "
                "`a += b`)",
            )


def _write_into(array: Array, order: int) -> Write | WriteAt | None:
    owner = _owner(array)
    known = NOTED.get(id(owner))
    if known is None:
        return None
    for write in [*known[1].values()]:
        if write.order > order and write.touches(array, owner):
            return write
    return None


def _forget(noted: Noted, number: int, gone: Any) -> None:
    # As the interpreter ends, this module may have lost its names before its arrays.
    known = noted.get(number)
    if known is not None and known[0] is gone:
        del noted[number]


def _owner(array: Array) -> Array:
    """The last array in the chain of views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _arrays_in(item: Any) -> Iterator[Array]:
    if isinstance(item, (tuple, list)):
        for each in item:
            yield from _arrays_in(each)
    elif isinstance(item, np.ndarray):
        yield item
