"""Scalars and small vectors on Python's floats, where that is worth it.

>>> f8 = np.dtype(float)
>>> x, y, dy, dx = (Value((), f8, name, "scalar") for name in ("x", "y", "dy", "dx"))
>>> s, t, u = (Value((), f8, None, "scalar") for _ in range(3))
>>> first = Node(np.power, (x, 2.5), out=s), Node(np.exp, (s,), out=y)
>>> later = (
...     Node(np.power, (x, 1.5), out=t),
...     Node(np.multiply, (dy, y), out=u),
...     Node(np.multiply, (u, t), out=dx),
... )
>>> partition = Partition(
...     Graph((x,), first, (y,)), Graph((x, y, dy), later, (dx,)), (x, y), (dx,)
... )
>>> found = scalarized(partition)
>>> print(found.unboxed.forward)
x_1 = float(x)
power = pow(x_1, 2.5)
y = exp(power)
finite(power)
y_1 = float64(y)
return y_1
>>> print(found.unboxed.backward)
power = pow(x, 1.5)
dy_1 = float(dy)
multiply = mul(dy_1, y)
dx = mul(multiply, power)
finite(dx)
dx_1 = float64(dx)
return dx_1

What is saved are floats then, and the graphs for NumPy save these too, and make what
they had of them.

>>> print(found.forward)
t = power(x, 2.5)
y = exp(t)
x_1 = float(x)
y_1 = float(y)
return y

Where Python raises an error, the graphs for NumPy are what runs. It does not raise if a
sum, difference, product or quotient overflows; so each result of these is looked at, or
another that is inf or nan whenever it is.
"""

import functools
import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Partition, walk
from srcgrad.loops import Loop
from srcgrad.policy import LOOK_COST, MOST_ADDED, WORTH
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.reading import arrays, decisive, nodes_needed
from srcgrad.transforms.scalarize.rematerialization import recomputed
from srcgrad.transforms.scalarize.unboxed_bodies import is_rough, jumps_inside
from srcgrad.transforms.scalarize.unboxed_elements import Apart
from srcgrad.transforms.scalarize.unboxed_loops import take_step
from srcgrad.transforms.scalarize.unboxed_numbers import BOOL, NotApartError
from srcgrad.transforms.scalarize.unseen import unseen
from srcgrad.unboxing import (
    FORMS,
    elements,
    finite,
    floats_of,
    listed,
    of_kind,
    row,
    scalars_of,
)
from srcgrad.updates import UPDATES, add_at, assign, scatter


def scalarized(partition: Partition) -> Partition:
    """Give a partition another one on floats, if all of it can, and gains by it."""
    graphs = [partition.forward]
    if partition.backward is not None:
        graphs.append(partition.backward)
    steps = [step for graph in graphs for step in graph.nodes]
    if not is_of_numbers(partition.forward, steps):
        return partition
    exact = decisive(Graph((), tuple(_jumping(steps)), ()))
    try:
        unboxed = _Unboxing(partition, exact).partition()
    except NotApartError:
        return partition
    unboxed_graphs = [
        unboxed.forward,
        *([unboxed.backward] if unboxed.backward else []),
    ]
    then = sum(
        LOOK_COST + sum(map(_cost_of_floats, graph.nodes)) for graph in unboxed_graphs
    )
    if then > WORTH * sum(map(_cost, steps)):
        return partition
    if unboxed.backward is None:
        unboxed = replace(unboxed, forward=recomputed(unboxed.forward))
    return replace(_saving_unboxed(partition, unboxed.saved), unboxed=unboxed)


def is_of_numbers(forward: Graph, steps: Sequence[Step]) -> bool:
    """Whether a program is written with numbers, rather than with arrays."""
    nodes = [
        step
        for step in (walk(forward) if forward.has_bodies else forward.nodes)
        if type(step) is Node and not (step.in_backward or step.bodies)
    ]
    looking = [
        n for n in nodes if n.function is operator.getitem or n.function is np.array
    ]
    if any(map(_looks_at_element, looking)):
        return 2 * sum([_is_of_number(node) for node in nodes]) >= len(nodes)
    for step in steps:
        for value in (*step.inputs, *step.results):
            if value.shape:
                return False
    return any(map(_is_of_number, nodes))


def _is_of_number(node: Node) -> bool:
    """Whether it gives a number, or makes an array of some."""
    for value in node.results:
        if value.shape:
            break
    else:
        return True
    return not any(v.shape for v in (node.inputs if node.inputs else node.results))


def _looks_at_element(node: Node) -> bool:
    """Whether it takes one number out of an array, or makes an array of some."""
    if node.function is operator.getitem:
        return type(node.out) is Value and node.out.kind == "scalar"
    return node.function is np.array and _is_of_number(node)


