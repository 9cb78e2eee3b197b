"""``Lengths``: those of arrays among the arguments, as they change from call to call.

As long as a function asks for nothing but the length of such an array, and for single
elements or rows, the length is an integer that changes, like an argument that is one
(``changing_ints``). Any other use closes it: the trace is for this length alone. What
becomes of it in the graph is looked at when that is made: ``transforms.lengths``.

>>> from srcgrad.tracing.outside import Outside
>>> lengths, outside, x = Lengths(id), Outside(), np.ones(5)
>>> lengths.open(x, Argument("x", 0), outside)
>>> lengths.item(x, 2), lengths.item(x, -1), lengths.of(x).place.text
(None, None, 'len(x)')
>>> _ = lengths.finish([])
>>> lengths.close(x)
>>> [condition.text for condition in outside.conditions]
['`len(x)` was more than 3', '`len(x)` was 5']
"""

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten
from srcgrad.steps import Node, Step, Value
from srcgrad.tracing import conditions
from srcgrad.tracing.changing_ints import FollowedInt
from srcgrad.tracing.loop_indices import LoopIndex
from srcgrad.tracing.places import Argument, Formula, Place
from srcgrad.transforms.lengths import is_element

# Shorter ones are broadcast, or are skipped by loops.
SHORTEST = 2

ARRAYS = ArrayProtocol, np.ndarray

CALLED = FunctionType, MethodType, functools.partial

# What may be asked of an array without a look at its length.
PLAIN = frozenset({"ndim", "dtype", "requires_grad", "itemsize"})


@dataclass(slots=True)
class Length:
    """That of the array at a place.

    ``far`` and ``back`` are how far indices have gone that are no matter of a length.
    """

    place: Argument
    number: FollowedInt
    reads: Any
    far: int = 0
    back: int = 0


class Lengths:
    """The lengths that are open, by what ``find`` knows an array by."""

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self._find = find
        self._open: dict[Any, Length] = {}

    def __bool__(self) -> bool:
        return bool(self._open)

    def open(self, item: Any, place: Argument, reads: Any) -> None:
        """Let an array be of any length, if it is an array of some."""
        raw = raw_of(item)
        if isinstance(raw, np.ndarray) and raw.ndim and len(raw) >= SHORTEST:
            length = Formula("len({})", place)
            length.hint = f"len_{place.hint}"
            number = FollowedInt(length, len(raw), reads)
            self._open[self._find(item)] = Length(place, number, reads)

    def _found(self, item: Any) -> Length | None:
        if not self._open or not isinstance(item, ARRAYS):
            return None
        return self._open.get(self._find(item))

    # ----- What is asked -----

    def of(self, item: Any) -> FollowedInt | None:
        """The length of an array, if it is open."""
        found = self._found(item)
        return None if found is None else found.number

    def has(self, items: Iterable[Any]) -> bool:
        """Whether some arrays all are of open lengths."""
        return all(self.of(item) is not None for item in items)

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name``, where it tells of the length; None: it does not."""
        found = self._found(item)
        if found is None or name in PLAIN:
            return None
        if name == "shape":
            return (found.number, *item.shape[1:])
        if name == "size" and item.ndim == 1:
            return found.number
        self.close(item)
        return None

    def item(self, item: Any, index: Any) -> None:
        """Take note of ``item[index]``."""
        found = self._found(item)
        if found is None:
            return
        first = index[0] if type(index) is tuple and index else index
        if isinstance(first, LoopIndex):
            # With a start that changes, it is computed in the graph.
            if first.base is None and not self._runs_along(found, first):
                self._note(found, first.value)
        elif type(first) is int or isinstance(first, np.integer):
            self._note(found, int(first))
        elif type(first) is FollowedInt:
            if _root(first.place) is not found.place:
                self._note(found, first.value)
        elif isinstance(first, FollowedInt):
            pass  # it counts in the graph
        elif not _is_number(first):
            self.close(item)

    def are_one(self, items: Sequence[Any]) -> bool:
        """Whether some arrays are as long as each other, at other calls too."""
        first, *others = [self._open[self._find(item)] for item in items]
        if any(each.number.value != first.number.value for each in others):
            return False
        for each in others:
            self._are_equal(first, each)
        return True

    def _are_equal(self, one: Length, other: Length) -> None:
        if one is not other:
            both = one.number.place, other.number.place
            one.reads.require(conditions.are_equal(*both))

    def _note(self, length: Length, index: int) -> None:
        if index < 0:
            length.back = max(length.back, -index)
        else:
            length.far = max(length.far, index + 1)

    def _runs_along(self, length: Length, index: LoopIndex) -> bool:
        """Whether a loop is as long as an array, or another one of the same length."""
        counts = index.numbers.length
        root = None if counts is None else _root(counts.place)
        if root is None:
            return False
        if root is length.place:
            return True
        other = next((o for o in self._open.values() if o.place is root), None)
        if other is None or other.number.value != length.number.value:
            return False
        self._are_equal(other, length)
        return True

    # ----- Closing -----

    def finish(self, steps: Iterable[Step]) -> dict[Any, Place]:
        """Where the lengths are that are still open when all steps are known."""
        for step in steps:
            for key in self._open.keys() & set(step.inputs):
                if not _takes_item(step, key):
                    self._close(key)
        for each in self._open.values():
            if each.far + each.back:
                place, bound = each.number.place, each.far + each.back - 1
                each.reads.require(conditions.is_more_than(place, bound))
        return {key: each.number.place for key, each in self._open.items()}

    def close(self, item: Any) -> None:
        """The trace is for this length of an array alone."""
        if self._found(item) is not None:
            self._close(self._find(item))

    def _close(self, key: Any) -> None:
        length = self._open.pop(key)
        length.reads.require(
            conditions.equals(length.number.place, length.number.value)
        )

    def close_in(self, items: Iterable[Any]) -> None:
        """The same of all arrays in some arguments, wherever they are.

        A function may know any: who knows what calls it.
        """
        for item in flatten([*items])[0] if self._open else ():
            self.close(item)
            if isinstance(item, CALLED):
                for key in [*self._open]:
                    self._close(key)


def _takes_item(step: Step, value: Value) -> bool:
    if not isinstance(step, Node) or step.function is not operator.getitem:
        return False
    return (
        step.args[0] is value
        and step.inputs.count(value) == 1
        and is_element(step.args[1])
    )


def _root(place: Place | None) -> Place | None:
    while place is not None and place.parent is not None:
        place = place.parent
    return place


def _is_number(index: Any) -> bool:
    """Whether an index is an integer in the graph."""
    is_array = isinstance(index, ArrayProtocol)
    return is_array and isinstance(raw_of(index), (int, np.integer))
