"""What depends on the length of an array, where that is any: ``np.zeros(len(x))``.

A graph is written for the shapes of one run. Here it is found out of which arrays the
first axis may be of another length: all that is done with one, with its gradient, and
with what these become in loops, has to be known to do the same then. What makes such an
array is given the length; an array with as many elements that is none of these is no
coincidence that is relied upon: the length stays what it was.

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
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Halves, Joint, walk
from srcgrad.loops import Loop
from srcgrad.steps import Guard, Node, Step, Value, bodies_of, values_in
from srcgrad.updates import UPDATES, again, mark_complete, scatter

# What gives an array like its first argument.
LIKE_FIRST = UPDATES | {np.copy, again, mark_complete}

# What makes an array of a shape, and where among the arguments that is.
SHAPED = {np.zeros: 0, scatter: 2}


@dataclass(frozen=True, slots=True)
class Opened:
    """``open``: the inputs of any length; ``equal``: pairs of those of the same."""

    graph: Joint
    open: frozenset[Value]
    equal: tuple[tuple[Value, Value], ...] = ()


def with_lengths(
    graph: Joint, candidates: Collection[Value], sources: Sequence[Value | None]
) -> Opened:
    """The graph for inputs of any length, as far as these can be.

    ``sources`` are the inputs that the gradients are of, where that is known.
    """
    pairs = [*zip(sources, graph.gradients, strict=True)]
    families = _Families([graph], candidates, pairs)
    found = families.open()
    lengths: dict[int, Value] = {}
    first: list[Step] = []
    equal: list[tuple[Value, Value]] = []
    for one, *others in families.groups(found):
        equal += [(one, other) for other in others]
        sized = [step for step in graph.nodes if families.gives(step, one)]
        if sized:
            length = Value((), np.dtype(np.intp), kind="float", hint="length")
            first.append(Node(len, (one,), out=length))
            lengths.update(dict.fromkeys(map(id, sized), length))
    rest = (
        _of_length(step, lengths[id(step)]) if id(step) in lengths else step
        for step in graph.nodes
    )
    # It is not the array that is read on the way back.
    held = (*graph.held, *dict.fromkeys(lengths.values()))
    opened = replace(graph, nodes=(*first, *rest), held=held)
    return Opened(opened, frozenset(found), tuple(equal))


def stay_open(halves: Halves, opened: Opened, sources: Sequence[Value | None]) -> bool:
    """Whether the inputs still are of any length in what is to be written."""
    graphs = [g for g in (halves.forward, halves.backward, halves.in_full) if g]
    gradients = opened.graph.gradients
    of = [s for s, g in zip(sources, gradients, strict=True) if g is not None]
    last = (halves.backward or halves.forward).outputs
    pairs = zip(of, last[len(last) - len(of) :], strict=True)
    families = _Families(graphs, opened.open, [*pairs, *opened.equal], is_last=True)
    return families.open() == opened.open


class _Families:
    """Arrays that are as long as each other, however long that is.

    ``pairs`` are of such, the second of which may be None. ``is_last``: what makes
    these has been given the length.
    """

    def __init__(
        self,
        graphs: Sequence[Graph],
        candidates: Collection[Value],
        pairs: Iterable[tuple[Value | None, Value | None]],
        is_last: bool = False,
    ) -> None:
        self._graphs, self._is_last = graphs, is_last
        self._first: dict[Value, Value] = {}
        self._inputs = [v for v in graphs[0].inputs if v in candidates]
        self._given_back: set[Value] = set()
        for source, gradient in pairs:
            if source in self._inputs and gradient is not None:
                self._join(source, gradient)
                self._given_back.add(gradient)
        for step in self._steps():
            for one, other in _alike(step):
                self._join(one, other)

    def _steps(self) -> Iterator[Step]:
        for graph in self._graphs:
            yield from walk(graph)

    def _root(self, value: Value) -> Value:
        while value in self._first:
            value = self._first[value]
        return value

    def _join(self, one: Value, other: Value) -> None:
        one, other = self._root(one), self._root(other)
        if one is not other:
            self._first[other] = one

    def groups(self, found: Collection[Value]) -> Iterator[list[Value]]:
        """Those of the inputs that are as long as each other."""
        kept = [value for value in self._inputs if value in found]
        for root in dict.fromkeys(map(self._root, kept)):
            yield [value for value in kept if self._root(value) is root]

    def gives(self, step: Step, one: Value) -> bool:
        """Whether a step makes an array as long as another one, of a shape."""
        is_made = isinstance(step, Node) and step.function in SHAPED
        return is_made and self._root(step.results[0]) is self._root(one)

    def open(self) -> set[Value]:
        """The inputs of which all that becomes of them is known."""
        roots = {self._root(value) for value in self._inputs}
        sizes = {value.shape[0] for value in self._inputs}
        # What is as long and is nobody's: who knows why.
        strange: set[int] = set()
        closed: set[Value] = set()
        for value in self._values():
            other = value.shape[1:] if self._root(value) in roots else value.shape
            strange |= sizes.intersection(other)
        made = {v for step in self._steps() for v in step.results}
        for graph in self._graphs:
            given = set(graph.given) - made - set(self._inputs)
            closed |= {self._root(value) for value in given}
            top = set(map(id, graph.nodes))
            lost = set(graph.outputs) - self._given_back
            closed |= {self._root(value) for value in lost}
            for step in walk(graph):
                strange |= sizes.intersection(_sizes_of_constants(step))
                if not self._is_known(step, roots, id(step) in top):
                    closed |= {self._root(v) for v in (*step.inputs, *step.results)}
        return {
            value
            for value in self._inputs
            if self._root(value) not in closed and value.shape[0] not in strange
        }

    def _values(self) -> Iterator[Value]:
        for graph in self._graphs:
            yield from (*graph.given, *graph.results)
        for step in self._steps():
            yield from (*step.inputs, *step.results)
            for body in () if isinstance(step, Guard) else bodies_of(step.function):
                yield from (*body.given, *body.results)

    def _is_known(self, step: Step, roots: set[Value], is_on_top: bool) -> bool:
        """Whether a step does the same with arrays of another length."""
        ours = {
            value
            for value in (*step.inputs, *step.results)
            if self._root(value) in roots
        }
        if not ours:
            return True
        if isinstance(step, Guard):
            return False
        function, args = step.function, step.args
        constants = {v for body in bodies_of(function) for v in body.constants}
        if any(self._root(value) in roots for value in constants):
            return False
        if isinstance(function, Loop):
            each = set(values_in(list(function.given(args)[0])))
            _, _, kept, lists = function.results(step.results)
            return ours.isdisjoint((*each, *kept, *lists))
        if isinstance(function, Branch):
            return args[0] not in ours
        if step.kwargs:
            return False
        if function is len:
            return True
        if function is operator.getitem:
            return ours == {args[0]} and is_element(args[1])
        if function in UPDATES:
            return ours <= {args[0], step.out} and is_element(args[1])
        if function is scatter and not (is_on_top and is_element(args[1])):
            return False
        if function in SHAPED:
            shape = args[SHAPED[function]]
            first = shape[0] if isinstance(shape, tuple) else shape
            has_length = isinstance(first, Value)
            is_told = has_length if self._is_last else is_on_top
            return ours == {step.out} and is_told
        if _is_sum(step):
            return True
        return function in LIKE_FIRST and ours == {args[0], step.out}


def is_element(index: Any) -> bool:
    """Whether an index selects one item of the first axis, by its number."""
    parts = index if isinstance(index, tuple) else (index,)
    if not parts:
        return False
    first = parts[0]
    if isinstance(first, Value):
        is_one = not first.shape and first.dtype.kind in "iu"
        return is_one and first.kind in ("scalar", "float")
    is_number = isinstance(first, (int, np.integer)) and not isinstance(first, bool)
    return is_number and all(part is not None for part in parts)


def _alike(step: Step) -> Iterator[tuple[Value, Value]]:
    """Pairs of arrays that are as long as each other, as a step has it."""
    pairs: Iterable[tuple[Any, Any]] = ()
    if isinstance(step, Guard):
        return
    function, args = step.function, step.args
    if isinstance(function, Loop):
        _, first, around = function.given(args)
        _, _, states, inner = function.parameters()
        carried, last, _, _ = function.computed()
        results = function.results(step.results)
        pairs = [
            *zip((*first, *around), (*states, *inner), strict=True),
            *zip(states, carried, strict=True),
            *zip((*results[0], *results[1]), (*carried, *last), strict=True),
        ]
    elif isinstance(function, Branch):
        pairs = [
            pair
            for arm in function.bodies
            for pair in (
                *zip(args[1:], arm.inputs, strict=True),
                *zip(step.results, arm.outputs, strict=True),
            )
        ]
    elif function in LIKE_FIRST:
        pairs = [(args[0], step.out)]
    elif _is_sum(step):
        pairs = [(step.out, arg) for arg in args]
    for one, other in pairs:
        if isinstance(one, Value) and isinstance(other, Value) and one.shape:
            yield one, other


def _is_sum(step: Node) -> bool:
    """Whether it adds arrays of one shape, and nothing is broadcast."""
    shapes = {getattr(each, "shape", None) for each in (step.out, *step.args)}
    return step.function is np.add and not step.kwargs and len(shapes) == 1


def _sizes_of_constants(step: Step) -> Iterator[int]:
    """How many elements there are in arrays among a step's arguments."""
    if isinstance(step, Guard):
        return
    for item in (*step.args, *step.kwargs.values()):
        if isinstance(item, np.ndarray):
            yield from item.shape


def _of_length(step: Step, length: Value) -> Node:
    """A step that makes an array of a shape, with a length for that of the run."""
    assert isinstance(step, Node)
    place = SHAPED[step.function]
    shape = step.args[place]
    rest = shape[1:] if isinstance(shape, tuple) else ()
    is_plain = step.function is np.zeros and not rest
    made = length if is_plain else (length, *rest)
    args = (*step.args[:place], made, *step.args[place + 1 :])
    return replace(step, args=args)
