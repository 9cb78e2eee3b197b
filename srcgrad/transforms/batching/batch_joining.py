"""Batching rules: arrays joined to one, and one taken apart."""

from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.steps import Node, Value
from srcgrad.transforms.batching.batcher import (
    Batcher,
    Bound,
    batches,
    present,
    shifted,
)

# The formula of this rule, the axis that each joins along: by the number of axes that
# each array has at least.
STACKS: dict[Operation, tuple[int, dict[int, int], int]] = {
    np.hstack: (1, {1: 0}, 1),
    np.vstack: (2, {}, 0),
    np.dstack: (3, {}, 2),
    np.column_stack: (2, {}, 1),
}


@batches(*present(np, "concatenate concat"))
def concatenate(batcher: Batcher, node: Node, bound: Bound) -> Any:
    arrays, axis = node.args[0], bound["axis"]
    if not isinstance(arrays, (tuple, list)):
        return NotImplemented
    if axis is None:
        parts = [batcher.flattened(_value(batcher, x)) for x in arrays]
        axis = 1
    else:
        parts = [batcher.spread(x) for x in arrays]
        axis = shifted(axis, len(np.shape(arrays[0])) or len(arrays[0].shape))
    options = {key: node.kwargs[key] for key in node.kwargs.keys() - {"axis", "out"}}
    return batcher.same(node, (parts,), {"axis": axis, **options})


def _value(batcher: Batcher, x: Any) -> Value:
    return x if type(x) is Value else batcher.spread(x)


@batches(np.stack)
def stack(batcher: Batcher, node: Node, bound: Bound) -> Any:
    arrays, axis = node.args[0], bound["axis"]
    if not isinstance(arrays, (tuple, list)):
        return NotImplemented
    parts = [batcher.spread(x) for x in arrays]
    return batcher.same(node, (parts,), {"axis": shifted(axis, 0)})


@batches(*STACKS)
def stack_by_name(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """``np.vstack`` and its kin: concatenation, along an axis by their names."""
    least, exceptions, usual = STACKS[node.function]
    arrays = node.args[0]
    if not isinstance(arrays, (tuple, list)) or set(node.kwargs) - {"tup"}:
        return NotImplemented
    parts = []
    for x in arrays:
        shape = _with_axes(node.function, tuple(x.shape), least)
        parts.append(batcher.reshaped(batcher.spread(x), (batcher.size, *shape)))
        axis = exceptions.get(len(shape), usual)
    (out,) = node.results
    found = batcher.result(out)
    batcher.call_for(found, np.concatenate, (parts,), {"axis": axis + 1})
    return found


def _with_axes(function: Any, shape: tuple[int, ...], least: int) -> tuple[int, ...]:
    """The shape of an array as it is joined."""
    if function is np.column_stack:
        return shape if len(shape) > 1 else (*(shape or (1,)), 1)
    at_least = {1: np.atleast_1d, 2: np.atleast_2d, 3: np.atleast_3d}[least]
    found: tuple[int, ...] = np.shape(at_least(np.broadcast_to(0.0, shape)))
    return found


@batches(np.append)
def append(batcher: Batcher, node: Node, bound: Bound) -> Any:
    arrays = [bound["arr"], bound["values"]]
    if not all(type(x) is Value for x in arrays):
        return NotImplemented
    axis = bound["axis"]
    position = 1 if axis is None else shifted(axis, len(arrays[0].shape))
    make = batcher.flattened if axis is None else batcher.spread
    found = batcher.result(node.results[0])
    parts = [make(x) for x in arrays]
    batcher.call_for(found, np.concatenate, (parts,), {"axis": position})
    return found


@batches(*present(np, "split array_split hsplit vsplit dsplit"))
def split(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x = bound["ary"]
    by_name = {np.hsplit: min(len(x.shape) - 1, 1), np.vsplit: 0, np.dsplit: 2}
    axis = by_name.get(node.function, bound.get("axis"))
    sections = bound["indices_or_sections"]
    if batcher.is_batched(sections) or not batcher.is_batched(x):
        return NotImplemented
    out = tuple(map(batcher.result, node.results))
    function = np.split if node.function in by_name else node.function
    args = (batcher.of(x), sections)
    batcher.call_for(out, function, args, {"axis": shifted(axis, len(x.shape))})
    return out


@batches(*present(np, "unstack"))
def unstack(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x = node.args[0]
    axis = shifted(bound["axis"], len(x.shape))
    return batcher.same(node, (batcher.of(x),), {"axis": axis})


@batches(np.delete)
def delete(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, axis, positions = bound["arr"], bound["axis"], bound["obj"]
    if batcher.is_batched(positions):
        return NotImplemented
    wide = batcher.flattened(x) if axis is None else batcher.of(x)
    axis = 1 if axis is None else shifted(axis, len(x.shape))
    return batcher.same(node, (wide, positions), {"axis": axis})


@batches(np.linspace, np.geomspace)
def spaced(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Numbers between two arrays, along an axis of the result."""
    if isinstance(node.out, tuple):
        return NotImplemented
    ends = [bound["start"], bound["stop"]]
    ndim = len(node.results[0].shape) - 1
    ends = [batcher.aligned(end, ndim) for end in ends]
    names = [*bound]
    options = {
        name: bound[name]
        for name in names[2:]
        if name in node.kwargs or name in names[: len(node.args)]
    }
    options["axis"] = shifted(bound["axis"], ndim)
    return batcher.same(node, ends, options)
