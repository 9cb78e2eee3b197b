"""``Tried``: what an arm does that the test did not ask for; ``Ran``: the one that ran.

>>> x, y = (Value((3,), np.dtype(float), name) for name in "xy")
>>> new_in([Node(np.exp, (x,), out=y)]) == {y: True}
True
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Node, Step, Value
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.branches.arm_writes import ArmWrites
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.graphs.joints import distinct
from srcgrad.transforms.branches.branching import Speculation


@dataclass(slots=True, eq=False)
class Tried:
    """Its steps, with ``speculations`` in these, its results, and what it ``writes``.

    ``values`` are those of what is in the graph, by identity; ``counts`` stand for
    numbers of iterations, by identity.
    """

    steps: list[Step]
    speculations: Sequence[Speculation]
    results: list[Any]
    values: dict[int, Value]
    counts: dict[int, Any]
    writes: ArmWrites

    def float_of(self, item: float, writer: GraphWriter) -> Value:
        """A Python float that the arm gives, as a Value."""
        value = writer.define(distinct(item))
        self.steps.append(Node(float, (item,), out=value))
        return value

    def truth_of(self, item: Any, writer: GraphWriter) -> Any:
        """A ``np.bool_`` that the arm gives, as a float that it computes."""
        made = TracedArray.make(distinct(float(item.value)), None)
        value = writer.define(made.value)
        self.steps.append(Node(float, (self.values[id(item)],), out=value))
        self.values[id(made)] = value
        return made

    def array_of(self, item: Any, writer: GraphWriter) -> Any:
        """An array that depends on nothing, as one that the arm computes."""
        made = TracedArray.make(np.array(item), None)
        value = writer.define(made.value)
        self.steps.append(Node(np.copy, (writer.symbols(item),), out=value))
        self.values[id(made)] = value
        return made

    def makes(self, value: Value) -> bool:
        """Whether it has made an array, which shares its memory with nothing."""
        return new_in(self.steps).get(value, False)

    def goes_on(self, other: "Tried") -> None:
        """It does something more, and gives that, too."""
        self.steps += other.steps
        self.results += other.results
        self.values |= other.values
        self.counts |= other.counts


@dataclass(slots=True, eq=False)
class Ran:
    """An ``if`` that has run: the place of its guard, and where the arm began.

    ``writes`` are those of the arm that ran.
    """

    guard: int
    start: int
    taken: bool
    tried: Tried
    writes: ArmWrites

    def made(self, writer: GraphWriter) -> dict[Value, bool]:
        """What the arm that ran has made, and whether that is in memory of its own."""
        return new_in(writer.steps_from(self.start))

    def is_told_by_layout(self, writer: GraphWriter) -> bool:
        """Whether it depends on the layout of arrays what is a view in an arm."""
        steps = (*self.tried.steps, *writer.steps_from(self.start))
        return any(
            type(step) is Node and facts_of(step.function).by_layout for step in steps
        )


def values_of(items: Iterable[Any], writer: GraphWriter) -> dict[int, Value]:
    """The Values of what is in the graph, by identity."""
    return {
        id(item): writer.value_of(item)
        for item in items
        if isinstance(item, ArrayProtocol) and writer.knows(item.value)
    }


def new_in(steps: Sequence[Step]) -> dict[Value, bool]:
    """What steps make, and whether that is in memory of its own."""
    return {
        value: not step.shares_memory
        for step in steps
        if type(step) is Node
        for value in step.results
    }
