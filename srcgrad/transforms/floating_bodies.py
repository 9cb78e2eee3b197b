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

from srcgrad.floats import Form, finite
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value, bodies_of
from srcgrad.transforms.elements import Apart
from srcgrad.transforms.numbers import BOOL, FLOAT, NotApartError, Number
from srcgrad.transforms.reading import jumps

CARRIED = Form(finite, may_overflow=True)


def jumps_inside(node: Node) -> bool:
    """Whether something is decided in a loop's body or an arm, or there is none.

    A test of a branch was decided where that is computed.
    """
    bodies = bodies_of(node.function)
    steps = [step for body in bodies for step in body.nodes]
    return not bodies or any(
        jumps_inside(step)
        if isinstance(step, Node) and bodies_of(step.function)
        else jumps(step) and bool(step.inputs)
        for step in steps
    )


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
