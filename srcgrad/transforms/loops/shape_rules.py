"""What steps tell of the lengths of axes: which follow from which, see ``axes``.

What is not known of a step leaves all axes that it has to do with as long as they were.

>>> f8 = np.dtype(float)
>>> x, tail, R = (Value(shape, f8) for shape in ((5,), (4,), (4, 4)))
>>> axes = Axes()
>>> note(axes, Node(operator.getitem, (x, slice(1, None)), out=tail))
>>> axes.root((tail, 0)) == axes.root((x, 0)), axes.is_fixed((x, 0))
(True, False)
>>> note(axes, Node(np.diag, (tail,), out=R))
>>> axes.is_fixed((x, 0))
True
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.facts import facts_of
from srcgrad.loops import Loop
from srcgrad.selections import is_mask, may_change
from srcgrad.stacking import stacked_list
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.loops.equal_axes import (
    COUNT,
    FIXED_AXIS,
    Axes,
    Axis,
    axes_of,
    shape_of,
)
from srcgrad.updates import (
    add_at,
    again,
    assign,
    cast,
    mark_complete,
    moved,
    scatter,
)


def note(axes: Axes, step: Step) -> None:
    """Take note of what a step tells of the shapes of its arguments and results."""
    if type(step) is Guard:
        axes.fix(() if may_change(step) else step.inputs)
    elif type(step.function) is Loop:
        _loop(axes, step, step.function)
    elif type(step.function) is Branch:
        _branch(axes, step, step.function)
    else:
        rule = rule_of(step.function)
        if rule is None or not rule(axes, step):
            axes.fix((*step.inputs, *step.results))


def _elementwise(axes: Axes, node: Node) -> bool:
    if not node.kwargs.keys() <= {"dtype"}:
        return False
    return all(
        axes.broadcast(arg, axes_of(out), out.shape)
        for out in node.results
        for arg in node.args
    )


def _like_first(axes: Axes, node: Node) -> bool:
    axes.alike(node.args[0], node.results[0])
    return True


def _item(axes: Axes, node: Node) -> bool:
    value, out = node.args[0], node.results[0]
    if type(value) is not Value or value.kind == "list":
        return False
    found = axes.indexed(value, node.args[1])
    if found is None or len(found) != len(out.shape):
        return False
    for axis, other in zip(found, axes_of(out), strict=True):
        axes.join(axis, other)
    return True


def _put(axes: Axes, node: Node) -> bool:
    """``assign(x, index, v)`` and ``add_at``; ``scatter(g, index, shape)``."""
    out = node.results[0]
    if node.kwargs:
        return False
    if node.function is scatter:
        g, index, shape = node.args
        _shaped_by(axes, out, shape)
    else:
        x, index, g = node.args
        axes.alike(x, out)
    found = axes.indexed(out, index)
    part = None if found is None else _lengths(out, index, shape_of(g))
    return found is not None and part is not None and axes.broadcast(g, found, part)


def _lengths(
    value: Value, index: Any, given: tuple[int, ...] | None
) -> tuple[int, ...] | None:
    """The shape of a part; how much a mask selects tells what is ``given`` for it."""
    if is_mask(index):
        rest = value.shape[len(index.shape) :]
        count, *_ = given if given and len(given) > len(rest) else (0,)
        return None if count == 1 else (count, *rest)
    parts = index if isinstance(index, tuple) else (index,)
    plain = tuple(0 if type(part) is Value else part for part in parts)
    try:
        part: tuple[int, ...] = np.broadcast_to(np.False_, value.shape)[plain].shape
    except IndexError:
        return None
    return part


def _shaped_by(axes: Axes, out: Value, shape: Any) -> None:
    """Join axes with the numbers that say how long they are."""
    for axis, length in enumerate(shape if isinstance(shape, tuple) else (shape,)):
        if type(length) is Value:
            axes.join((out, axis), (length, 0))


def _made(axes: Axes, node: Node) -> bool:
    """``np.zeros(shape)`` and its kin."""
    if not node.kwargs.keys() <= {"dtype", "order"}:
        return False
    _shaped_by(axes, node.results[0], node.args[0])
    return all(shape_of(arg) == () for arg in node.args[1:2]) or node.function not in (
        np.full,
    )


def _broadcast_to(axes: Axes, node: Node) -> bool:
    out = node.results[0]
    if node.kwargs:
        return False
    _shaped_by(axes, out, node.args[1])
    return axes.broadcast(node.args[0], axes_of(out), out.shape)


def _reshaped(axes: Axes, node: Node) -> bool:
    """Where axes of length one come or go, and nothing else."""
    value, out = node.args[0], node.results[0]
    if node.kwargs or type(value) is not Value:
        return False
    one, other = ([a for a in axes_of(v) if v.shape[a[1]] != 1] for v in (value, out))
    if [v.shape[a] for v, a in one] != [v.shape[a] for v, a in other]:
        return False
    _shaped_by(axes, out, node.args[1])
    for first, second in zip(one, other, strict=True):
        axes.join(first, second)
    for axis in (*axes_of(value), *axes_of(out)):
        if axis not in one and axis not in other:
            axes.join(FIXED_AXIS, axis)
    return True


def _reduced(axes: Axes, node: Node) -> bool:
    value, out = node.args[0], node.results[0]
    if type(value) is not Value or len(node.args) > 2:
        return False
    if not node.kwargs.keys() <= {"axis", "keepdims", "dtype"}:
        return False
    rank = len(value.shape)
    axis = node.args[1] if len(node.args) > 1 else node.kwargs.get("axis")
    numbers = range(rank) if axis is None else axis
    numbers = (numbers,) if isinstance(numbers, int) else numbers
    gone = {number % max(rank, 1) for number in numbers}  # a number has an axis 0
    keeps = len(out.shape) == rank
    own = iter(axes_of(out))
    for number in range(rank):
        if number not in gone:
            axes.join((value, number), next(own))
        elif keeps:
            axes.join(FIXED_AXIS, next(own))
        if number in gone and node.function in COUNTING:
            axes.join(FIXED_AXIS, (value, number))
    return True


def _along(axes: Axes, node: Node) -> bool:
    """``np.cumsum(x)`` of one axis."""
    (value, *_), out = node.args, node.results[0]
    return type(value) is Value and value.shape == out.shape and _like_first(axes, node)


def _product(axes: Axes, node: Node) -> bool:
    """``x @ y`` of vectors and matrices."""
    if node.kwargs or len(node.args) != 2:
        return False
    x, y = node.args
    shapes = shape_of(x), shape_of(y)
    if None in shapes or not all(1 <= len(shape) <= 2 for shape in shapes):  # type: ignore[arg-type]
        return False
    first, second = axes_of(x), axes_of(y)
    axes.join(first[-1], second[0])
    for axis, own in zip(
        (*first[:-1], *second[1:]), axes_of(node.results[0]), strict=True
    ):
        axes.join(axis, own)
    return True


def _outer(axes: Axes, node: Node) -> bool:
    x, y = node.args
    if node.kwargs or len(shape_of(x) or ()) != 1 or len(shape_of(y) or ()) != 1:
        return False
    for axis, own in zip(
        (*axes_of(x), *axes_of(y)), axes_of(node.results[0]), strict=True
    ):
        axes.join(axis, own)
    return True


def _transposed(axes: Axes, node: Node) -> bool:
    value, out = node.args[0], node.results[0]
    if type(value) is not Value:
        return False
    order = node.args[1] if len(node.args) > 1 else node.kwargs.get("axes")
    rank = len(value.shape)
    order = range(rank)[::-1] if order is None else order
    for number, own in zip(order, axes_of(out), strict=True):
        axes.join((value, number % rank), own)
    return True


def _of_stacking(axes: Axes, node: Node) -> bool:
    """Of any count, as what a mask selects is; each item is a row."""
    out, loop = node.results[0], node.args[1]
    axes.join((out, 0), (loop, COUNT))
    for item in node.args[0]:
        if type(item) is not Value:
            continue
        if item.kind == "list":
            axes.join((out, 0), (item, COUNT))
        for number, own in enumerate(axes_of(item)):
            axes.join((out, number + 1), own)
    return True


def _length(axes: Axes, node: Node) -> bool:
    axes.join((node.results[0], 0), (node.args[0], 0))
    return True


def _moved_number(axes: Axes, node: Node) -> bool:
    """``length - 1``; of arrays it is a ufunc."""
    first, second = node.args
    if node.results[0].shape:
        return _elementwise(axes, node)
    if type(first) is Value and type(second) is int:
        axes.join((node.results[0], 0), (first, 0))
    return not any(shape_of(arg) for arg in node.args)


# The formula of these rules: how many elements there are is in the result, or in the
# gradient.
COUNTING = frozenset({np.mean, np.var, np.std})

Rule = Callable[[Axes, Node], bool]

# The formula of these rules: which is whose.
SHAPE_RULES: dict[Any, Rule] = {
    operator.getitem: _item,
    operator.add: _moved_number,
    operator.sub: _moved_number,
    len: _length,
    stacked_list: _of_stacking,
    scatter: _put,
    np.broadcast_to: _broadcast_to,
    np.reshape: _reshaped,
    np.transpose: _transposed,
    np.outer: _outer,
    np.cumsum: _along,
    **dict.fromkeys((assign, add_at), _put),
    **dict.fromkeys((np.zeros, np.ones, np.empty, np.full), _made),
    **dict.fromkeys((np.copy, cast, again, mark_complete, moved), _like_first),
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like), _like_first),
    **dict.fromkeys(
        (np.sum, np.max, np.min, np.amax, np.amin, np.any, np.all), _reduced
    ),
    **dict.fromkeys(COUNTING, _reduced),
    **dict.fromkeys((np.matmul, np.dot), _product),
}

# The formula of these rules: what makes an array of a shape, and where among the
# arguments that is.
SHAPED = {
    np.zeros: 0,
    np.ones: 0,
    np.empty: 0,
    np.full: 0,
    scatter: 2,
    np.broadcast_to: 1,
    np.reshape: 1,
}


def rule_of(function: Any) -> Rule | None:
    """What is known of a function's shapes, if it is."""
    found = SHAPE_RULES.get(function)
    if found is None and facts_of(function).elementwise:
        return _elementwise
    return found


