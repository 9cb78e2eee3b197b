"""What depends on the length of an array, where that is any: ``np.zeros(len(x))``.

A graph is written for the shapes of one run. Here it is found out of which inputs the
first axis may be of another length: all that is done with one, with its gradient, and
with what these become in loops, has to be known to do the same then (``axes``). What
makes such an array is given the length; an array with as many elements that is none of
these is no coincidence that is relied upon: the length stays what it was.

>>> from srcgrad.updates import add_at
>>> f8 = np.dtype(float)
>>> x, a, g = Value((5,), f8, "x"), Value((), f8, "a"), Value((), f8, "g")
>>> zeros, dx = Value((5,), f8), Value((5,), f8, "dx")
>>> nodes = (
...     Node(operator.getitem, (x, 3), out=a),
...     Node(np.zeros, ((5,),), out=zeros),
...     Node(add_at, (zeros, 3, g), out=dx),
... )
>>> graph = Joint((x,), nodes, (a,), cotangents=(g,), gradients=(dx,))
>>> opened = with_lengths(graph, {x}, [x])
>>> print(opened.graph)
length = len(x)
a = getitem(x, 3)
t = zeros(length)
dx = add_at(t, 3, g)
return a; dx
>>> with_lengths(graph, {x}, [None]).open
frozenset()
"""

import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph, Joint, Partition, walk
from srcgrad.selections import (
    has_several,
    is_selection,
    selected_shape,
    selections_in,
)
from srcgrad.stacking import stacked_list
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.loops.equal_axes import FIXED_AXIS, Axes, Axis
from srcgrad.transforms.loops.shape_rules import SHAPED, note


@dataclass(frozen=True, slots=True)
class Opened:
    """``open``: the inputs of any length; ``equal``: pairs of those of the same.

    Or of lengths with the same difference at any call. ``selected``: what is selected
    by masks that may count any number from two on.
    """

    graph: Joint
    open: frozenset[Value]
    equal: tuple[tuple[Value, Value], ...] = ()
    selected: frozenset[Value] = frozenset()


# With the place of a list among its items.
STACKED_OF_ANY = 3

# The number of an output, and that of its cotangent, if it has one.
Returned = tuple[int, int | None]


def with_lengths(
    graph: Joint,
    candidates: Collection[Value],
    sources: Sequence[Value | None],
    returned: Sequence[Returned] = (),
) -> Opened:
    """The graph for inputs of any length, as far as these can be.

    ``sources`` are the inputs that the gradients are of, where that is known.
    ``returned``: the outputs that may be of any length, by their numbers.
    """
    pairs = [*zip(sources, graph.gradients, strict=True)]
    ends = _ends(graph, graph.cotangents, returned)
    selections = selections_in(graph.nodes)
    kinds = _Kinds([graph], {*candidates, *selections}, pairs, ends)
    found = kinds.open()
    equal: list[tuple[Value, Value]] = []
    lengths = _Numbers(kinds)
    for one, *others in kinds.groups(found):
        if one not in selections:
            equal += [(one, other) for other in others]
        lengths.note(one)
    selected = found.intersection(selections)
    nodes = [_guarded(lengths.told(step), selected) for step in graph.nodes]
    # It is not the array that is read on the way back.
    held = (*graph.held, *lengths.made)
    opened = replace(graph, nodes=lengths.placed(nodes), held=held)
    is_open = frozenset(found - selected)
    return Opened(opened, is_open, tuple(equal), frozenset(selected))


def _guarded(step: Step, selected: Collection[Value]) -> Step:
    """A step; a guard on what may be of any count is that there are several."""
    if type(step) is not Guard or step.convert is not selected_shape:
        return step
    is_open = step.value in selected
    return replace(step, convert=has_several, observed=True) if is_open else step


def stay_open(
    partition: Partition,
    opened: Opened,
    sources: Sequence[Value | None],
    returned: Sequence[Returned] = (),
) -> bool:
    """Whether the inputs still are of any length in what is to be written."""
    graphs = [
        g for g in (partition.forward, partition.backward, partition.in_full) if g
    ]
    gradients = opened.graph.gradients
    of = [s for s, g in zip(sources, gradients, strict=True) if g is not None]
    last = (partition.backward or partition.forward).outputs
    pairs = zip(of, last[len(last) - len(of) :], strict=True)
    ends = _ends(partition.forward, partition.cotangents, returned)
    equal = [*pairs, *opened.equal]
    found = opened.open | opened.selected
    return _Kinds(graphs, found, equal, ends, is_last=True).open() == found


def _ends(
    graph: Graph, cotangents: Sequence[Value], returned: Sequence[Returned]
) -> list[tuple[Value, Value | None]]:
    return [
        (graph.outputs[i], None if k is None else cotangents[k]) for i, k in returned
    ]


