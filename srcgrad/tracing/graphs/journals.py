"""``Journal``: what some tables have held, for who takes changes back.

>>> table, journal = {"a": 1, "b": 2}, Journal()
>>> for key, item in (("a", 3), ("a", 4), ("c", 5), ("b", 6)):
...     journal.changes(table, key)
...     table[key] = item
>>> [(key, old) for _, key, old in journal.taken_back(0, {4, 5})]
[('a', 1), ('c', None)]
"""

from collections.abc import Container, Iterator
from typing import Any

Table = dict[Any, Any]


class Journal:
    """The entries of some tables before they were changed, in order."""

    def __init__(self) -> None:
        self._before: list[tuple[Table, Any, Any]] = []

    def __len__(self) -> int:
        """How many changes are known: a place between them."""
        return len(self._before)

    def changes(self, table: Table, key: Any) -> None:
        """An entry is about to be changed, or made."""
        self._before.append((table, key, table.get(key)))

    def taken_back(
        self, place: int, gone: Container[Any]
    ) -> Iterator[tuple[Table, Any, Any]]:
        """The entries that are of what is gone, with what they were at a place."""
        seen: set[tuple[int, Any]] = set()
        for table, key, before in self._before[place:]:
            if (id(table), key) not in seen:
                seen.add((id(table), key))
                if table.get(key) in gone:
                    yield table, key, before

    def forget(self) -> None:
        """Nothing will be taken back any more."""
        self._before.clear()
