"""From the pattern of each node's arguments to those of its results."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.steps import Guard, Node, Step, Value, map_values, values_in
from srcgrad.transforms.batching.batch_elementwise import LIKE_UFUNCS
from srcgrad.transforms.batching.batch_products import MATMULS
from srcgrad.transforms.batching.batch_reductions import OF_TWO, OVER_AXES
from srcgrad.transforms.batching.batcher import bound_arguments, present
from srcgrad.transforms.batching.lines import ALONG_ONE_AXIS
from srcgrad.transforms.reading import nodes_needed
from srcgrad.transforms.sparsity.pattern import Pattern, dense, stacked, union
from srcgrad.updates import add_at, assign, cast, mark_complete, moved, scatter

# Gives the array that a Value stood for, and takes note that it must stay the same.
Look = Callable[[Value], Any]

ELEMENTWISE = {*LIKE_UFUNCS, cast, mark_complete, moved}
REDUCTIONS = {*OVER_AXES, *(ufunc.reduce for ufunc in OF_TWO)}
LINES = {*ALONG_ONE_AXIS}

# The formula of this pass: what reads nothing of an argument but its shape and dtype.
NEW = {*present(np, "zeros_like ones_like empty_like")}


def sparsity(steps: Iterable[Step], x: Value, y: Value, look: Look) -> Pattern:
    """The pattern of an output by an input: a row for each element of the output.

    Parameters
    ----------
    steps : iterable of Step
        Of a recording.
    x, y : Value
        Input and output.
    look : callable
        Gives the array that a Value stood for: places and repeats decide the pattern.

    Raises
    ------
    DenseError
        If it is not sparse.
    """
    width = math.prod(x.shape)
    known: dict[Value, Pattern] = {x: Pattern.identity(width)}
    for node in nodes_needed(tuple(steps), (y,)):
        if type(node) is Guard or known.keys().isdisjoint(node.inputs):
            continue
        if node.function in NEW or not any(v.dtype.kind in "fc" for v in node.results):
            continue
        found = _patterns(node, known, look)
        known.update(
            (value, pattern)
            for value, pattern in zip(node.results, found, strict=True)
            if value.dtype.kind in "fc"
        )
    return known.get(y) or Pattern.of([], [], math.prod(y.shape), width)


def _patterns(node: Node, known: dict[Value, Pattern], look: Look) -> list[Pattern]:
    """The patterns of a node's results."""
    function = node.function
    found: Any = None
    facts = facts_of(function)
    if function in ELEMENTWISE or facts.elementwise:
        found = [_elementwise(node, out, known) for out in node.results]
    elif facts.moves or function is assign:
        found = _moved(node, known, look)
    elif function in REDUCTIONS:
        found = _reduced(node, known)
    elif function in LINES:
        found = _along(node, known)
    elif function in (np.matmul, np.dot, *MATMULS):
        found = _multiplied(node, known)
    elif function is np.pad:
        found = _padded(node, known, look)
    elif function is np.convolve:
        found = _convolved(node, known)
    elif function in (scatter, add_at):
        found = _added(node, known, look)
    if found is None:
        found = [_from_all(node, out, known) for out in node.results]
    return found  # type: ignore[no-any-return]


def _numbers(shape: tuple[int, ...]) -> Any:
    """The elements of an array, by number."""
    return np.arange(math.prod(shape)).reshape(shape)


def _operands(node: Node, known: dict[Value, Pattern]) -> list[Value]:
    """The arguments of a node that depend on the input."""
    return [value for value in dict.fromkeys(node.inputs) if value in known]


def _from_all(node: Node, out: Value, known: dict[Value, Pattern]) -> Pattern:
    """Of a result of which each element may depend on all that comes in."""
    together = stacked([known[value] for value in _operands(node, known)])
    return dense(together, math.prod(out.shape))


def _elementwise(node: Node, out: Value, known: dict[Value, Pattern]) -> Pattern:
    """Each element depends on those in its place, as they are broadcast."""
    parts = []
    for value in _operands(node, known):
        pattern = known[value]
        if value.shape != out.shape:
            numbers = np.broadcast_to(_numbers(value.shape), out.shape)
            pattern = pattern.picked(numbers)
        parts.append(pattern)
    return union(parts)


def _moved(node: Node, known: dict[Value, Pattern], look: Look) -> list[Pattern] | None:
    """Move the numbers of elements instead of elements.

    All elements that carry nothing have the number -1, which stands for an empty row.
    """
    operands = _operands(node, known)
    together = stacked([known[value] for value in operands])
    numbers: dict[Value, Any] = {}
    start = 0
    for value in operands:
        # From 1 on, for NumPy fills with zeros.
        numbers[value] = 1 + start + _numbers(value.shape)
        start += math.prod(value.shape)

    def stand_in(value: Value) -> Any:
        if value in numbers:
            return numbers[value]
        if value.dtype.kind in "fc":
            return np.zeros(value.shape, int)
        return look(value)

    args = tuple(map(_without_data, node.args))
    if node.function is assign and type(args[2]) is not Value:
        args = (*args[:2], 0)
    kwargs = {key: _without_data(item) for key, item in node.kwargs.items()}
    results = node.function(*map_values(stand_in, args), **map_values(stand_in, kwargs))
    if not isinstance(node.out, tuple):
        results = (results,)
    return [together.picked(np.asarray(result) - 1) for result in results]