class _Kinds:
    """Which axes of all arrays in some graphs are as long as those of inputs.

    ``pairs`` are of arrays that are as long as each other, the second of which may be
    None; ``ends`` of outputs that may be of any shape, and their cotangents, if any.
    ``is_last``: what makes an array of a shape has been given the length.
    """

    def __init__(
        self,
        graphs: Sequence[Graph],
        candidates: Collection[Value],
        pairs: Iterable[tuple[Value | None, Value | None]],
        ends: Sequence[tuple[Value, Value | None]],
        is_last: bool = False,
    ) -> None:
        self._graphs, self._is_last = graphs, is_last
        self.axes = Axes()
        # And what is selected, with the mask that it depends on.
        self._selected = _selected_by(graphs[0], candidates)
        inputs = (*graphs[0].inputs, *self._selected)
        self._inputs = [v for v in inputs if v in candidates]
        self._given_back = {output for output, _ in ends}
        self._known = {cotangent for _, cotangent in ends}
        for output, cotangent in ends:
            if cotangent is not None:
                self.axes.alike(output, cotangent)
        for source, gradient in pairs:
            if gradient is not None and source in self._inputs:
                self.axes.join((source, 0), (gradient, 0))
                self._given_back.add(gradient)
            else:
                self.axes.fix([gradient])
        for graph in graphs:
            for step in walk(graph):
                note(self.axes, step)
                if _is_whole(step):
                    self.axes.join(FIXED_AXIS, (step.results[0], 0))

    def groups(self, found: Collection[Value]) -> Iterator[list[Value]]:
        """Those of the inputs whose lengths depend on each other."""
        kept = [value for value in self._inputs if value in found]
        roots = {value: self.axes.root((value, 0)) for value in kept}
        for root in dict.fromkeys(roots.values()):
            yield [value for value in kept if roots[value] == root]

    def open(self) -> set[Value]:
        """The inputs of which all that becomes of them is known."""
        axes = self.axes
        made = set[Value]()  # what is saved comes from the way there
        for graph in self._graphs:
            made.update(v for step in walk(graph) for v in step.results)
            for value in {*graph.given, *graph.constants} - made - self._known:
                ours = value in self._inputs
                for axis in range(int(ours), len(value.shape)):
                    axes.join(FIXED_AXIS, (value, axis))
            axes.fix(set(graph.outputs) - self._given_back)
        sizes, loose = self._sizes()
        roots = {axes.root((value, 0)) for value in self._inputs}
        # What is as long and stays so: who knows why. How much a mask selects Python
        # has not seen; there it is a coincidence, where all else tells what it is.
        fixed = sizes.pop(FIXED_AXIS, set())
        strange, loose = set(fixed), loose & fixed
        for graph in self._graphs:
            for step in walk(graph):
                strange.update(_sizes_of_constants(step))
                if self._is_last:
                    not_told = {*_sizes_not_told(step, axes, roots)}
                    strange, loose = strange | not_told, loose | not_told
        found = {
            value
            for value in self._inputs
            if (root := axes.root((value, 0))) in sizes
            and not axes.is_fixed(root)
            and sizes[root].isdisjoint(loose if value in self._selected else strange)
            and min(sizes[root]) > 1
        }
        return found.difference(*map(self._mixed, self.groups(found)))

    def _mixed(self, group: Sequence[Value]) -> Sequence[Value]:
        """A group, if its lengths have to be the same but need not: by two masks."""
        by = {self._selected.get(value) for value in group}
        return group if len(by) > 1 else ()

    def _sizes(self) -> tuple[dict[Axis, set[int]], set[int]]:
        """The lengths of each kind of axes; those of which nothing else tells.

        Where a way back makes an array of a shape that is told by nothing else, it is
        that of something on the way there: of the axes that have this length.
        """
        axes = self.axes
        known = {(v, k): n for v in self._values() for k, n in enumerate(v.shape)}
        loose = set[int]()
        while True:
            roots = dict.fromkeys(axes.root((value, 0)) for value in self._inputs)
            roots.pop(FIXED_AXIS, None)
            sizes: dict[Axis, set[int]] = {root: set() for root in (*roots, FIXED_AXIS)}
            free: list[tuple[Axis, int]] = []
            for axis, length in known.items():
                root = axes.root(axis)
                if root in sizes:
                    sizes[root].add(length)
                else:
                    free.append((root, length))
            found = [
                (axis, root, length)
                for axis, length in free
                for root in roots
                if length in sizes[root]
            ]
            if not found:
                return sizes, loose
            for axis, root, length in found:
                loose.add(length)
                axes.join(root, axis)

    def _values(self) -> Iterator[Value]:
        for graph in self._graphs:
            yield from (*graph.given, *graph.results)
            for step in walk(graph):
                yield from (*step.inputs, *step.results)
                for body in step.bodies:
                    yield from (*body.given, *body.results)


