"""Where the layout of arguments decides whether an array is a view or a copy.

``h.ravel()`` is a view of ``h`` if that lies in memory row by row, else a copy. Who
writes into one of the two changes the other or not; so a recording of such a write
holds only for arguments that lie in memory as they did.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from srcgrad.facts import facts_of
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.views import layout_of

# What an array was before a write into it, and after.
Write = tuple[Value, Value]


def layout_guards(
    steps: Sequence[Step],
    writes: Sequence[Write],
    inputs: Collection[Value],
    raws: Mapping[Value, Any],
) -> list[Guard]:
    """Guards on the layouts on which it depends what the writes in a run change.

    ``raws`` are the arrays that the Values stood for.
    """
    if not writes:
        return []
    memory = Memory(steps, writes)
    guards: dict[Value, Guard] = {}
    for step in steps:
        if (
            type(step) is Node
            and not step.in_backward
            and facts_of(step.function).by_layout
            and memory.is_written(step.results[0])
        ):
            for value in _ancestors(step, steps).intersection(inputs):
                seen = layout_of(raws[value])
                guards.setdefault(value, Guard(value, layout_of, seen, step.where))
    return [guards[value] for value in inputs if value in guards]


class Memory:
    """Which arrays may be in the same memory, and whether that is written to."""

    def __init__(self, steps: Iterable[Step], writes: Iterable[Write]) -> None:
        self._same: dict[Value, Value] = {}
        for step in steps:
            if step.shares_memory:
                for value in step.inputs:
                    self.join(value, step.results)
        for before, after in writes:
            self.join(before, (after,))
        self._written = {self.of(value) for value, _ in writes}

    def is_written(self, value: Value) -> bool:
        """Whether something is written into the memory where an array may be."""
        return self.of(value) in self._written

    def of(self, value: Value) -> Value:
        """What stands for all that may be in the same memory."""
        first = value
        while value in self._same:
            value = self._same[value]
        while first is not value:  # next time it is found at once
            self._same[first], first = value, self._same[first]
        return value

    def join(self, value: Value, others: Iterable[Value]) -> None:
        """Note that arrays may be in the same memory."""
        for other in others:
            first, second = self.of(value), self.of(other)
            if first is not second:
                self._same[first] = second


def _ancestors(step: Node, steps: Sequence[Step]) -> set[Value]:
    """All arrays that a step depends on."""
    found = set(step.inputs)
    for before in reversed(steps):
        if not found.isdisjoint(before.results):
            found.update(before.inputs)
    return {value for value in found if value.kind == "array" and value.shape}
