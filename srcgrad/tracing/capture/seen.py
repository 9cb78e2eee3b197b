"""``Seen``: the objects that a run has met, where they were, and what stands for them.

They are told by their identity, so all are kept alive until the run is over.
"""

from typing import Any

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.tracing.environment.draws import Draw
from srcgrad.tracing.environment.references import Reference


class Seen:
    """Objects of the environment by identity.

    Attributes
    ----------
    raws : dict
        The arrays that the recorder has, and what they belong to.
    arrays : list of (Reference, array or Variable)
        The arrays among arguments and inputs, and where they were found.
    alive : list
        All that was found.
    """

    def __init__(self) -> None:
        self.raws: dict[int, Any] = {}
        self.arrays: list[tuple[Reference, Any]] = []
        self.alive: list[Any] = []
        # Where they were found first, and what stands for them.
        self._seen: dict[int, tuple[Reference, Any]] = {}
        # The user's own objects that twins stand for.
        self._objects: dict[int, Any] = {}
        # Stand-ins for objects of the environment, and where these were found.
        self._inputs: dict[int, tuple[Reference, Any]] = {}

    def note(self, reference: Reference, item: Any, seen: Any) -> Any:
        """Note an object, and what the function sees in its place: that is returned."""
        self._seen[id(item)] = reference, seen
        self.alive.append(item)
        return seen

    def note_object(self, reference: Reference, value: Any, seen: Any) -> Any:
        """The same of what is looked into by either of them."""
        self.note(reference, value, seen)
        if seen is not value:
            self._objects[id(seen)] = value
            self.note(reference, seen, seen)
        return seen

    def note_input(self, reference: Reference, leaf: Any, variable: Any) -> None:
        """Note what stands for an input of the graph."""
        self._inputs[id(variable)] = reference, leaf
        self.note_array(reference, leaf)

    def note_array(self, reference: Reference, leaf: Any) -> None:
        """Note where an array was found, if it is one."""
        if isinstance(raw_of(leaf), np.ndarray) and not isinstance(reference, Draw):
            self.arrays.append((reference, leaf))

    def reference_of(self, item: Any) -> Reference | None:
        """Where an object was found, if it is one that is looked into."""
        found = self._seen.get(id(item))
        return None if found is None else found[0]

    def seen_of(self, item: Any) -> Any:
        """What the function sees of something that was found; else the thing itself."""
        found = self._seen.get(id(item))
        return item if found is None else found[1]

    def users_own(self, item: Any) -> Any:
        """What the user has, of which the function sees something else; or itself."""
        return self._objects.get(id(item), item)

    def is_object(self, item: Any) -> bool:
        """Whether it stands for another object of the user's."""
        return id(item) in self._objects

    def input_of(self, variable: Any) -> tuple[Reference | None, Any]:
        """What stands for an input: where that was found, and what was there."""
        return self._inputs.get(id(variable), (None, None))

    def let_go(self) -> None:
        """The run is over: hold nothing any more."""
        for table in (self._seen, self._objects, self._inputs, self.raws):
            table.clear()
        self.alive.clear()
        self.arrays.clear()
