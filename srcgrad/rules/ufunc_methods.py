"""The methods of ufuncs: ``reduce``, ``accumulate`` and ``reduceat``.

Those of sums, products and extremes are NumPy's functions (``protocols``). Some others
have a rule; the rest is done step by step, as it is defined.
"""

import itertools

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from srcgrad.protocols import UFUNC_METHODS
from srcgrad.rules.broadcasting import along, kept_shape
from srcgrad.rules.compositions import defined_as, without_out
from srcgrad.rules.elementwise import hypotenuse, log_share
from srcgrad.rules.reductions import (
    broadcastable,
    extreme_back,
    initial_extreme_back,
    spread,
    weighted_products_after,
)
from srcgrad.rules.registry import PRIMITIVES, defconstant, defvjp
from srcgrad.updates import cast, scatter


# ----- Reductions with a rule -----
def share_back(power):
    """The rules of ``logaddexp.reduce``: each term has its share of the sum."""

    def back(g, array, array_shape, out, axis, keepdims, where):
        out = broadcastable(out, array_shape, axis, keepdims)
        g = spread(g, array_shape, axis, keepdims, True)
        share = power(log_share(array, out))
        return g * (share if where is True else np.where(where, share, 0.0))

    def initial_back(g, out, initial):
        return g * power(log_share(initial, out))

    return {"array": back, "initial": initial_back}


defvjp(np.logaddexp.reduce, **share_back(np.exp))
defvjp(np.logaddexp2.reduce, **share_back(np.exp2))


def side_back(g, array, array_shape, out, axis, keepdims, where):
    out = broadcastable(out, array_shape, axis, keepdims)
    g = spread(g, array_shape, axis, keepdims, where)
    return g * (array / hypotenuse(out))


defvjp(
    np.hypot.reduce,
    array=side_back,
    initial=lambda g, out, initial: g * (initial / hypotenuse(out)),
)


def array_back(g, array, array_shape, array_dtype, out, axis, keepdims, where, initial):
    metadata = array, array_shape, array_dtype
    return extreme_back(g, *metadata, out, axis, keepdims, where, initial)


def initial_back(
    g, array, array_shape, array_dtype, out, axis, keepdims, where, initial
):
    metadata = array, array_shape, array_dtype
    return initial_extreme_back(g, *metadata, out, axis, keepdims, where, initial)


for function in (np.fmax, np.fmin):
    defvjp(function.reduce, array=array_back, initial=initial_back)


# ----- Cumulations with a rule -----
def extreme_so_far_back(g, array, out, axis):
    """The elements that are the extreme one so far share its gradient equally."""
    axis %= array.ndim
    is_extreme = array == out
    is_later = numbers(out, axis) > 0
    goes_on = is_later & (out == before(out, axis))
    tied = np.cumsum(is_extreme, axis)
    # How many there were before the present extreme one came up.
    earlier = np.where(is_later & ~goes_on, before(tied, axis), 0)
    number = tied - np.maximum.accumulate(earlier, axis)
    each = g / np.maximum(number, 1).astype(g.dtype)
    total = weighted_products_after(each, cast(goes_on, array.dtype), axis)
    return np.where(is_extreme, total, 0.0)


def before(array, axis):
    """For each element the one before it; for the first the last."""
    return np.roll(array, 1, axis)


def numbers(array, axis):
    """The places along an axis, in the shape of the array's axes from there on."""
    return np.reshape(
        np.arange(array.shape[axis]), (-1,) + (1,) * (array.ndim - 1 - axis)
    )


def share_so_far_back(power):
    """The rule of ``logaddexp.accumulate``.

    A term has in each later sum the share that it had in the first, times what that has
    in the later one: factors of at most 1.
    """

    def back(g, array, out, axis):
        axis %= array.ndim
        is_first = numbers(out, axis) == 0
        factor = np.where(is_first, 0.0, power(log_share(before(out, axis), out)))
        return power(log_share(array, out)) * weighted_products_after(g, factor, axis)

    return back


for function in (np.maximum, np.minimum, np.fmax, np.fmin):
    defvjp(function.accumulate, array=extreme_so_far_back)
