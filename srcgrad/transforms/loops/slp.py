"""SLP vectorisation: the same steps on parts of one array, done on the whole at once.

The gates of an LSTM are parts of one product, and most of them go through one sigmoid.

>>> z = Value((6,), np.dtype(float), "z")
>>> a, b, i, f, c = (Value((3,), np.dtype(float), name) for name in "abifc")
>>> nodes = (
...     Node(operator.getitem, (z, slice(0, 3)), out=a),
...     Node(operator.getitem, (z, slice(3, 6)), out=b),
...     Node(np.tanh, (a,), out=i),
...     Node(np.tanh, (b,), out=f),
...     Node(np.multiply, (i, f), out=c),
... )
>>> print(vectorise_slices(Graph((z,), nodes, (c,))))
t = tanh(z)
i = getitem(t, slice(None, 3, None))
f = getitem(t, slice(3, None, None))
c = multiply(i, f)
return c

A part along one axis is a *slice*; operations on slices that differ in nothing but
where these lie are one *work*, and what lies side by side is done in one *run*.
"""

import operator
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.graph import Graph, Program
from srcgrad.policy import MOST_SLICES
from srcgrad.steps import Guard, Node, Step, Value, values_in
from srcgrad.transforms.algebra.cse import key_of
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.reading import decisive, exposed


class Slice(NamedTuple):
    """Where a value lies in an array, or in what would be computed of all of that."""

    whole: "Work"
    start: int
    stop: int


@dataclass(eq=False)
class Work:
    """What is done with slices along one axis; or an ``array`` that these are cut from.

    ``slices`` has for where each begins the number of the step that computes it, that,
    and where it ends; ``stand_in`` stands for all of them in a key.
    """

    axis: int
    array: Value | None = None
    slices: dict[int, tuple[int, Node, int]] = field(default_factory=dict)
    runs: "list[Run]" = field(default_factory=list)
    stand_in: Value = field(default_factory=lambda: Value((), np.dtype(float)))

    def add(self, number: int, node: Node, start: int, stop: int) -> bool:
        """Note a slice; False if it would lie on another one, or be one too many."""
        taken = [(first, end) for first, (*_, end) in self.slices.items()]
        if len(taken) == MOST_SLICES or any(a < stop and start < b for a, b in taken):
            return False
        self.slices[start] = number, node, stop
        return True

    def join(self) -> None:
        """Make runs of the slices side by side."""
        waiting = dict(sorted(self.slices.items()))
        while waiting:
            start = stop = next(iter(waiting))
            found = []
            while stop in waiting:
                number, node, stop = waiting.pop(stop)
                found.append((number, node))
            if len(found) > 1:
                first, node = min(found, key=operator.itemgetter(0))
                out = _resized(node.results[0], self.axis, stop - start)
                self.runs.append(Run(start, stop, first, node, out))

    def part(self, start: int, stop: int) -> tuple[Value, Any]:
        """The array that some slices are a part of, and the index; None: they are all.

        They are known to be in one run.
        """
        array, first = self.array, 0
        if array is None:
            runs = (run for run in self.runs if run.start <= start < run.stop)
            first, *_, array = next(runs)
        size = array.shape[self.axis]
        here = slice(
            start - first or None, stop - first if stop - first < size else None
        )
        if here == slice(None):
            return array, None
        before = (slice(None),) * self.axis
        return array, (*before, here) if before else here


class Run(NamedTuple):
    """Slices from ``start`` to ``stop``: computed at once, before the step ``number``.

    ``node`` is the step that computes the first of them.
    """

    start: int
    stop: int
    number: int
    node: Node
    out: Value


def vectorise_slices(graph: Program) -> Program:
    """Let ``f(z[:3])``, ``f(z[3:])`` be parts of ``f(z)``."""
    if operator.getitem not in graph.functions:
        return graph
    items = [step for step in graph.nodes if step.function is operator.getitem]
    if sum([_axis_cut(step) is not None for step in items]) < 2:
        return graph
    slices = _Slices(graph)
    for work in slices.works:
        work.join()
    if not any(work.runs for work in slices.works):
        return graph
    nodes = [step.renamed(slices.names) for step in slices.joined(graph.nodes)]
    return eliminate_dead_code(graph.with_nodes(nodes, {}))


