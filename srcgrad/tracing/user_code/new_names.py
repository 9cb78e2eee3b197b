"""``NewNames``: names that nothing else in a function has.

>>> names = NewNames({"s", "s_item"})
>>> names.of("first", "s_item"), names.of("first", "s_item"), names.of("second", "t")
('s_item_', 's_item_', 't')
"""

from collections.abc import Hashable


class NewNames:
    """New names beside those that are ``taken``: one for each thing."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._found: dict[Hashable, str] = {}

    def of(self, thing: Hashable, name: str) -> str:
        """What stands for a thing: this name, or one like it."""
        if thing not in self._found:
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._found[thing] = name
        return self._found[thing]
