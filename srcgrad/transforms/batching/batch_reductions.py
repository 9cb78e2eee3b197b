"""Batching rules: reductions over axes."""

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

# The formula of this rule: what reduces over axes.
OVER_AXES = present(
    np,
    "sum prod max amax min amin all any mean var std nansum nanmax nanmin "
    "count_nonzero",
)
OF_TWO = [
    ufunc
    for ufunc in vars(np).values()
    if isinstance(ufunc, np.ufunc) and ufunc.nin == 2 and ufunc.nout == 1
]


@batches(*OVER_AXES, *(ufunc.reduce for ufunc in OF_TWO if ufunc.signature is None))
def over_axes(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Reduce the same axes, each one place further back."""
    first = next(iter(bound))
    x, axis = bound[first], bound["axis"]
    if batcher.is_batched(bound.get("initial")):
        return NotImplemented
    ndim = len(x.shape)
    wide = batcher.spread(x)
    options = options_of(node, bound, first, "axis", "out")
    if axis is None:
        axis = tuple(range(1, ndim + 1)) if ndim != 1 else 1
    elif not ndim and axis != ():  # NumPy takes the axes 0 and -1 of a number
        wide, axis = batcher.reshaped(wide, (batcher.size, 1)), 1
        options.pop("keepdims", None)
    else:
        axis = shifted(axis, ndim)
    for name in options.keys() & {"where", "mean"}:
        options[name] = batcher.aligned(options[name], ndim)
    return batcher.same(node, (wide,), {"axis": axis, **options})
