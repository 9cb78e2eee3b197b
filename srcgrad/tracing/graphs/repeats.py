"""``Repeat``: iterations that are checked against one before, rather than written down.

Most loops do the same each time, and are rolled in the end. When some iterations have
agreed, those after them run as ever; but all that is noted of an operation is its
result, if it is the operation that the model has there, of what has the same place. The
first that is another ends that: from there on steps are written down again. What was
left out can be written down later, as it would have been.

>>> x, *h = (Value((), np.dtype(float), kind="scalar") for _ in range(5))
>>> steps = [Node(np.multiply, (h[i], x), out=h[i + 1]) for i in range(3)]
>>> raws = dict(zip((x, *h), map(np.float64, (2.0, 1.0, 2.0, 4.0, 8.0))))
>>> repeat = repeat_of([[step] for step in steps], raws, {}, (), 3)
>>> [(source.before, source.item is x) for source in repeat.plan[0].sources]
[(-1, False), (0, True)]
"""

import operator
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from srcgrad.errors import Where
from srcgrad.modes import state
from srcgrad.steps import Location, Node, Step, Value
from srcgrad.tape.function import VOLATILE, Edge
from srcgrad.tape.ways import VARIABLE_TYPES
from srcgrad.tracing.graphs.gaps import Gap, Model, change_between, gone_on
from srcgrad.updates import moved

# What is an object of its own each time that it is computed; small integers are not.
OWN = (float, complex, np.float64, np.float32, np.complex128, np.complex64, np.ndarray)


class Writer(Protocol):
    """What the graph is written down with."""

    def current_location(self) -> Location | None:
        """The line of the user's that runs."""

    def is_written(self, operand: Any, value: Value) -> bool:
        """Whether this Value is written down where that is an operand."""


@dataclass(slots=True, eq=False)
class Source:
    """Where an operand comes from.

    A result of so many operations ``before``, of this iteration or the last; or, if
    that is 0, what is around: ``item``, a number or a Value. ``raw`` and ``edge`` are
    those of the operand that has been found to be that Value. Or ``item`` is an index,
    and ``change`` by how much its integers go up each time.
    """

    before: int
    item: Any = None
    is_number: bool = False
    change: tuple[int, ...] | None = None
    raw: Any = None
    edge: Edge | None = None

    def is_around(self, operand: Any, writer: Writer) -> bool:
        """Whether an operand is what is around; the same the next time."""
        if self.raw is not None or not writer.is_written(operand, self.item):
            return False
        self.raw, self.edge = operand.value, operand.edge
        return True


class Operation(NamedTuple):
    """An operation of the model; ``raw`` is what it computed, of the type ``kind``.

    ``where`` is known of what is on the tape.
    """

    function: Any
    sources: tuple[Source, ...]
    node: Node
    kind: type[Any]
    raw: Any
    is_on_tape: bool
    where: Where | None


class Repeat:
    """Iterations that do what the model does, the last of which may be running.

    ``raws`` and ``edges`` are those of all results, of the model's at first. ``count``
    iterations are complete, and of one more so many operations have run as ``place``
    says. ``start`` is the place of the first among the steps.
    """

    def __init__(
        self,
        plan: Sequence[Operation],
        edges: Sequence[Edge | None],
        first: Sequence[Value],
        start: int,
    ) -> None:
        self.plan = plan
        self.model = Model(
            tuple([operation.node for operation in plan]),
            tuple([tuple([s.before for s in each.sources]) for each in plan]),
            tuple(first),
            tuple([each.sources[-1].change or () for each in plan]),
        )
        self.size = len(plan)
        self.raws = [operation.raw for operation in plan]
        self.edges = [*edges]
        self.start = start
        self.count = self.place = 0
        # Of the iterations that are complete so many stay left out, if it is over.
        self.left_out = 0
        # What the first one computes that does not.
        self.after: Sequence[Value] = ()
        self._is_graded = state.grad_enabled
        self._known: set[int] = set()
        self._counted = 0

    def takes(
        self,
        function: Any,
        operands: Sequence[Any],
        out: Any,
        writer: Writer,
    ) -> bool:
        """Note an operation that has run, if it is the one that the model has here."""
        if self.place == self.size or state.grad_enabled is not self._is_graded:
            return False
        own, sources, node, kind, like, is_on_tape, where = self.plan[self.place]
        raw, edge = out.value, out.edge
        if function is not own or type(raw) is not kind:
            return False
        if len(operands) != len(sources):
            return False
        raws, edges = self.raws, self.edges
        for operand, source in zip(operands, sources, strict=True):
            if source.change is not None:
                index = gone_on(source.item, source.change, self.count + 1)
                change = change_between(index, operand)
                if change is None or any(change):
                    return False
                continue
            if source.is_number:
                if not _is_same_number(operand, source.item) or raw is operand:
                    return False
                continue
            if type(operand) not in VARIABLE_TYPES or raw is operand.value:
                return False
            if source.before:
                item, place = raws[source.before], edges[source.before]
            else:
                item, place = source.raw, source.edge
            is_that = operand.value is item and operand.edge is place
            if not is_that and (source.before or not source.is_around(operand, writer)):
                return False
        if kind is np.ndarray and (raw.shape, raw.dtype) != (like.shape, like.dtype):
            return False
        if is_on_tape:
            if edge is None or edge is VOLATILE or edge[0].where != where:
                return False
        elif edge is not None or writer.current_location() != node.where:
            return False
        raws.append(raw)
        edges.append(edge)
        self.place += 1
        return True

    def turns(self) -> bool:
        """An iteration ends: whether it was like the model."""
        if self.place < self.size:
            return False
        self.count += 1
        self.place = 0
        return True

    def last(self, raw: Any) -> Value | None:
        """What the model has for the operation that has just run, if that is its."""
        if self.place == 0 or self.raws[-1] is not raw:
            return None
        return self.plan[self.place - 1].node.results[0]

    def holds(self, raw: Any) -> bool:
        """Whether something is the result of one of the operations."""
        new = self.raws[self._counted :]
        self._known.update(map(id, new))
        self._counted += len(new)
        return id(raw) in self._known

    def computed(self, number: int) -> list[tuple[Any, Edge | None]]:
        """What one of the iterations has computed; the first one is 1."""
        these = slice(number * self.size, (number + 1) * self.size)
        return [*zip(self.raws[these], self.edges[these], strict=True)]

    def gap(self) -> Gap:
        """What is left out."""
        return Gap(self.model, self.left_out, self.after)