class _Numbers:
    """The lengths, as numbers of the graph, for what makes arrays of them."""

    def __init__(self, kinds: _Kinds) -> None:
        self._axes = kinds.axes
        self._inputs: dict[Axis, Value] = {}
        # By the kind and the length.
        self._found: dict[tuple[Axis, int], Value] = {}
        self.steps: list[Step] = []

    @property
    def made(self) -> Iterable[Value]:
        """Those that are in the graph."""
        return [value for step in self.steps for value in step.results]

    def note(self, value: Value) -> None:
        """An input that tells a length."""
        self._inputs[self._axes.root((value, 0))] = value

    def placed(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """Steps with the numbers among them: each as soon as it is known."""
        found: list[Step] = []
        waiting = [*self.steps]
        missing = {v for step in (*waiting, *steps) for v in step.results}

        def put(step: Step) -> None:
            found.append(step)
            missing.difference_update(step.results)

        def put_known() -> None:
            for step in [*waiting]:
                if missing.isdisjoint(step.inputs):
                    waiting.remove(step)
                    put(step)

        put_known()
        for step in steps:
            put(step)
            put_known()
        return tuple(found)

    def told(self, step: Step) -> Step:
        """The same step, for any length: with the numbers, if it makes an array."""
        if type(step) is Guard:
            return step
        if step.bodies:
            return self._told_within(step)
        position = SHAPED.get(step.function)
        if position is None:
            return step
        out, shape = step.results[0], step.args[position]
        parts = shape if isinstance(shape, tuple) else (shape,)
        new = tuple(self._number((out, k), part) for k, part in enumerate(parts))
        if all(map(operator.is_, new, parts)):
            return step
        is_plain = step.function is np.zeros and len(new) == 1
        args = (
            *step.args[:position],
            new[0] if is_plain else new,
            *step.args[position + 1 :],
        )
        return replace(step, args=args)

    def _number(self, axis: Axis, length: Any) -> Any:
        root = self._axes.root(axis)
        source = self._inputs.get(root)
        if source is None or type(length) is not int or length < 0:
            return length
        if (root, length) not in self._found:
            more = length - source.shape[0]
            if more:
                whole = self._number(axis, source.shape[0])
                node = Node(operator.add, (whole, more), out=_number_of("length"))
                if more < 0:
                    node = replace(node, function=operator.sub, args=(whole, -more))
            else:
                node = Node(len, (source,), out=_number_of("length"))
            self.steps.append(node)
            self._found[root, length] = node.results[0]
        return self._found[root, length]

    def _told_within(self, step: Node) -> Node:
        """A loop or branch that is given the numbers which its bodies need."""
        new = [
            replace(body, nodes=tuple(map(self.told, body.nodes)))
            for body in step.bodies
        ]
        numbers = {*self._found.values()}
        needed = dict.fromkeys(
            value
            for body in new
            for inner in body.nodes
            for value in inner.inputs
            if value in numbers
        )
        if not needed:
            return step
        bodies = tuple(_with_inputs(body, needed) for body in new)
        function: Any = step.function
        function = function.with_bodies(bodies)
        return replace(step, function=function, args=(*step.args, *needed))


def _is_whole(step: Step) -> bool:
    """Whether it is an array of a loop's items that stand there one by one."""
    if type(step) is Guard or step.function is not stacked_list:
        return False
    return len(step.args) < STACKED_OF_ANY


def _selected_by(graph: Graph, candidates: Collection[Value]) -> dict[Value, Any]:
    """The masks by which some Values are selected, or what they are known by."""
    return {
        step.results[0]: step.args[1]
        for step in graph.nodes
        if type(step) is not Guard
        and step.results[0] in candidates
        and is_selection(step.function, step.args, step.results[0])
    }


def _with_inputs(body: Graph, needed: Mapping[Value, Any]) -> Graph:
    """A body with further inputs, for some Values outside."""
    inner = {value: value.twin() for value in needed}
    nodes = tuple(step.with_values(inner) for step in body.nodes)
    return replace(body, inputs=(*body.inputs, *inner.values()), nodes=nodes)


def _number_of(hint: str) -> Value:
    return Value((), np.dtype(np.intp), kind="float", hint=hint)


def _sizes_of_constants(step: Step) -> Iterator[int]:
    """How many elements there are in arrays among a step's arguments."""
    if type(step) is Guard:
        return
    for item in (*step.args, *step.kwargs.values()):
        if isinstance(item, np.ndarray):
            yield from item.shape


def _sizes_not_told(step: Step, axes: Axes, roots: Collection[Axis]) -> Iterator[int]:
    """The lengths that are numbers where they should be told."""
    if type(step) is Guard or step.function not in SHAPED:
        return
    shape = step.args[SHAPED[step.function]]
    for axis, length in enumerate(shape if isinstance(shape, tuple) else (shape,)):
        root = axes.root((step.results[0], axis))
        if root in roots and isinstance(length, int):
            yield step.results[0].shape[axis]
