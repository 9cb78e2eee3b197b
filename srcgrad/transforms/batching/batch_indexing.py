"""Batching rules: reading and writing at places."""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.transforms.batching.batcher import Batcher, Bound, batches, shifted
from srcgrad.updates import add_at, assign, scatter

NEW_AXIS, SLICE, PLACES = "new axis", "slice", "places"

# The axes that belong to other places, and these, as `np.moveaxis` takes them.
Moves = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Index:
    """An index into a batch, and where the axes of what it gives belong.

    After the ``moves`` in ``x[index]`` the batch comes first, the rest in the order
    that it has for one element. ``ndim`` are the axes for one element.
    """

    index: tuple[Any, ...]
    moves: Moves
    ndim: int


def batch_index(
    batcher: Batcher, index: Any, ndim: int, is_batched: bool
) -> Index | None:
    """The index for a whole batch; None if it is of a kind that is left to the loop.

    ``ndim`` are the axes of what is indexed, for one element; ``is_batched``: there is
    a batch of it.
    """
    parts = _parts(index, ndim)
    if parts is None:
        return None
    kinds = [kind for kind, _ in parts]
    arrays = [part for kind, part in parts if kind == PLACES]
    if not any(map(_is_array, arrays)) and not batcher.is_batched(arrays):
        own = tuple(part for _, part in parts)
        shown = sum(kind != PLACES for kind in kinds)
        whole = (slice(None), *own) if is_batched else own
        return Index(whole, ((), ()), shown)
    wide = max(_width(part) for part in arrays)
    several = batcher.is_batched(arrays)
    positions = [k for k, kind in enumerate(kinds) if kind == PLACES]
    is_apart = positions[-1] - positions[0] + 1 != len(positions)
    # How many axes of the result come before those of the places, for one element.
    before = 0 if is_apart else positions[0]
    others = len(kinds) - len(positions)
    new = tuple(
        batcher.aligned(part, wide) if kind == PLACES else part for kind, part in parts
    )
    ndim = wide + others
    if not is_batched:
        moves: Moves = ((before,), (0,)) if before else ((), ())
        return Index(new, moves, ndim)
    if several:
        each = np.arange(batcher.size).reshape(-1, *(1,) * wide)
        start = tuple(range(1, 1 + wide))
        end = tuple(range(1 + before, 1 + before + wide))
        # With axes in between, NumPy puts those of the places first, as it is wanted.
        moves = (start, end) if before and wide else ((), ())
        return Index((each, *new), moves, ndim)
    moves = ((wide,), (0,)) if is_apart and wide else ((), ())
    return Index((slice(None), *new), moves, ndim)


def _parts(index: Any, ndim: int) -> list[tuple[str, Any]] | None:
    """Each part of an index, with what it is; an ellipsis as the slices it stands for.

    None if there is a mask of no axes in it.
    """
    items = index if isinstance(index, tuple) else (index,)
    if not any(item is Ellipsis for item in items):
        items = (*items, Ellipsis)
    parts: list[tuple[str, Any]] = []
    taken = sum(_axes_taken(item) for item in items)
    for item in items:
        if item is None:
            parts.append((NEW_AXIS, None))
        elif item is Ellipsis:
            parts += [(SLICE, slice(None))] * (ndim - taken)
        elif isinstance(item, slice):
            parts.append((SLICE, item))
        elif isinstance(item, (bool, np.bool_, list)) or _is_truth(item):
            return None
        else:
            parts.append((PLACES, item))
    return parts