# ----- Loops and branches -----


def _loop(axes: Axes, node: Node, loop: Loop) -> None:
    xs, first, consts = loop.given(node.args)
    _, items, states, inner = loop.parameters()
    carried, last, ys, lists = loop.computed()
    results = loop.results(node.results)
    for pairs in (
        zip((*first, *consts), (*states, *inner), strict=True),
        zip(states, carried, strict=True),
        zip((*results[0], *results[1]), (*carried, *last), strict=True),
        zip(results[3], lists, strict=True),
    ):
        for one, other in pairs:
            axes.alike(one, other)
    for value, found in zip(ys, loop.items_of(results[2]), strict=True):
        for one in found:
            axes.alike(one, value)
    for sequence, item in zip(xs, items, strict=True):
        for one in _items_of(sequence):
            axes.alike(one, item)
        if type(sequence) is Value and sequence.kind != "list":
            axes.fix((sequence, item))
    given = [v for v in xs if type(v) is Value and v.kind == "list"]
    counts = [(value, COUNT) for value in (*results[3], *given)]
    for axis in (*counts[1:], *_taken_by_number(loop, consts)):
        axes.join(counts[0] if counts else FIXED_AXIS, axis)
    for body in loop.bodies:
        axes.fix(body.constants)


def _taken_by_number(loop: Loop, consts: Sequence[Any]) -> Iterator[Axis]:
    """The first axes of arrays of which a loop back takes one row after another."""
    if loop.exit_condition is None or not loop.is_reversed:
        return
    indices, inner = loop.parameters()[0], loop.parameters()[3]
    outer = dict(zip(inner, consts, strict=True))
    for step in loop.body.nodes:
        if type(step) is Node and step.function is operator.getitem:
            array, index = step.args
            if type(index) is Value and index in indices and array in outer:
                yield outer[array], 0


def _items_of(sequence: Any) -> Iterator[Any]:
    if type(sequence) is Value:
        yield sequence
    else:
        yield from sequence


def _branch(axes: Axes, node: Node, branch: Branch) -> None:
    axes.fix([arg for arg in node.args[:1] if type(arg) is Value])
    for arm in branch.bodies:
        axes.fix(arm.constants)
        for one, other in zip(node.args[1:], arm.inputs, strict=True):
            axes.alike(one, other)
        for one, other in zip(node.results, arm.outputs, strict=True):
            axes.alike(one, other)