defvjp(np.logaddexp.accumulate, array=share_so_far_back(np.exp))
defvjp(np.logaddexp2.accumulate, array=share_so_far_back(np.exp2))


# ----- Sums of slices -----
def sections_back(g, array_shape, indices, axis):
    """Give each slice's cotangent to all of its elements."""
    axis %= len(array_shape)
    bounds = slices(np.asarray(indices), array_shape[axis])
    counts = [stop - start for start, stop in bounds]
    places = np.concatenate([np.arange(*ends) for ends in bounds])
    spread_out = np.repeat(g, counts, axis=axis)
    return scatter(spread_out, along(axis, places), array_shape)


def slices(indices, n):
    """What ``reduceat`` reduces: up to the next index, or a single element."""
    ends = [*indices.tolist()[1:], n]
    return [
        (start, stop if stop > start else start + 1)
        for start, stop in zip(indices.tolist(), ends, strict=True)
    ]


defvjp(np.add.reduceat, array=sections_back, indices=None)


# ----- All others, step by step -----
def reducing(ufunc):
    def reduce(
        array,
        axis=0,
        dtype=None,
        out=None,
        keepdims=False,
        initial=np._NoValue,
        where=True,
    ):
        without_out(out)
        shape = np.shape(array)
        rows = rows_along(array, axis, dtype)
        masks = itertools.repeat(True)
        if where is not True:
            masks = rows_along(np.broadcast_to(where, shape), axis, None)
        has_start = initial is not np._NoValue and initial is not None
        if not has_start and (where is not True or not len(rows)):
            raise ValueError(
                f"reduction operation {ufunc.__name__} has no identity: srcgrad needs "
                "`initial` for a reduction of nothing, or of a part"
            )
        total = initial if has_start else rows[0]
        for row, mask in zip(rows[not has_start :], masks, strict=False):
            result = ufunc(total, row)
            total = result if mask is True else np.where(mask, result, total)
        return np.reshape(total, kept_shape(shape, axis)) if keepdims else total

    return reduce


def rows_along(array, axis, dtype):
    """The array with the axes to reduce as one, its first."""
    if dtype is not None:
        array = cast(array, dtype)
    ndim = np.ndim(array)
    is_whole = axis is None or not ndim  # a number is its own only row
    axes = range(ndim) if is_whole else normalize_axis_tuple(axis, ndim)
    rest = [i for i in range(ndim) if i not in axes]
    front = np.transpose(array, (*axes, *rest))
    return np.reshape(front, (-1, *(np.shape(array)[i] for i in rest)))


def accumulating(ufunc):
    def accumulate(array, axis=0, dtype=None, out=None):
        without_out(out)
        rows = rows_along(array, axis, dtype)
        steps = itertools.accumulate(rows, ufunc)
        (axis,) = normalize_axis_tuple(axis, np.ndim(array))
        return np.stack(list(steps), axis=axis) if len(rows) else np.copy(array)

    return accumulate


def reducing_slices(ufunc):
    def reduceat(array, indices, axis=0, dtype=None, out=None):
        without_out(out)
        (axis,) = normalize_axis_tuple(axis, np.ndim(array))
        bounds = slices(np.asarray(indices), np.shape(array)[axis])
        array = array if dtype is None else cast(array, dtype)
        parts = [array[along(axis, slice(start, stop))] for start, stop in bounds]
        reduced = [ufunc.reduce(part, axis=axis) for part in parts]
        return np.stack(reduced, axis=axis)

    return reduceat


MAKERS = {
    "reduce": reducing,
    "accumulate": accumulating,
    "reduceat": reducing_slices,
}
for function, primitive in tuple(PRIMITIVES.items()):
    if not isinstance(function, np.ufunc) or (function.nin, function.nout) != (2, 1):
        continue
    if primitive.rules and "dd->d" not in function.types:
        continue  # a result is no operand again: `ldexp` takes an int
    for name, make in MAKERS.items():
        method = getattr(function, name)
        if function.signature or (function, name) in UFUNC_METHODS:
            continue
        if not primitive.rules:
            defconstant(method)
        elif len(primitive.operands) == 2 and method not in PRIMITIVES:
            defined_as(method, make(function))
