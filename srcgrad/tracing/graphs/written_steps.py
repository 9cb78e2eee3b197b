"""``WrittenSteps``: the steps of a run and its Values, some iterations left out.

Who asks for what was left out has all of it written down, and nothing is as if it had
been left out. So places among the steps are counted as if it never had been.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.deadline import check
from srcgrad.steps import Step, Value
from srcgrad.tape.function import VOLATILE, Edge
from srcgrad.tape.saved import Undo
from srcgrad.tape.versions import Storage, Version
from srcgrad.tracing.graphs.gaps import Gap
from srcgrad.tracing.graphs.journals import Journal
from srcgrad.tracing.graphs.repeats import Repeat, repeat_of
from srcgrad.tracing.graphs.value_names import ValueNames
from srcgrad.transforms.loops.regions import Region

# From so many steps on: shorter runs stay unrolled, perhaps, and take no time.
FROM = 500
# So many last iterations are written down: the very last one may stay out of the loop.
LAST = 2
# After so many steps there is a look at the time.
CHECKED = 64


class WrittenSteps:
    """What has been written down; ``repeat`` is what is left out while it runs."""

    def __init__(self) -> None:
        self.names = ValueNames()
        self.repeat: Repeat | None = None
        # The loops in which iterations are left out, in order.
        self._left_out: list[tuple[Region, Repeat]] = []
        self._repeating: Region | None = None
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
        is_on_tape = edge is not None and edge is not VOLATILE
        if self.cuts:  # the tables may have to be as they were again
            self._journal.changes(self._values, key)
            if is_on_tape:
                self._journal.changes(self._placed, (key, edge))
        self._values[key], self._raws[value] = value, raw
        if is_on_tape:
            self._placed[key, edge], self._on_tape[value] = value, edge
        return value

    def _enter(self, table: dict[Any, Value], key: Any, value: Value) -> None:
        """Change a table, which may have to be as it was again."""
        if self.cuts:
            self._journal.changes(table, key)
        table[key] = value

    def _known(self, raw: Any) -> Value | None:
        """The Value of an array or number, if it has one."""
        key = id(raw)
        if key in self._values:
            return self._values[key]
        if self.repeat is not None or self._left_out:
            self.settle()
            if any(repeat.holds(raw) for _, repeat in self._left_out):
                self.write_out()
            return self._values.get(key)
        return None

    def knows(self, raw: Any) -> bool:
        """Whether an array or number is the value of something written down."""
        return id(raw) in self._values or self._is_left_out(raw)

    def _is_left_out(self, raw: Any) -> bool:
        running = self.repeat
        return (running is not None and running.holds(raw)) or any(
            repeat.holds(raw) for _, repeat in self._left_out
        )

    def keep(self, raw: Any, storage: Storage) -> None:
        """Know what an array holds after it has been overwritten, too."""
        self._versions[id(raw)] = storage.entry(raw)

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
        if edge in self._at_edge:
            return self._at_edge[edge]
        if self.repeat is not None or self._left_out:
            self.write_out()
            return self._at_edge.get(edge)
        return None

    # ----- Steps -----

    def count(self) -> int:
        """How many steps there are, those left out included."""
        running = self.repeat
        count = len(self._steps)
        if self._left_out:
            count += sum(each.left_out * each.size for _, each in self._left_out)
        if running is not None:
            count += running.count * running.size + running.place
        return count

    @property
    def written(self) -> int:
        """How many of them are written down."""
        return len(self._steps)

    @property
    def steps_written(self) -> Sequence[Step]:
        """Those that are written down."""
        return self._steps

    def place(self, position: int) -> int:
        """Where a step stands among those that are written down."""
        gone = 0
        for _, each in self._left_out:
            if position > each.start:
                gone += each.left_out * each.size
        return position - gone

    def leaves_out_from(self, position: int) -> bool:
        """Whether something that has run since is not written down."""
        return any(each.start >= position for _, each in self._left_out)

    def gaps(self) -> tuple[Gap, ...]:
        """What is not written down."""
        return tuple([repeat.gap() for _, repeat in self._left_out])

    @property
    def has_left_out(self) -> bool:
        """Whether something is not written down."""
        return bool(self._left_out)

    def add_step(self, step: Step) -> None:
        """Write down a step as it is."""
        if self.repeat is not None:
            self.settle()
        self._steps.append(step)
        if not len(self._steps) % CHECKED:
            check()

    # ----- What is left out -----

    def repeats(self, region: Region) -> None:
        """Leave out what comes, if the last iterations of a loop have agreed."""
        bounds = region.starts[-4:]
        if len(bounds) < 4 or region.inner or len(self._steps) < FROM:
            return
        iterations = [
            self._steps[self.place(start) : self.place(end)]
            for start, end in itertools.pairwise(bounds)
        ]
        self.repeat = repeat_of(
            iterations, self._raws, self._on_tape, self._constants, bounds[-1]
        )
        self._repeating = None if self.repeat is None else region

    def _turns_again(self, region: Region) -> bool:
        """An iteration ends: whether it was like those before, and is left out."""
        if self.repeat is None or self._repeating is not region:
            return False
        if self.repeat.turns():
            return True
        self.settle()
        return False

    def settle(self) -> None:
        """Write down the last of the iterations that run like the model, and go on."""
        repeat, region = self.repeat, self._repeating
        self.repeat = self._repeating = None
        if repeat is None or region is None:
            return
        repeat.left_out = max(repeat.count - LAST, 0)
        before: Sequence[Value] = repeat.model.values
        starts = [repeat.start + k * repeat.size for k in range(repeat.count + 1)]
        region.starts[-1:] = starts[repeat.left_out :]
        for number in range(repeat.left_out, repeat.count + 1):
            own = self._define_again(repeat, number + 1)
            self._steps += repeat.model.steps(before, own, number + 1)
            before = own
            repeat.after = repeat.after or own
        if repeat.left_out:
            after = len(region.starts) - len(starts) + repeat.left_out
            region.left_out[after] = repeat.left_out
            self._left_out.append((region, repeat))

    def _define_again(self, repeat: Repeat, number: int) -> list[Value]:
        own = []
        computed = repeat.computed(number)
        for model, (raw, edge) in zip(repeat.model.values, computed, strict=False):
            value = Value(model.shape, model.dtype, None, model.kind)
            self.names.give_as(value, model)
            if model in self.numpys:
                self.numpys.add(value)
            own.append(self._note(value, raw, edge))
            if edge is not None:
                self._at_edge[edge] = value
        return own

    def write_out(self) -> None:
        """Write down all that was left out, as if it had not been."""
        self.settle()
        while self._left_out:
            region, repeat = self._left_out.pop(0)
            self._write_all(region, repeat)

    def _write_all(self, region: Region, repeat: Repeat) -> None:
        start, size, count = repeat.start, repeat.size, repeat.left_out
        place = self.place(start)
        steps: list[Step] = []
        before: Sequence[Value] = repeat.model.values
        for number in range(1, count + 1):
            own = self._define_again(repeat, number)
            steps += repeat.model.steps(before, own, number)
            before = own
        # The next one is written down as if it came after the model.
        instead = dict(zip(repeat.model.values, before, strict=True))
        after = self._steps[place : place + size]
        steps += [step.with_values(instead) for step in after]
        self._steps[place : place + size] = steps
        first, *others = sorted(region.left_out)
        region.starts[first:first] = range(start, start + count * size, size)
        left = {number + count: region.left_out[number] for number in others}
        region.left_out = left
