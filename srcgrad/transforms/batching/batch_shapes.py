"""Batching rules: what moves elements, and makes arrays of other shapes of them."""

import math
from typing import Any

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.transforms.batching.batcher import (
    Batcher,
    Bound,
    batches,
    options_of,
    present,
    shifted,
)
from srcgrad.updates import assign

# The formula of this rule: what only adds or drops axes of length one.
AXES_ONLY = present(np, "expand_dims squeeze")


@batches(*AXES_ONLY)
def of_length_one(batcher: Batcher, node: Node, bound: Bound) -> Any:
    return batcher.reshaped(
        batcher.of(node.args[0]), (batcher.size, *node.results[0].shape)
    )


@batches(*present(np, "atleast_1d atleast_2d atleast_3d"))
def at_least(batcher: Batcher, node: Node, bound: Bound) -> Any:
    found = tuple(
        batcher.reshaped(batcher.spread(x), (batcher.size, *out.shape))
        for x, out in zip(node.args, node.results, strict=True)
    )
    return found if isinstance(node.out, tuple) else found[0]


@batches(np.reshape, np.ravel)
def reshape(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Reshape each; by columns with the batch as the last axis meanwhile."""
    x, (out,) = bound["a"], node.results
    wide, order = batcher.of(x), bound["order"]
    if order == "C" or (len(x.shape) < 2 and len(out.shape) < 2):
        return batcher.reshaped(wide, (batcher.size, *out.shape))
    if order != "F":
        return NotImplemented
    wide = batcher.moved(wide, 0, -1)
    shape = (*out.shape, batcher.size)
    options = {"order": order}
    found = batcher.call(
        np.reshape, wide, shape, kwargs=options, shape=shape, dtype=out.dtype
    )
    return batcher.moved(found, -1, 0)


@batches(*present(np, "transpose permute_dims"))
def transpose(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, axes = bound["a"], bound["axes"]
    ndim = len(x.shape)
    if axes is None:
        axes = range(ndim)[::-1]
    axes = axes if np.iterable(axes) else (axes,)
    order = (0, *(axis % ndim + 1 for axis in axes))
    return batcher.same(node, (batcher.of(x), order))


@batches(*present(np, "matrix_transpose"), np.linalg.matrix_transpose)
def over_last_axes(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """NumPy's own function goes over the last axes, whatever there is before."""
    return batcher.same(node, batcher.of(node.args), dict(node.kwargs))


@batches(np.tril, np.triu)
def triangle(batcher: Batcher, node: Node, bound: Bound) -> Any:
    if len(bound["m"].shape) < 2:
        return NotImplemented
    return over_last_axes(batcher, node, bound)


@batches(*present(np, "swapaxes moveaxis diagonal trace rot90"))
def by_axes(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Name the same axes, each one place further back."""
    first = next(iter(bound))
    x = bound[first]
    names = {"axis1", "axis2", "source", "destination", "axes"}
    named = {
        name: shifted(item, len(x.shape))
        for name, item in bound.items()
        if name in names
    }
    options = options_of(node, bound, first, "out") | named
    return batcher.same(node, (batcher.of(x),), options)


@batches(*present(np, "flip fliplr flipud"))
def flip(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x = bound["m"]
    axis: Any = {np.fliplr: 1, np.flipud: 0}.get(node.function, bound.get("axis"))
    axis = tuple(range(len(x.shape))) if axis is None else axis
    (out,) = node.results
    found = batcher.result(out)
    args = (batcher.of(x), shifted(axis, len(x.shape)))
    batcher.call_for(found, np.flip, args)
    return found


@batches(np.roll)
def roll(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, shift, axis = bound["a"], bound["shift"], bound["axis"]
    if batcher.is_batched(shift):
        return NotImplemented
    wide = batcher.flattened(x) if axis is None else batcher.of(x)
    axis = 1 if axis is None else shifted(axis, len(x.shape))
    return batcher.call(np.roll, wide, shift, axis, shape=wide.shape, dtype=wide.dtype)


@batches(np.broadcast_to)
def broadcast_to(batcher: Batcher, node: Node, bound: Bound) -> Any:
    (out,) = node.results
    x = batcher.aligned(bound["array"], len(out.shape))
    return batcher.same(node, (x, (batcher.size, *out.shape)))


@batches(np.broadcast_arrays)
def broadcast_arrays(batcher: Batcher, node: Node, bound: Bound) -> Any:
    return tuple(
        broadcast_to(
            batcher, Node(np.broadcast_to, (x, out.shape), out=out), {"array": x}
        )
        if batcher.is_batched(x)
        else batcher.spread(out_of_one(batcher, x, out))
        for x, out in zip(node.args, node.results, strict=True)
    )


def out_of_one(batcher: Batcher, x: Value, out: Value) -> Value:
    """What each element has, of something that is no batch."""
    return batcher.call(np.broadcast_to, x, out.shape, shape=out.shape, dtype=out.dtype)


@batches(np.diag, np.diagflat)
def diag(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """The diagonals of matrices; or matrices with these diagonals."""
    x, k = bound["v"], bound["k"]
    (out,) = node.results
    if node.function is np.diag and len(x.shape) == 2:
        args = (batcher.of(x), k, 1, 2)
        return batcher.call(
            np.diagonal, *args, shape=(batcher.size, *out.shape), dtype=out.dtype
        )
    length = math.prod(x.shape)
    rows, columns = np.nonzero(np.eye(length + abs(k), k=k, dtype=bool))
    shape = (batcher.size, *out.shape)
    zeros = batcher.call(np.zeros, shape, out.dtype, shape=shape, dtype=out.dtype)
    index = (slice(None), rows, columns)
    wide = batcher.flattened(x)
    return batcher.call(assign, zeros, index, wide, shape=shape, dtype=out.dtype)


@batches(np.tile)
def tile(batcher: Batcher, node: Node, bound: Bound) -> Any:
    reps = bound["reps"]
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
    ndim = max(len(bound["A"].shape), len(reps))
    x = batcher.aligned(bound["A"], ndim)
    return batcher.same(node, (x, (1, *(1,) * (ndim - len(reps)), *reps)))


@batches(np.repeat)
def repeat(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, axis = bound["a"], bound["axis"]
    if batcher.is_batched(bound["repeats"]):
        return NotImplemented
    is_flat = axis is None or not x.shape
    wide = batcher.flattened(x) if is_flat else batcher.of(x)
    axis = 1 if is_flat else shifted(axis, len(x.shape))
    return batcher.same(node, (wide, bound["repeats"]), {"axis": axis})


@batches(np.pad)
def pad(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Pad the axes of each; options for each axis are left to the loop."""
    x, width = bound["array"], bound["pad_width"]
    options = options_of(node, bound, "array", "pad_width", "mode")
    if batcher.is_batched((width, options)) or isinstance(width, dict):
        return NotImplemented
    if not all(isinstance(item, (int, float, str)) for item in options.values()):
        return NotImplemented
    mode = bound["mode"]
    if not isinstance(mode, str) or mode == "empty" or not x.shape:
        return NotImplemented
    widths = np.broadcast_to(width, (len(x.shape), 2)).tolist()
    wide = tuple((before, after) for before, after in [(0, 0), *widths])
    return batcher.same(node, (batcher.of(x), wide, mode), options)


@batches(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, window, axis = bound["x"], bound["window_shape"], bound["axis"]
    window = tuple(window) if isinstance(window, (tuple, list)) else (window,)
    if axis is None:
        axis = tuple(range(len(x.shape)))
    axis = shifted(axis if isinstance(axis, (tuple, list)) else (axis,), len(x.shape))
    return batcher.same(node, (batcher.of(x), window, axis))