def _axes_taken(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    return _width(item) if _is_truth(item) else 1


def _is_truth(item: Any) -> bool:
    dtype = getattr(item, "dtype", None)
    return dtype is not None and dtype.kind == "b"


def _width(item: Any) -> int:
    return len(getattr(item, "shape", ()))


def _is_array(item: Any) -> bool:
    """Whether a place is an array of places to NumPy, and no number."""
    if type(item) is Value:
        return item.kind == "array"
    return isinstance(item, np.ndarray)


# ----- Reading -----
@batches(operator.getitem)
def getitem(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, index = node.args
    if _is_mask(index) and not batcher.is_batched(index):
        return batcher.same(node, (batcher.of(x), (slice(None), index)))
    return _read(batcher, x, index, node.results[0])


def _is_mask(index: Any) -> bool:
    """Whether an index is one mask, with axes."""
    return _is_truth(index) and bool(index.shape)


def _read(batcher: Batcher, x: Value, index: Any, out: Value) -> Any:
    new = batch_index(batcher, index, len(x.shape), batcher.is_batched(x))
    if new is None or new.ndim != len(out.shape):
        return NotImplemented
    inverse = new.moves[1], new.moves[0]
    moved = np.moveaxis(
        np.broadcast_to(np.empty(()), (batcher.size, *out.shape)), *inverse
    )
    found = batcher.call(
        *(operator.getitem, batcher.of(x), _single(new.index)),
        shape=moved.shape,
        dtype=out.dtype,
    )
    return batcher.moved(found, *new.moves)


def _single(index: tuple[Any, ...]) -> Any:
    return index[0] if len(index) == 1 else index


@batches(np.take)
def take(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, positions, axis = bound["a"], bound["indices"], bound["axis"]
    if axis is None:
        flat = batcher.flattened(x) if batcher.is_batched(x) else None
        length = int(np.prod(x.shape))
        if flat is None:
            flat = batcher.reshaped(x, (length,))
        one = Value((length,), x.dtype)
        if batcher.is_batched(x):
            batcher.stands({one: flat})
        else:
            one = flat
        x, axis = one, 0
    if not x.shape:
        return NotImplemented
    axis %= len(x.shape)
    (out,) = node.results
    if not batcher.is_batched(positions):
        args = (batcher.of(x), positions)
        return batcher.same(node, args, {"axis": axis + 1, "mode": bound["mode"]})
    if bound["mode"] != "raise":
        return NotImplemented
    index = (*(slice(None),) * axis, positions)
    return _read(batcher, x, index, out)


@batches(np.take_along_axis)
def take_along_axis(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, positions, axis = bound["arr"], bound["indices"], bound["axis"]
    make = batcher.flattened if axis is None else batcher.spread
    axis = 1 if axis is None else shifted(axis, len(x.shape))
    return batcher.same(node, (make(x), batcher.spread(positions), axis))


# ----- Writing -----
@batches(scatter)
def scattered(batcher: Batcher, node: Node, bound: Bound) -> Any:
    g, index, shape = (bound[name] for name in ("g", "index", "shape"))
    found = _written(batcher, g, index, len(shape))
    if found is None:
        return NotImplemented
    return batcher.same(node, (*found, (batcher.size, *shape)))


@batches(assign, add_at)
def written(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, index, value = node.args
    found = _written(batcher, value, index, len(x.shape))
    if found is None:
        return NotImplemented
    return batcher.same(node, (batcher.spread(x), found[1], found[0]))


def _written(
    batcher: Batcher, value: Any, index: Any, ndim: int
) -> tuple[Any, Any] | None:
    """What is written into a batch, and its index."""
    if _is_mask(index) and not batcher.is_batched(index):
        shown = 1 + ndim - len(index.shape)
        return _fitted(batcher, value, shown), (slice(None), index)
    new = batch_index(batcher, index, ndim, True)
    if new is None:
        return None
    value = _fitted(batcher, value, new.ndim)
    start, end = new.moves
    if not start:
        return value, new.index
    if type(value) is not Value:
        return (value, new.index) if np.ndim(value) == 0 else None
    # Lined up with the axes as NumPy has them.
    missing = 1 + new.ndim - len(value.shape)
    value = batcher.reshaped(value, (*(1,) * missing, *value.shape))
    return batcher.moved(value, end, start), new.index


def _fitted(batcher: Batcher, value: Any, ndim: int) -> Any:
    """What is written, with as many axes as there is room for.

    NumPy passes over axes of length one in front of these.
    """
    if batcher.is_batched(value) and len(value.shape) > ndim:
        shape = value.shape[len(value.shape) - ndim :]
        return batcher.reshaped(batcher.of(value), (batcher.size, *shape))
    return batcher.aligned(value, ndim)