class _Slices:
    """The slices in a graph, and of what work each is one."""

    def __init__(self, graph: Graph) -> None:
        # By NumPy's ways with whole arrays and parts, the last bit may be another.
        self.left = exposed(graph) | decisive(graph) | {*graph.results}
        self.slices: dict[Value, Slice] = {}
        self.cut: dict[Hashable, Work] = {}
        self.done: dict[Hashable, Work] = {}
        # What was called after its function is so still.
        self.names: dict[Value, Value] = {}
        guards = 0
        for number, step in enumerate(graph.nodes):
            if type(step) is Guard:
                guards += 1  # what comes after a guard stays there
            else:
                self._note(step, number, guards)

    @property
    def works(self) -> Iterable[Work]:
        """All that is done with slices, each after what it is done with."""
        return self.done.values()

    def _note(self, node: Node, number: int, guards: int) -> None:
        """Find out whether a result is a slice, and of which work."""
        is_item = node.function is operator.getitem
        if is_item and (axis := _axis_cut(node)) is not None:
            array, index = node.args
            entry = index[axis] if isinstance(index, tuple) else index
            start, stop, _ = entry.indices(array.shape[axis])
            work = self.cut.setdefault((array, axis), Work(axis, array))
            self.slices[node.results[0]] = Slice(work, start, stop)
        elif (cut := self._slice_of(node)) is not None:
            whole, start, stop = cut
            key = self._key(node), whole.axis, guards
            work = self.done.setdefault(key, Work(whole.axis))
            if work.add(number, node, start, stop):
                self.slices[node.results[0]] = Slice(work, start, stop)

    def _slice_of(self, node: Node) -> Slice | None:
        """A slice of that work, if all operands but numbers are slices in one place."""
        for value in node.inputs:
            if value in self.slices:
                break
        else:
            return None  # as of most
        if (
            not isinstance(node.function, np.ufunc)
            or not facts_of(node.function).elementwise
            or type(node.out) is not Value
            or node.kwargs
            or node.has_effect
            or node.out in self.left
            or not all(type(arg) is Value or np.ndim(arg) == 0 for arg in node.args)
        ):
            return None
        found = {self.slices.get(value) for value in node.inputs if value.shape}
        positions = {cut and (cut.whole.axis, *cut[1:]) for cut in found}
        same = all(v.shape in ((), node.out.shape) for v in node.inputs)
        return next(iter(found)) if same and len(positions) == 1 else None

    def _key(self, node: Node) -> Hashable:
        """The same for what is done with several slices of the same."""
        stand_ins = {
            value: self.slices[value].whole.stand_in
            for value in node.inputs
            if value in self.slices
        }
        return key_of(node.with_values(stand_ins)), node.in_backward

    # ----- The other program -----
    def joined(self, steps: Iterable[Step]) -> Iterator[Step]:
        """The steps, with each run before the first of its slices, which are parts."""
        begins = defaultdict(list)
        for work in self.works:
            for run in work.runs:
                begins[run.number].append(run)
        for number, step in enumerate(steps):
            for run in begins[number]:
                yield from self._written(run)
            if type(step) is Node and step.out in self.slices:
                step = self._as_part(step, self.slices[step.out])
            yield step

    def _as_part(self, node: Node, cut: Slice) -> Node:
        """A step that is done in a run as what takes its part of that."""
        whole, start, stop = cut
        if not any(run.start <= start < run.stop for run in whole.runs):
            return node
        value, called = node.results[0], node.function.__name__
        if value.name is None and value.hint is None:
            self.names[value] = replace(value, hint=called)
        args = whole.part(start, stop)
        return replace(node, function=operator.getitem, args=args)

    def _written(self, run: Run) -> Iterator[Node]:
        """One call in the place of several, of parts of what they are slices of."""
        node = run.node
        parts: dict[Value, Value] = {}
        for value in dict.fromkeys(node.inputs):
            if value not in self.slices:
                continue
            array, index = self.slices[value].whole.part(run.start, run.stop)
            parts[value] = array
            if index is not None:
                parts[value] = replace(run.out, dtype=value.dtype, hint=array.name)
                where, late = node.where, node.in_backward
                args = array, index
                yield Node(operator.getitem, args, {}, parts[value], where, late)
        yield replace(node.with_values(parts), out=run.out)


def _axis_cut(step: Step) -> int | None:
    """Along which axis a step cuts a part out of an array; None if it does not."""
    if type(step) is not Node or step.function is not operator.getitem:
        return None
    array, index = step.args
    entries = index if isinstance(index, tuple) else (index,)
    is_plain = type(array) is Value and array.kind == "array"
    if not is_plain or any(type(e) is not slice or any(values_in(e)) for e in entries):
        return None
    spans = [e.indices(n) for e, n in zip(entries, array.shape, strict=False)]
    cut = [i for i, span in enumerate(spans) if span != (0, array.shape[i], 1)]
    if len(cut) != 1:
        return None
    start, stop, step_ = spans[cut[0]]
    return cut[0] if start < stop and step_ == 1 else None


def _resized(value: Value, axis: int, size: int) -> Value:
    """One like a slice, but for its size along the axis."""
    shape = (*value.shape[:axis], size, *value.shape[axis + 1 :])
    return Value(shape, value.dtype, None, value.kind, value.hint)
