"""Rules for functions that join arrays, split them, repeat, insert, leave out."""

import itertools
import math

import numpy as np

from srcgrad.rules.broadcasting import along, reshaped
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import deflinear, defvjp
from srcgrad.stacking import stacked_list
from srcgrad.updates import scatter

# ----- Joining -----


def of_elements(shapes):
    """The shapes in a sequence of arrays; one array is the sequence of its rows."""
    return (shapes[1:],) * shapes[0] if is_one_array(shapes) else shapes


def is_one_array(shapes):
    return isinstance(shapes[0], int)


def as_given(pieces, shapes):
    """The cotangents in the form of the argument: a sequence, or one array."""
    return np.stack(pieces) if is_one_array(shapes) else pieces


def cut(g, shapes, axis, lengths=None):
    """Cut a cotangent along an axis: a piece for each of the shapes joined there."""
    each = of_elements(shapes)
    if lengths is None:
        lengths = [shape[axis] if len(shape) > axis else 1 for shape in each]
    stops = itertools.accumulate(lengths)
    pieces = [
        reshaped(g[along(axis, slice(stop - length, stop))], shape)
        for shape, length, stop in zip(each, lengths, stops, strict=True)
    ]
    return as_given(pieces, shapes)


def concatenated_back(g, arrays_shape, axis):
    if axis is None:
        return cut(g, arrays_shape, 0, list(map(math.prod, of_elements(arrays_shape))))
    return cut(g, arrays_shape, axis % g.ndim)


def stacked_back(g, arrays_shape, axis):
    axis %= g.ndim
    pieces = [g[along(axis, i)] for i in range(g.shape[axis])]
    return as_given(pieces, arrays_shape)


def gathered_back(g, items_shape, place):
    """A row for each item, and several for what is several items."""
    count = len(items_shape)
    if place is None:
        return [g[i] for i in range(count)]
    after = count - place - 1
    several = g[place : -after or None] if place or after else g
    return [*(g[i] for i in range(place)), several, *(g[i] for i in range(-after, 0))]


def rows_back(g, tup_shape):
    each = of_elements(tup_shape)
    return cut(g, tup_shape, 0, [s[0] if len(s) > 1 else 1 for s in each])


defvjp(np.concatenate, arrays=concatenated_back)
defvjp(np.stack, arrays=stacked_back)
defvjp(stacked_list, items=gathered_back)
defvjp(np.hstack, tup=lambda g, tup_shape: cut(g, tup_shape, min(g.ndim - 1, 1)))
defvjp(np.vstack, tup=rows_back)
defvjp(np.dstack, tup=lambda g, tup_shape: cut(g, tup_shape, 2))
defvjp(np.column_stack, tup=lambda g, tup_shape: cut(g, tup_shape, 1))
defvjp(
    np.append,
    arr=lambda g, arr_shape, values_shape, axis: concatenated_back(
        g, (arr_shape, values_shape), axis
    )[0],
    values=lambda g, arr_shape, values_shape, axis: concatenated_back(
        g, (arr_shape, values_shape), axis
    )[1],
)


def block(arrays):
    """``np.block``: the innermost lists along the last axis, and so on outwards."""
    depth = block_depth(arrays)
    ndim = max(depth, block_ndim(arrays))

    def join(part, level):
        if isinstance(part, list):
            joined = [join(each, level + 1) for each in part]
            return np.concatenate(joined, axis=level - depth)
        return np.reshape(part, (1,) * (ndim - np.ndim(part)) + np.shape(part))

    return join(arrays, 0)


def block_depth(part):
    if not isinstance(part, list):
        return 0
    depths = set(map(block_depth, part))
    if len(depths) != 1:
        raise ValueError("np.block: the lists must be nested evenly, and not be empty")
    return 1 + depths.pop()


def block_ndim(part):
    return max(map(block_ndim, part)) if isinstance(part, list) else np.ndim(part)


defined_as(np.block, block)
if hasattr(np, "row_stack"):  # an old name, not in every NumPy
    defined_as(np.row_stack, np.vstack)

# ----- Splitting -----


def split_back(g, ary_shape, indices_or_sections, axis):
    if np.ndim(indices_or_sections) == 0:
        return np.concatenate(g, axis=axis)
    axis %= len(ary_shape)
    n = ary_shape[axis]
    bounds = [0, *indices_or_sections, None]
    sections = [slice(*ends).indices(n) for ends in itertools.pairwise(bounds)]
    if tile(sections, n):
        return np.concatenate(g, axis=axis)
    # Bounds out of order give sections that overlap or leave gaps.
    return sum(
        scatter(piece, along(axis, slice(start, stop)), ary_shape)
        for piece, (start, stop, _) in zip(g, sections, strict=True)
    )


def tile(sections, n):
    """Whether sections follow each other from 0 to n."""
    position = 0
    for start, stop, _ in sections:
        if start != position or stop < start:
            return False
        position = stop
    return position == n