# The modes of padding that repeat elements, and compute none.
REPEATING = ("constant", "edge", "reflect", "symmetric", "wrap")


def _padded(
    node: Node, known: dict[Value, Pattern], look: Look
) -> list[Pattern] | None:
    """What is padded with is an element of the array, or carries nothing."""
    bound = bound_arguments(node)
    options = [bound.get(name, 0) for name in ("constant_values", "reflect_type")]
    if bound["mode"] not in REPEATING or not all(
        isinstance(option, (int, float)) or option == "even" for option in options
    ):
        return None
    args = bound["array"], bound["pad_width"], bound["mode"]
    return _moved(Node(np.pad, args, out=node.out), known, look)


def _convolved(node: Node, known: dict[Value, Pattern]) -> list[Pattern] | None:
    """Each element depends on a window of either array."""
    bound = bound_arguments(node)
    lengths = [math.prod(np.shape(bound[name])) for name in "av"]
    if bound["mode"] not in ("full", "same", "valid") or len(node.inputs) != 2:
        return None
    whole, shorter = sum(lengths) - 1, min(lengths)
    start = {"full": 0, "same": (shorter - 1) // 2, "valid": shorter - 1}
    positions = start[bound["mode"]] + _numbers(node.results[0].shape)
    parts = []
    for value, other in zip((bound["a"], bound["v"]), lengths[::-1], strict=True):
        if value in known:
            own = np.repeat(_numbers(value.shape), other)
            rows = own + np.tile(np.arange(other), len(own) // other)
            sums = known[value].picked(own).merged(rows, whole)
            parts.append(sums.picked(positions))
    return [union(parts)]


def _without_data(item: Any) -> Any:
    """An argument with zero for a number that is an element, and no place."""
    return 0 if isinstance(item, (float, complex, np.inexact)) else item


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None or not ndim:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(each % ndim for each in axes)


def _lines(value: Value, axes: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """For each element the number of that which a reduction makes of its line."""
    kept = tuple(1 if k in axes else n for k, n in enumerate(value.shape))
    return np.broadcast_to(_numbers(kept), value.shape), kept


def _reduced(node: Node, known: dict[Value, Pattern]) -> list[Pattern] | None:
    """Each element depends on those of its line, and on what is given besides."""
    bound = bound_arguments(node)
    x = bound[next(iter(bound))]
    if _operands(node, known) != [x]:
        return None
    numbers, kept = _lines(x, _axes(bound["axis"], len(x.shape)))
    return [known[x].merged(numbers, math.prod(kept))]


def _along(node: Node, known: dict[Value, Pattern]) -> list[Pattern] | None:
    """Each element of a line depends on all of it."""
    bound = bound_arguments(node)
    x, (out,) = bound[next(iter(bound))], node.results
    if _operands(node, known) != [x] or bound["axis"] is None or not x.shape:
        return None
    axes = _axes(bound["axis"], len(x.shape))
    numbers, kept = _lines(x, axes)
    lines = known[x].merged(numbers, math.prod(kept))
    return [lines.picked(np.broadcast_to(_numbers(kept), out.shape))]


def _multiplied(node: Node, known: dict[Value, Pattern]) -> list[Pattern] | None:
    """An element of a product depends on a row of one and a column of the other."""
    x, y = node.args
    (out,) = node.results
    if not all(type(each) is Value and each.shape for each in (x, y)):
        return None
    if node.function is np.dot and max(len(x.shape), len(y.shape)) > 2:
        return None
    # As matrices, and the result as it is then.
    rows = x.shape if len(x.shape) > 1 else (1, *x.shape)
    columns = y.shape if len(y.shape) > 1 else (*y.shape, 1)
    front = np.broadcast_shapes(rows[:-2], columns[:-2])
    whole = (*front, rows[-2], columns[-1])
    assert math.prod(whole) == math.prod(out.shape)
    parts = []
    for value, shape, axis in ((x, rows, -1), (y, columns, -2)):
        if value in known:
            kept = list(shape)
            kept[axis] = 1
            numbers = np.broadcast_to(_numbers(tuple(kept)), shape)
            lines = known[value].merged(numbers, math.prod(kept))
            parts.append(lines.picked(np.broadcast_to(_numbers(tuple(kept)), whole)))
    return [union(parts)]


def _added(node: Node, known: dict[Value, Pattern], look: Look) -> list[Pattern]:
    """What is added at places depends on all that is added there."""
    (out,) = node.results
    bound = bound_arguments(node)
    g, index = bound["g"], bound["index"]
    parts = []
    if node.function is add_at and bound["x"] in known:
        parts.append(known[bound["x"]])
    for value in values_in(g):
        if value in known:
            positions = _numbers(out.shape)[map_values(look, index)]
            numbers = np.broadcast_to(_numbers(value.shape), np.shape(positions))
            added = known[value].picked(numbers)
            parts.append(added.merged(positions, math.prod(out.shape)))
    return [union(parts)]
