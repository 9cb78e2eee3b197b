"""``Rows``: what a loop goes along that is no array, item by item.

In an iteration that is recorded as a function, the numbers in an item are elements of
arrays (``listed_rows``); else they are what they are. What is changed meanwhile shows
what Python shows: then the loop is recorded iteration by iteration.

>>> from srcgrad.tracing.counts.listed_rows import OwnRows
>>> rows = Zipped((OwnRows([3, 1, 4], None), OwnRows(range(5), None)))
>>> rows.count, rows.at(2), rows.has(3)
(3, (4, 2), False)
>>> Numbered(OwnRows([3, 1, 4], None), 1).at(0), Reversed(rows).at(0)
((1, 3), (4, 2))
"""

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.tracing.refusal import give_up


class Rows:
    """What has ``count`` items, when the loop begins.

    ``are_inputs``: if it is no loop of the graph, each item is an input of its own.
    """

    count: int
    are_inputs = False

    def has(self, number: int) -> bool:
        """Whether there is an item, now that the loop asks for it."""
        raise NotImplementedError

    def at(self, number: int) -> Any:
        """The item, as Python gets it."""
        raise NotImplementedError

    def are_in_graph(self) -> bool:
        """Whether the numbers in the items can be elements of arrays."""
        raise NotImplementedError

    def take_apart(self, names: Any) -> None:
        """What the items are called: a tuple of names where they are taken apart."""

    def prepare(self) -> None:
        """The loop is about to begin."""

    def item(self, number: Any) -> Any:
        """The item of an iteration that is recorded as a function: a ``LoopIndex``."""
        raise NotImplementedError

    def are_as_before(self) -> bool:
        """Whether nobody has changed what is in the items, or how many there are."""
        raise NotImplementedError


class ArrayRows(Rows):
    """An array, beside others; ``get`` gives its items."""

    def __init__(self, array: Any, get: Callable[[Any, Any], Any]) -> None:
        self._array, self._get = array, get
        self.count = len(array)

    def has(self, number: int) -> bool:
        return number < self.count

    def at(self, number: int) -> Any:
        return self._get(self._array, number)

    def are_in_graph(self) -> bool:
        return True

    def item(self, number: Any) -> Any:
        return self._get(self._array, number)

    def are_as_before(self) -> bool:
        return True  # what is written into it is seen


class Zipped(Rows):
    """``zip(...)``"""

    def __init__(self, parts: Sequence[Rows], is_strict: bool = False) -> None:
        self._parts, self._is_strict = parts, is_strict
        self.count = min(part.count for part in parts)
        self.are_inputs = any(part.are_inputs for part in parts)

    def has(self, number: int) -> bool:
        found = []
        for part in self._parts:
            found.append(part.has(number))
            if not found[-1] and not self._is_strict:
                return False
        if self._is_strict and any(found) and not all(found):
            give_up("goes along sequences of different lengths")
        return found[-1]

    def at(self, number: int) -> Any:
        return tuple([part.at(number) for part in self._parts])

    def are_in_graph(self) -> bool:
        return all(part.are_in_graph() for part in self._parts)

    def take_apart(self, names: Any) -> None:
        for part, name in zip(self._parts, _names_of(names, self._parts), strict=True):
            part.take_apart(name)

    def prepare(self) -> None:
        for part in self._parts:
            part.prepare()

    def item(self, number: Any) -> Any:
        return tuple([part.item(number) for part in self._parts])

    def are_as_before(self) -> bool:
        return all(part.are_as_before() for part in self._parts)


class OfRows(Rows):
    """What has the items of others in another way."""

    def __init__(self, rows: Rows) -> None:
        self._rows, self.count = rows, rows.count
        self.are_inputs = rows.are_inputs

    def has(self, number: int) -> bool:
        return self._rows.has(number)

    def are_in_graph(self) -> bool:
        return self._rows.are_in_graph()

    def prepare(self) -> None:
        self._rows.prepare()

    def are_as_before(self) -> bool:
        return self._rows.are_as_before()


class Numbered(OfRows):
    """``enumerate(rows, start)``"""

    def __init__(self, rows: Rows, start: int) -> None:
        super().__init__(rows)
        self._start = start

    def take_apart(self, names: Any) -> None:
        self._rows.take_apart(_names_of(names, (0, 1))[1])

    def at(self, number: int) -> Any:
        return number + self._start, self._rows.at(number)

    def item(self, number: Any) -> Any:
        return number + self._start, self._rows.item(number)


class Reversed(OfRows):
    """``reversed(rows)``"""

    def take_apart(self, names: Any) -> None:
        self._rows.take_apart(names)

    def has(self, number: int) -> bool:
        last = self.count - 1
        return number <= last and self._rows.has(last - number)

    def at(self, number: int) -> Any:
        return self._rows.at(self.count - 1 - number)

    def item(self, number: Any) -> Any:
        return self._rows.item(self.count - 1 - number)


class Picked(Rows):
    """Tuples of items of some sources: ``places`` has their numbers."""

    def __init__(self, places: Rows, sources: Sequence[Rows]) -> None:
        self._places, self._sources = places, sources
        self.count = places.count
        self.are_inputs = any(source.are_inputs for source in sources)

    def has(self, number: int) -> bool:
        if not self.are_as_before():
            give_up("goes along combinations of items while it changes them")
        return number < self.count

    def at(self, number: int) -> Any:
        return self._taken(self._places.at(number), "at")

    def are_in_graph(self) -> bool:
        return self._places.are_in_graph() and all(
            source.are_in_graph() for source in self._sources
        )

    def prepare(self) -> None:
        for source in {*self._sources}:
            source.prepare()

    def item(self, number: Any) -> Any:
        return self._taken(self._places.item(number), "item")

    def _taken(self, numbers: Any, way: str) -> Any:
        pairs = zip(self._sources, numbers, strict=True)
        return tuple([getattr(source, way)(number) for source, number in pairs])

    def are_as_before(self) -> bool:
        return all(source.are_as_before() for source in self._sources)


def _names_of(names: Any, parts: Sequence[Any]) -> Sequence[Any]:
    """The name of each part, if they have such."""
    has_names = type(names) is tuple and len(names) == len(parts)
    return names if has_names else [None] * len(parts)
