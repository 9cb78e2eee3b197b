"""``ValueNames``: what the Values of a graph are called, until the graph is made.

>>> names = ValueNames()
>>> x, y = (Value((), np.dtype(float)) for _ in range(2))
>>> names.give_input(x, "params_0", is_place=True)
>>> names.give(y, "h"), names.give(y, "k"), names.hint(y, "twice")
(None, None, None)
>>> names.settle()
>>> x.name, y.name, y.hint
('params_0', 'h', 'twice')
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.steps import Value


class ValueNames:
    """The user's names, the places of arguments, and what else to call a Value.

    The first name by the user stays. When a graph is made all of them become the
    Values' own, and are not changed any more.
    """

    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._places: dict[Value, str] = {}
        self._hints: dict[Value, str] = {}
        # The user's names for arrays that depend on no input, by their identities.
        self._constants: dict[int, tuple[str, Any]] = {}
        self._settled: set[Value] = set()

    def give(self, value: Value, name: str) -> None:
        """Note the user's name for a Value, unless it has one already."""
        self._names.setdefault(value, name)

    def give_input(self, value: Value, name: str, is_place: bool) -> None:
        """Note what an input is called, by the user or by its place."""
        (self._places if is_place else self._names)[value] = name

    def note_constant(self, array: np.ndarray[Any, Any], name: str) -> None:
        """Note the user's name for an array that may become a constant."""
        self._constants.setdefault(id(array), (name, array))

    def give_constant(self, value: Value, raw: Any) -> None:
        """It has become one: the Value has that name."""
        if (named := self._constants.get(id(raw))) is not None:
            self._names[value] = named[0]

    def hint(self, value: Value, hint: str) -> None:
        """Note what to call a Value that has no name, if it must be called."""
        self._hints.setdefault(value, hint)

    def of(self, value: Value) -> str | None:
        """The user's name for a Value, or else its place among the arguments."""
        return self._names.get(value) or self._places.get(value) or value.name

    def hint_of(self, value: Value) -> str | None:
        """What to call a Value that has no name."""
        return self._hints.get(value)

    def named(self, value: Value) -> Value:
        """Another Value with the name of one whose step has been cut off."""
        name, hint = self.of(value), self._hints.get(value)
        return Value(value.shape, value.dtype, name, value.kind, hint)

    def give_as(self, value: Value, model: Value) -> None:
        """Call a Value what another one is called."""
        if (name := self.of(model)) is not None:
            self._names[value] = name
        if (hint := self._hints.get(model)) is not None:
            self._hints[value] = hint

    def keep(self, values: Iterable[Value]) -> None:
        """Change the names of some Values no more: a graph of them is in use."""
        self._settled.update(values)

    def settle(self) -> None:
        """Give the Values their names: from now on they stay."""
        new = {*self._names, *self._places, *self._hints} - self._settled
        for value in new:
            value.name = self.of(value)
            value.hint = self._hints.get(value)
        self._settled |= new
