"""Batching rules: what goes along one axis (sums so far, sorting, places, Fourier)."""

from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.steps import Node
from srcgrad.transforms.batching.batch_reductions import OF_TWO
from srcgrad.transforms.batching.batcher import (
    Batcher,
    Bound,
    batches,
    options_of,
    present,
    shifted,
)

# The formula of these rules: without an axis these go along all elements, one after the
# other; or over several axes.
ALONG_ONE_AXIS: list[Operation] = [
    *present(np, "cumsum cumprod argmax argmin nanargmax nanargmin sort argsort"),
    *present(np, "partition argpartition unwrap"),
    *present(np.fft, "fft ifft rfft irfft hfft ihfft"),
    *(ufunc.accumulate for ufunc in OF_TWO if ufunc.signature is None),
    *(ufunc.reduceat for ufunc in OF_TWO if ufunc.signature is None),
]
OVER_SEVERAL = [
    *present(np.fft, "fftn fft2 ifftn ifft2 rfftn rfft2 irfftn irfft2"),
    *present(np.fft, "fftshift ifftshift"),
]


@batches(*ALONG_ONE_AXIS)
def along_axis(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Go along the same axis, one place further back."""
    first = next(iter(bound))
    x, axis = bound[first], bound["axis"]
    options = options_of(node, bound, first, "axis")
    if not batcher.is_batched(x) or batcher.is_batched(options):
        return NotImplemented
    is_flat = axis is None or not x.shape
    wide = batcher.flattened(x) if is_flat else batcher.of(x)
    options["axis"] = 1 if is_flat else shifted(axis, len(x.shape))
    if is_flat and options.get("keepdims"):
        dtype = node.results[0].dtype
        shape = (batcher.size, 1)
        return batcher.call(
            node.function, wide, kwargs=options, shape=shape, dtype=dtype
        )
    return batcher.same(node, (wide,), options)


@batches(*OVER_SEVERAL)
def over_several(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Go along the same axes, each one place further back."""
    first = next(iter(bound))
    x, axes = bound[first], bound["axes"]
    options = options_of(node, bound, first, "axes")
    if not batcher.is_batched(x) or batcher.is_batched(options):
        return NotImplemented
    ndim = len(x.shape)
    if axes is None:
        count = ndim if options.get("s") is None else len(options["s"])
        axes = tuple(range(-count, 0))
    axes = shifted(axes, ndim)
    return batcher.same(node, (batcher.of(x),), {"axes": axes, **options})
