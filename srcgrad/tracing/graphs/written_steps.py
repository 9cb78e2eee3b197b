"""``WrittenSteps``: the steps of a run, and its Values by what they stand for."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.deadline import check
from srcgrad.steps import Step, Value
from srcgrad.tape.function import VOLATILE, Edge
from srcgrad.tape.saved import Undo
from srcgrad.tape.versions import Storage, Version
from srcgrad.tracing.graphs.journals import Journal
from srcgrad.tracing.graphs.value_names import ValueNames

# After so many steps there is a look at the time.
CHECKED = 64


class WrittenSteps:
    """What has been written down."""

    def __init__(self) -> None:
        self.names = ValueNames()
        self._steps: list[Step] = []
        self._constants: dict[Value, np.ndarray[Any, Any]] = {}
        self._values: dict[int, Value] = {}
        self._raws: dict[Value, Any] = {}
        # By array and edge: what a function gives back as it is has two places.
        self._placed: dict[tuple[int, Edge], Value] = {}
        # Those on the tape.
        self._on_tape: dict[Value, Edge] = {}
        self._at_edge: dict[Edge, Value] = {}
        # How many of the marks are to be cut off at, and what was changed meanwhile.
        self.cuts = 0
        self._journal = Journal()
        # What ufuncs have given, whatever they were given: see `mixed_kinds`.
        self.numpys: set[Value] = set()
        # Of arrays that may be overwritten, by identity.
        self._versions: dict[int, Version] = {}

    # ----- Tables -----

    def _note(self, value: Value, raw: Any, edge: Edge | None) -> Value:
        key = id(raw)
        if self.cuts:  # the tables may have to be as they were again
            self._journal.changes(self._values, key)
        self._values[key], self._raws[value] = value, raw
        if edge is not None and edge is not VOLATILE:
            if self.cuts:
                self._journal.changes(self._placed, (key, edge))
            self._placed[key, edge], self._on_tape[value] = value, edge
        return value

    def _enter(self, table: dict[Any, Value], key: Any, value: Value) -> None:
        """Change a table, which may have to be as it was again."""
        if self.cuts:
            self._journal.changes(table, key)
        table[key] = value

    def _known(self, raw: Any) -> Value | None:
        """The Value of an array or number, if it has one."""
        return self._values.get(id(raw))

    def knows(self, raw: Any) -> bool:
        """Whether an array or number is the value of something written down."""
        return id(raw) in self._values

    def keep(self, raw: Any, storage: Storage) -> None:
        """Know what an array holds after it has been overwritten, too."""
        self._versions[id(raw)] = storage.entry(raw)

    @property
    def has_overwritten(self) -> bool:
        """Whether arrays may have been overwritten that are known."""
        return bool(self._versions)

    def as_it_was(self, raw: Any) -> Any:
        """An array or number as it was when it was computed."""
        version = self._versions.get(id(raw))
        return raw if version is None else Undo([version])(raw)

    def put_at(self, edge: Edge, value: Value) -> None:
        """Note what is at a place on the tape."""
        self._at_edge[edge] = value
        if edge is not VOLATILE and value not in self._on_tape:
            self._on_tape[value] = edge

    def at_edge(self, edge: Edge) -> Value | None:
        """The Value at a place on the tape."""
        return self._at_edge.get(edge)

    # ----- Steps -----

    def count(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    @property
    def steps(self) -> Sequence[Step]:
        """What has been written so far."""
        return self._steps

    def steps_from(self, position: int) -> Sequence[Step]:
        """What has been written since there were so many steps."""
        return self._steps[position:]

    def add_step(self, step: Step) -> None:
        """Write down a step as it is."""
        self._steps.append(step)
        if not len(self._steps) % CHECKED:
            check()