# A list of arrays of one shape, or of numbers; `updates` of the tape make nested ones.
defvjp(np.array, object=lambda g, object: [g[k] for k in range(len(object))])
defvjp(np.full, fill_value=lambda g: g)

for function in (np.split, np.array_split):
    defvjp(function, ary=split_back)
defvjp(
    np.hsplit,
    ary=lambda g, ary_shape, indices_or_sections: split_back(
        g, ary_shape, indices_or_sections, min(len(ary_shape) - 1, 1)
    ),
)
defvjp(
    np.vsplit,
    ary=lambda g, ary_shape, indices_or_sections: split_back(
        g, ary_shape, indices_or_sections, 0
    ),
)
defvjp(
    np.dsplit,
    ary=lambda g, ary_shape, indices_or_sections: split_back(
        g, ary_shape, indices_or_sections, 2
    ),
)
if hasattr(np, "unstack"):  # NumPy 2.1
    defvjp(np.unstack, x=lambda g, axis: np.stack(g, axis=axis))

# ----- Repeating -----


def tiled_back(g, A_shape, reps):
    reps = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    ndim = max(len(reps), len(A_shape))
    reps = (1,) * (ndim - len(reps)) + reps
    shape = (1,) * (ndim - len(A_shape)) + A_shape
    split = tuple(itertools.chain.from_iterable(zip(reps, shape, strict=True)))
    copies = np.reshape(g, split)
    return reshaped(np.sum(copies, axis=tuple(range(0, 2 * ndim, 2))), A_shape)


def repeated_back(g, a_shape, repeats, axis):
    if axis is None or not a_shape:
        size = math.prod(a_shape)
        return reshaped(repeated_back(g, (size,), repeats, 0), a_shape)
    axis %= len(a_shape)
    n, total = a_shape[axis], g.shape[axis]
    if np.size(repeats) == 1:
        split = (*a_shape[: axis + 1], total // max(n, 1), *a_shape[axis + 1 :])
        return np.sum(np.reshape(g, split), axis=axis + 1)
    ends = np.cumsum(repeats)
    source = np.searchsorted(ends, np.arange(total), side="right")
    return scatter(g, along(axis, source), a_shape)


def resized_back(g, a_shape):
    """A resized array goes through the elements again and again."""
    n, size = math.prod(a_shape), math.prod(g.shape)
    g = np.reshape(g, size)
    if n == 0:  # and so the result is all zeros
        return np.reshape(g[:0], a_shape)
    return reshaped(scatter(g, np.arange(size) % n, (n,)), a_shape)


def meshed_back(g, xi_shape, indexing):
    ndim = len(xi_shape)
    axes = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        axes[:2] = 1, 0
    others = [tuple(other for other in range(ndim) if other != axis) for axis in axes]
    return [
        reshaped(np.sum(each, axis=axis), shape)
        for each, axis, shape in zip(g, others, xi_shape, strict=True)
    ]


defvjp(np.tile, A=tiled_back)
defvjp(np.repeat, a=repeated_back, repeats=None)
deflinear(np.tile, "A")
deflinear(np.repeat, "a")
defvjp(np.resize, a=resized_back)
defvjp(np.meshgrid, xi=meshed_back)

# ----- Leaving out and inserting -----


def kept_back(g, arr_shape, obj, axis):
    if axis is None:
        flat = kept_back(g, (math.prod(arr_shape),), obj, 0)
        return reshaped(flat, arr_shape)
    axis %= len(arr_shape)
    kept = np.delete(np.arange(arr_shape[axis]), obj)
    return scatter(g, along(axis, kept), arr_shape)


def places_of_inserted(n, total, obj):
    """For each place of the result, which inserted element it is; -1: none."""
    return np.insert(np.full(n, -1), obj, np.arange(total - n))


def received_back(g, arr_shape, obj, axis):
    if axis is None:
        flat = received_back(g, (math.prod(arr_shape),), obj, 0)
        return reshaped(flat, arr_shape)
    axis %= g.ndim
    inserted = places_of_inserted(arr_shape[axis], g.shape[axis], obj)
    return np.take(g, np.flatnonzero(inserted < 0), axis=axis)


def inserted_back(g, arr_shape, obj, axis):
    if axis is None:
        return inserted_back(g, (math.prod(arr_shape),), obj, 0)
    axis %= g.ndim
    n, total = arr_shape[axis], g.shape[axis]
    order = np.argsort(places_of_inserted(n, total, obj), kind="stable")
    values = np.take(g, order[n:], axis=axis)
    # At one place NumPy takes the values' first axis for the one to insert along.
    return np.moveaxis(values, axis, 0) if is_scalar_index(obj) else values


def is_scalar_index(obj):
    return not isinstance(obj, slice) and np.ndim(obj) == 0


defvjp(np.delete, arr=kept_back, obj=None)
defvjp(np.insert, arr=received_back, obj=None, values=inserted_back)
