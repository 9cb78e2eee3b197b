"""``ArmWrites``: what an arm of an ``if`` writes into arrays and lists from before it.

Each arm begins with what was there; what the one that is tried writes is taken back.
What either arm has written is one more result of the branch: an element, if it is known
which, or the whole array. It is written when the branch is over, whichever arm ran:
``h[i] = a if test else h[i]``.

>>> writes = ArmWrites()
>>> h = FunctionalArray(np.zeros(3))
>>> later = ArmWrites()
>>> writes.may_write(h, 0), later.may_write(h, 0), len(writes.found), len(later.found)
(True, True, 0, 1)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.loop_indices import LoopIndex
from srcgrad.tracing.environment.symbolic import Symbolic

FLOAT = np.dtype(float)
# With more elements, the array is written as a whole.
MOST = 8
# What has been written is read back.
UNKNOWN: Any = object()


@dataclass(slots=True, eq=False)
class Written:
    """An array into which an arm writes: what was in it ``before``, and is ``after``.

    ``elements`` are those that it writes, with their indices; None if it writes more.
    """

    own: Any
    before: Any
    after: Any = None
    elements: dict[Any, tuple[Any, Any]] | None = field(default_factory=dict)

    def note(self, index: Any, value: Any) -> None:
        """Note that something is written; an index of None is more than an element."""
        if type(self.own) is list:
            assert self.elements is not None
            self.elements[index % len(self.own)] = index, value
            return
        if self.elements is not None and index is not None:
            pairs = zip(_parts(index), self.own.shape, strict=True)
            key = tuple([number % size for number, size in pairs])
            self.elements[key] = index, _as_element(value, self.own.dtype)
        if index is None or len(self.elements or ()) > MOST:
            self.elements = None

    def ends(self) -> None:
        """The arm has ended: what it has left there."""
        if type(self.own) is list:
            return
        self.after = self.own.content
        for key, (index, value) in (self.elements or {}).items():
            if value is UNKNOWN:
                assert self.elements is not None
                self.elements[key] = index, self.after[index]

    def take_back(self) -> None:
        """Have what was there before."""
        if type(self.own) is list:
            self.own[:] = self.before
        else:
            self.own.replace(self.before)


class ArmWrites:
    """The arrays that were there before an arm began, and that it writes into."""

    def __init__(self) -> None:
        # What is made from now on is the arm's own.
        self._since = FunctionalArray(None).number
        self.found: dict[int, Written] = {}

    def may_write(self, item: Any, index: Any) -> bool:
        """Whether something is an array, or list, of which a write can be taken back.

        An array is computed from now on, if it was a constant until now.
        """
        if type(item) is list and isinstance(index, (int, Symbolic)):
            self._written(item, [*item])
            return True
        if (
            not isinstance(item, FunctionalArray)
            or type(item.root) is not FunctionalArray
        ):
            return False
        own = item.root
        if self.is_own(own):
            return True
        if own.dtype.kind != "f":
            return False
        if type(own.content) is np.ndarray:
            own.replace(TracedArray.make(own.content, None))
        self._written(own, own.content)
        return True

    def wrote(self, item: Any, index: Any, value: Any) -> None:
        """Note that something is written, into such an array perhaps."""
        own = item.root if isinstance(item, FunctionalArray) else item
        written = self.found.get(id(own))
        if written is not None:
            written.note(index if own is item else None, value)

    def _written(self, own: Any, before: Any) -> Written:
        return self.found.setdefault(id(own), Written(own, before))

    def is_own(self, item: Any) -> bool:
        """Whether an arm has made something, if it is an array."""
        if not isinstance(item, FunctionalArray):
            return True
        return type(item) is FunctionalArray and item.number > self._since

    def ends(self) -> None:
        """The arm has ended."""
        for written in self.found.values():
            written.ends()

    def take_back(self) -> None:
        """Have everywhere what was there before the arm began."""
        for written in self.found.values():
            written.take_back()

    def items(self) -> Iterator[Any]:
        """All that it leaves in arrays."""
        for written in self.found.values():
            yield written.after
            yield from (value for _, value in (written.elements or {}).values())

    def put(self, pairs: "Sequence[tuple[Result, Any]]") -> None:
        """Write what has come of both arms, instead of what this one has written."""
        for each, _ in pairs:
            Written(each.own, each.before).take_back()
        for each, item in pairs:
            own = each.own
            if each.index is None:
                own.rewrite(item)
            else:
                own[each.index] = item
            self._written(own, each.before).note(each.index, item)

    def go_on(self, inner: "ArmWrites") -> None:
        """Note what an arm within this one has written."""
        for each in inner.found.values():
            if isinstance(each.own, FunctionalArray) and self.is_own(each.own):
                continue
            written = self._written(each.own, each.before)
            if each.elements is None:
                written.note(None, None)
            else:
                for index, value in each.elements.values():
                    written.note(index, value)


def element_of(index: Any, place: Any, array: Any) -> Any:
    """The index, if it is that of one element, which is there in each iteration.

    ``place`` is what it is in the graph.
    """
    if type(array) is list:
        return place
    parts, places = _parts(index), _parts(place)
    is_whole = len(places) == array.ndim and all(type(each) is int for each in places)
    return place if is_whole and all(map(_is_within, parts)) else None


def _is_within(part: Any) -> bool:
    """Whether a number is within the bounds at each call, if it is so at this one."""
    if isinstance(part, Symbolic):
        return type(part) is LoopIndex and part.numbers.length is None
    return True


def _parts(index: Any) -> tuple[Any, ...]:
    return index if type(index) is tuple else (index,)


def _as_element(value: Any, dtype: np.dtype[Any]) -> Any:
    """What is written, if an array of floats has it as it is."""
    if dtype != FLOAT:
        return UNKNOWN
    if type(value) in (int, np.float64) and abs(value) < 2**53:
        return float(value)
    raw = value.value if isinstance(value, ArrayProtocol) else value
    return value if type(raw) in (float, np.float64) else UNKNOWN


@dataclass(slots=True)
class Result:
    """What is in an array after the arms, at an index (None: all of it).

    ``tried`` and ``ran`` are what the arms have put there, None if they have not.
    """

    own: Any
    before: Any
    index: Any
    tried: Any
    ran: Any

    def left(self) -> tuple[Any]:
        """What is there after an arm that does not write, as its result."""
        if self.index is None:
            return (np.copy(self.before),)
        return (self.before[self.index],)


def both_write(tried: ArmWrites, ran: ArmWrites) -> Iterator[Result]:
    """What two arms have written, of which one was tried, and taken back."""
    for number, each in {**tried.found, **ran.found}.items():
        arms = [arm.found.get(number) for arm in (tried, ran)]
        if any(arm is not None and arm.elements is None for arm in arms):
            found = (arm and arm.after for arm in arms)
            yield Result(each.own, each.before, None, *found)
            continue
        parts = [(arm and arm.elements) or {} for arm in arms]
        for key, (index, _) in {**parts[0], **parts[1]}.items():
            found = (part[key][1] if key in part else None for part in parts)
            yield Result(each.own, each.before, index, *found)