def _is_same_number(operand: Any, number: Any) -> bool:
    if type(operand) is not type(number):
        return False
    # Zeros have signs.
    return bool(operand == number if number else repr(operand) == repr(number))


# ----- Which iterations have agreed -----


def repeat_of(
    iterations: Sequence[Sequence[Step]],
    raws: Mapping[Value, Any],
    edges: Mapping[Value, Edge],
    constants: Collection[Value],
    start: int,
) -> Repeat | None:
    """What may come after three iterations, the last of which is the model.

    Parameters
    ----------
    iterations : sequence of sequences of Step
        What they do.
    raws, edges : mapping
        What the Values stand for; the edges of those that are on the tape.
    constants : collection of Value
        What may change unnoticed.
    start : int
        The place where the next one begins.
    """
    first, middle, model = iterations
    if not len(first) == len(middle) == len(model) > 0:
        return None
    numbers = [
        {value: number for number, step in enumerate(steps) for value in step.results}
        for steps in iterations
    ]
    plan = []
    for before, step in zip(middle, model, strict=True):
        if not _is_plain(before) or not _is_plain(step):
            return None
        sources = _sources(before, step, numbers, raws, constants)  # type: ignore[arg-type]
        if sources is None:
            return None
        plan.append(_operation(step, sources, raws, edges))  # type: ignore[arg-type]
    if any(each.kind not in OWN or each.raw is None for each in plan):
        return None
    own = [edges.get(step.results[0]) for step in model]
    return Repeat(plan, own, tuple(numbers[1]), start)


def _operation(
    node: Node,
    sources: tuple[Source, ...],
    raws: Mapping[Value, Any],
    edges: Mapping[Value, Edge],
) -> Operation:
    (value,) = node.results
    raw, edge = raws.get(value), edges.get(value)
    where = None if edge is None else edge[0].where
    return Operation(
        node.function, sources, node, type(raw), raw, edge is not None, where
    )


def _is_plain(step: Step) -> bool:
    """Whether it is an operation that computes one thing of others, and no more."""
    return (
        type(step) is Node
        and step.function is not moved
        and not (step.kwargs or step.has_effect)
        and (not step.shares_memory or step.function is operator.getitem)
        and type(step.out) is Value
    )


def _sources(
    before: Node,
    step: Node,
    numbers: Sequence[Mapping[Value, int]],
    raws: Mapping[Value, Any],
    constants: Collection[Value],
) -> tuple[Source, ...] | None:
    """Where the operands come from, if it is the same in two iterations."""
    (one,), (other,) = before.results, step.results
    metas = [(value.shape, value.dtype, value.kind) for value in (one, other)]
    is_same = before.function is step.function and metas[0] == metas[1]
    if not is_same or len(before.args) != len(step.args):
        return None
    first, middle, model = numbers
    number = model[other]
    found: list[Source] = []
    for place, (a, b) in enumerate(zip(before.args, step.args, strict=True)):
        if place and step.function is operator.getitem:
            change = change_between(a, b)
            # A view of what an iteration computes may be changed with it.
            if change is None or (step.shares_memory and found[0].before):
                return None
            found.append(Source(0, b, change=change))
        elif type(b) in (int, float) and _is_same_number(a, b):
            found.append(Source(0, b, is_number=True))
        elif type(a) is not Value or type(b) is not Value:
            return None
        elif b in model and model[b] == middle.get(a):
            found.append(Source(model[b] - number))
        elif b in middle and middle[b] == first.get(a):
            found.append(Source(middle[b] - number - len(model)))
        elif a is b and b in raws and b not in constants:
            found.append(Source(0, b))
        else:
            return None
    return tuple(found)
