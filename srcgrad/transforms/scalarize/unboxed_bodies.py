"""What goes into a graph inside, a loop's body or an arm, and comes out, as floats.

>>> x, inside = (Value((), FLOAT, "x", "scalar") for _ in range(2))
>>> outer, inner = Apart(Graph((x,), (), ())), Apart(Graph((inside,), (), ()))
>>> argument(outer, x, inside).kind, parameter(inner, inside).kind
('float', 'float')
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.reading import jumps
from srcgrad.transforms.scalarize.unboxed_elements import Apart
from srcgrad.transforms.scalarize.unboxed_numbers import (
    BOOL,
    FLOAT,
    NotApartError,
    Number,
)
from srcgrad.unboxing import Form, finite

CARRIED = Form(finite, may_overflow=True)


def jumps_inside(node: Node) -> bool:
    """Whether something is decided in a loop's body or an arm, or there is none.

    A test of a branch was decided where that is computed.
    """
    bodies = node.bodies
    return not bodies or any(decides(step) for body in bodies for step in body.nodes)


def decides(step: Step) -> bool:
    """Whether something is decided by a step, or inside of it."""
    if type(step) is Node and step.bodies:
        return jumps_inside(step)
    return jumps(step) and bool(step.inputs)


def is_rough(node: Node) -> bool:
    """Whether it asks if a number is 0, inf or nan."""
    return node.function in ROUGH and not any(
        type(arg) is Value or arg != 0 for arg in node.args[1:]
    )


# The formula of this pass: tests that come out the same but for the last bit.
ROUGH = frozenset({np.equal, np.not_equal, np.isinf, np.isnan, np.isfinite})


def exact_inside(loop: Any) -> set[Value]:
    """What has to be the same to the bit in a loop's body: what decides there.

    Where it is only asked whether the length of a vector is zero, say, that is what the
    vector depends on.
    """
    lengths: dict[Any, Node] = {}
    decisive: set[Value] = set()
    for step in loop.body.nodes:
        is_node = type(step) is Node
        if is_node and step.function is np.linalg.norm:
            lengths[step.out] = step
        if is_node and is_rough(step) and step.args[0] in lengths:
            decisive.update(lengths[step.args[0]].inputs)
        elif decides(step):
            decisive.update(step.inputs)
    return loop.needed_inside(decisive)  # type: ignore[no-any-return]


def inner_of(outer: Apart, graph: Graph, is_exact: bool) -> Apart:
    """What takes the steps of a graph inside; all in it is exact, if that is to be."""
    inside = (value for step in graph.nodes for value in step.results)
    return Apart(graph, {*outer.exact, *inside} if is_exact else outer.exact)


def argument(outer: Apart, item: Any, like: Value) -> Any:
    """What goes in for a parameter: a number, a list of them, or an index."""
    if like.is_index:
        if type(item) is int or (item in outer.given and item.is_index):
            return item
        raise NotApartError
    return outer.row(item) if like.shape else number_of(outer, item, like.dtype)


def number_of(apart: Apart, item: Any, dtype: Any = FLOAT) -> Any:
    """The float of a Value or a constant; or what is true or false."""
    numbers = apart.of(item)
    if numbers.shape:
        raise NotApartError
    number = numbers[()].item
    found = BOOL if isinstance(number, bool) else getattr(number, "dtype", FLOAT)
    if found != dtype:
        raise NotApartError
    return number


def parameter(inner: Apart, old: Value) -> Value:
    """What stands inside for what goes in."""
    if old.is_index:
        return old
    new = _in_floats(old)
    inner.given.add(new)
    _hold(inner, old, new)
    return new


def result(outer: Apart, old: Value) -> Value:
    """What stands outside for what comes out."""
    new = _in_floats(old)
    _hold(outer, old, new)
    if new.dtype == FLOAT and not new.shape:
        outer.forms[new] = CARRIED
    return new


def looking(inner: Apart, checked: Sequence[Value], inputs: Any, outputs: Any) -> Graph:
    """The graph of what has been taken, with a look at some numbers."""
    steps = list(inner.nodes)
    if checked:
        steps.append(Node(finite, tuple(checked), must_run=True))
    nodes = tuple(map(inner.named, steps))
    named = tuple(inner.names.get(value, value) for value in outputs)
    return Graph(tuple(inputs), nodes, named)


def _in_floats(old: Value) -> Value:
    if old.dtype != FLOAT and (old.dtype != BOOL or old.shape):
        raise NotApartError
    return replace(old, kind="floats" if old.shape else "float")


def _hold(apart: Apart, old: Value, new: Value) -> None:
    if old.shape:
        apart.rows[old] = new
    else:
        apart.held[old] = np.array(Number(apart, new), object)