def _jumping(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, but for tests that no rounding decides: whether a length is zero.

    But which vector it is of is decisive.
    """
    lengths: dict[Value, Node] = {}
    for step in steps:
        if type(step) is Node and step.function is np.linalg.norm:
            lengths[step.results[0]] = step
        if type(step) is Node and is_rough(step) and step.args[0] in lengths:
            vector = lengths[step.args[0]].args
            step = replace(step, args=(*vector, *step.args[1:]))
        if type(step) is Node and not jumps_inside(step):
            step = Node(operator.add, step.inputs, {}, step.out)
        yield step


class _Unboxing:
    """Forward and backward, on their way into floats."""

    def __init__(self, partition: Partition, exact: AbstractSet[Value]) -> None:
        self.source = partition
        self.exact = exact

    def partition(self) -> Partition:
        source = self.source
        apart = Apart(source.forward, self.exact)
        for step in source.forward.nodes:
            take_step(apart, step)
        outputs = _outputs(source.forward, apart)
        kept = tuple(map(apart.keep, source.saved))
        users = [v for n in apart.nodes if _is_users(n) for v in n.results]
        apart.nodes = nodes_needed(apart.nodes, (*outputs, *kept, *users))
        forward = _finished(apart, source.forward, outputs)
        saved = tuple(apart.names.get(value, value) for value in kept)
        if source.backward is None:
            return Partition(forward, None, saved)
        known = {
            new: apart.named_items(old)
            for old, new in zip(source.saved, saved, strict=True)
        }
        backward = self._backward(source.backward, saved, known)
        each = iter(backward.outputs)
        gradients = tuple(None if g is None else next(each) for g in source.gradients)
        return Partition(forward, backward, saved, gradients)

    def _backward(
        self, graph: Graph, saved: Sequence[Value], known: Mapping[Value, Any]
    ) -> Graph:
        """The backward graph; it reads what the forward graph has saved."""
        inputs = (*saved, *graph.inputs[len(saved) :])
        given = replace(graph, inputs=inputs)
        apart = Apart(given, self.exact, known)
        for old, new in zip(graph.inputs, saved, strict=False):
            if new.kind in ("float", "floats"):
                apart.held[old] = apart.of(new)
            elif new.kind == "list":
                apart.sequences[old] = new
        for step in graph.nodes:
            take_step(apart, step)
        hints = {
            gradient: f"d{value.name}"
            for value, gradient in zip(
                self.source.forward.inputs, self.source.gradients, strict=False
            )
            if gradient is not None and value.name is not None
        }
        outputs = _outputs(graph, apart, hints)
        apart.nodes = nodes_needed(apart.nodes, outputs)
        return _finished(apart, given, outputs)


def _outputs(
    graph: Graph, apart: Apart, hints: Mapping[Value, str] = MappingProxyType({})
) -> tuple[Value, ...]:
    """The results of a graph; none of them may be in another's memory.

    Nor lie there in another order than that of a new array.
    """
    origins = graph.origins()
    makers = {value: step for step in graph.nodes for value in step.results}
    taken = set(graph.inputs)
    outputs = dict.fromkeys(graph.outputs)
    for value in arrays(outputs):
        sources = origins.get(value, {value})
        if not taken.isdisjoint(sources) or _is_strided(makers.get(value)):
            raise NotApartError
        taken |= sources
    made = {value: apart.give(value, hints.get(value)) for value in outputs}
    return tuple(made[value] for value in graph.outputs)


def _is_strided(maker: Step | None) -> bool:
    """Whether a result is a view whose elements may lie apart, or in another order."""
    if type(maker) is not Node or not maker.shares_memory:
        return False
    if maker.function is not operator.getitem or len(maker.results[0].shape) > 1:
        return maker.function is not np.reshape
    index = maker.args[1] if isinstance(maker.args[1], tuple) else (maker.args[1],)
    last = index[-1] if len(index) == len(maker.args[0].shape) else slice(None)
    return not (isinstance(last, slice) and last.step in (None, 1))


def _finished(apart: Apart, graph: Graph, outputs: Sequence[Value]) -> Graph:
    """The nodes with a look at what may be inf or nan, before the results are made."""
    borders = {id(node) for node in apart.nodes if _is_result(node, outputs)}
    steps = [node for node in apart.nodes if id(node) not in borders]
    last = [node for node in apart.nodes if id(node) in borders]
    checked, _ = unseen(apart, steps)
    checked += apart.looked_at
    lists = [node for node in last if not apart.lists.isdisjoint(node.results)]
    for node in lists:
        members = set(node.inputs)
        if len(members.intersection(checked)) > MOST_ADDED:
            checked = [value for value in checked if value not in members]
            checked += node.results
    look = [Node(finite, tuple(checked), must_run=True)] if checked else []
    last = [node for node in last if node not in lists]
    nodes = tuple(map(apart.named, (*steps, *lists, *look, *last)))
    inputs = tuple(apart.names.get(value, value) for value in graph.inputs)
    results = tuple(apart.names.get(value, value) for value in outputs)
    return Graph(inputs, nodes, results)


def _is_users(step: Step) -> bool:
    """Whether it is the user's own: what overflows there is seen, wanted or not."""
    return type(step) is Node and not step.in_backward


def _is_result(node: Step, outputs: Sequence[Value]) -> bool:
    """Whether it makes a result of floats; a row of an array is none."""
    if type(node) is not Node or not node.results:
        return False
    if node.function is np.array:
        return node.results[0] in outputs
    return node.function in (np.float64, listed, of_kind)


# ----- What it costs, in nanoseconds -----
def _cost(step: Step) -> float:
    """About how long a step of NumPy takes."""
    if type(step) is Guard or not step.results:
        return 0.0
    if isinstance(function := step.function, Loop):
        return float(function.count * sum(map(_cost, function.body.nodes)))
    if type(function) is Branch:
        return max(sum(map(_cost, arm.nodes)) for arm in function.bodies)
    kinds, has_axes = set(), False
    for value in (*step.inputs, *step.results):
        kinds |= {value.kind}
        has_axes = has_axes or bool(value.shape)
    if kinds == {"float"}:
        return FORMS[step.function].nanoseconds if step.function in FORMS else 50.0
    if step.function in COSTS:
        return COSTS[step.function]
    if has_axes:
        return 400.0
    if step.function not in CHEAP_UFUNCS:
        return 300.0
    return 150.0 if "array" in kinds else 40.0


# The formula of this pass, nanoseconds as measured: `CHEAP_UFUNCS` of arrays take 400.
CHEAP_UFUNCS = frozenset(
    {np.add, np.subtract, np.multiply, np.divide, np.negative, np.absolute}
)
COSTS: dict[Any, float] = {
    **dict.fromkeys((np.maximum, np.minimum, np.power, np.arctan2, np.hypot), 500.0),
    **dict.fromkeys((scatter, assign, add_at), 180.0),
    **dict.fromkeys((np.reshape, np.transpose, np.expand_dims), 80.0),
    operator.getitem: 60.0,
    **dict.fromkeys((np.matmul, np.dot, np.inner, np.sum), 700.0),
    np.where: 1200.0,
    np.linalg.norm: 1400.0,
    np.stack: 3000.0,
    np.cross: 10_000.0,
}


def _cost_of_floats(step: Step) -> float:
    """The same, of a step on floats."""
    if type(step) is Guard:
        return 0.0
    if isinstance(function := step.function, Loop):
        return float(function.count * sum(map(_cost_of_floats, function.body.nodes)))
    if type(function) is Branch:
        return max(sum(map(_cost_of_floats, arm.nodes)) for arm in function.bodies)
    if step.function in UPDATES and step.results[0].kind == "array":
        return COSTS[step.function]
    if step.function is row:
        return 100.0 + 12.0 * math.prod(step.results[0].shape)
    if step.function in BORDERS:
        fixed, each = BORDERS[step.function]
        return fixed + (len(step.inputs) + len(step.results)) * each
    return NANOSECONDS.get(step.function, 140.0)


# The border, and the checks: a part for the call, and one for each float.
BORDERS: dict[Any, tuple[float, float]] = {
    elements: (40.0, 8.0),
    np.array: (250.0, 15.0),
    listed: (10.0, 3.0),
    finite: (40.0, 10.0),
    float: (25.0, 0.0),
    np.float64: (70.0, 0.0),
}
NANOSECONDS: dict[Any, float] = {
    **{form.function: form.nanoseconds for form in FORMS.values()},
    operator.getitem: 20,
    add_at: 40,
    assign: 30,
}


# ----- What is saved -----
def _saving_unboxed(partition: Partition, saved: Sequence[Value]) -> Partition:
    """Let the graphs for NumPy save floats, and read them."""
    pairs = [
        (old, new.twin())
        for old, new in zip(partition.saved, saved, strict=True)
        if new is not old and old.kind != "float"
    ]
    fresh = dict(pairs)
    kept = tuple(fresh.get(value, value) for value in partition.saved)
    out = [Node(_forms(old)[0], (old,), out=new) for old, new in pairs]
    back = [Node(_forms(old)[1], (new,), out=old) for old, new in pairs]
    forward = partition.forward
    reading = functools.partial(_reading, kept=kept, nodes=back)
    return replace(
        partition,
        forward=replace(forward, nodes=(*forward.nodes, *out)),
        backward=reading(partition.backward),
        saved=kept,
        in_full=reading(partition.in_full),
    )


def _forms(value: Value) -> tuple[Any, Any]:
    """What makes the Python form of a Value, and what makes NumPy's of that."""
    if value.kind == "list":
        return floats_of, scalars_of
    python = listed if value.shape else bool if value.dtype == BOOL else float
    if value.kind == "array":
        return python, np.array
    return python, np.bool_ if value.dtype == BOOL else np.float64


def _reading(
    graph: Graph | None, kept: Sequence[Value], nodes: Iterable[Node]
) -> Graph | None:
    """A backward graph that makes NumPy's scalars and arrays of what is saved."""
    if graph is None:
        return None
    read = {v for step in graph.nodes for v in step.inputs}.union(graph.outputs)
    made = [node for node in nodes if not read.isdisjoint(node.results)]
    inputs = (*kept, *graph.inputs[len(kept) :])
    return replace(graph, inputs=inputs, nodes=(*made, *graph.nodes))
