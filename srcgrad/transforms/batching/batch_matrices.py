"""Batching rules: linear algebra that NumPy does for stacks of matrices by itself."""

from typing import Any

import numpy as np

from srcgrad.steps import Node
from srcgrad.transforms.batching.batcher import (
    Batcher,
    Bound,
    batches,
    options_of,
    present,
    shifted,
)

# The formula of this rule: each matrix of a stack by itself.
STACKED = present(
    np.linalg,
    "inv det slogdet cholesky qr eigh eigvalsh eig eigvals svd svdvals pinv "
    "matrix_rank cond matrix_norm",
)


@batches(*STACKED)
def stacked(batcher: Batcher, node: Node, bound: Bound) -> Any:
    first = next(iter(bound))
    options = options_of(node, bound, first)
    if len(bound[first].shape) < 2 or batcher.is_batched(options):
        return NotImplemented
    rest = tuple(node.args[1:])
    return batcher.same(node, (batcher.of(bound[first]), *rest), dict(node.kwargs))


@batches(np.linalg.solve)
def solve(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Vectors are columns: all of one matrix, if there is but one."""
    a, b = bound["a"], bound["b"]
    (out,) = node.results
    if len(b.shape) == 1 and len(a.shape) == 2:
        rows = batcher.spread(b)
        if not batcher.is_batched(a):
            back = rows.shape[::-1]
            columns = batcher.call(np.transpose, rows, shape=back, dtype=b.dtype)
            found = batcher.call(
                np.linalg.solve, a, columns, shape=back, dtype=out.dtype
            )
            return batcher.call(np.transpose, found, shape=rows.shape, dtype=out.dtype)
        columns = batcher.reshaped(rows, (*rows.shape, 1))
        return batcher.call(
            *(np.linalg.solve, batcher.of(a), columns),
            shape=columns.shape,
            dtype=out.dtype,
        )
    if len(b.shape) < 2:
        return NotImplemented
    ndim = max(len(a.shape), len(b.shape))
    return batcher.same(node, (batcher.aligned(a, ndim), batcher.aligned(b, ndim)))


@batches(np.linalg.norm, *present(np.linalg, "vector_norm"))
def norm(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Over the same axes; over all of them, where none are given."""
    first = next(iter(bound))
    x, axis = bound[first], bound["axis"]
    options = options_of(node, bound, first, "axis")
    if batcher.is_batched(options) or not x.shape:
        return NotImplemented
    ndim = len(x.shape)
    if axis is not None:
        options["axis"] = shifted(axis, ndim)
        return batcher.same(node, (batcher.of(x),), options)
    if node.function is np.linalg.norm and ndim == 2 and bound["ord"] is not None:
        options["axis"] = (1, 2)
        return batcher.same(node, (batcher.of(x),), options)
    keepdims = options.pop("keepdims", False)
    (out,) = node.results
    found = batcher.call(
        *(node.function, batcher.flattened(x)),
        kwargs={"axis": 1, **options},
        shape=(batcher.size,),
        dtype=out.dtype,
    )
    shape = (batcher.size, *out.shape) if keepdims else (batcher.size,)
    return batcher.reshaped(found, shape)
