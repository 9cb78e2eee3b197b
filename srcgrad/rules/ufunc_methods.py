"""The methods of ufuncs: ``reduce``, ``accumulate`` and ``reduceat``.

Those of sums, products and extremes are NumPy's functions (``protocols``). Some others
have a rule; the rest is done step by step, as it is defined.
"""

import itertools
import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from srcgrad.protocols import UFUNC_METHODS, raw_of
from srcgrad.rules.broadcasting import along, kept_shape
from srcgrad.rules.chosen import Chosen
from srcgrad.rules.compositions import defined_as, without_out
from srcgrad.rules.reductions import (
    broadcastable,
    extreme_back,
    initial_extreme_back,
    spread,
    weighted_products_after,
    weighted_products_before,
)
from srcgrad.rules.registry import PRIMITIVES, defconstant, defjvp, defvjp
from srcgrad.rules.slopes import hypotenuse, log_share
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
    g = spread(g, array_shape, axis, keepdims, True) * (array / hypotenuse(out))
    return g if where is True else Chosen(g, where)


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
    is_extreme, goes_on, number = ties_so_far(array, out, axis)
    each = g / number.astype(g.dtype)
    total = weighted_products_after(each, cast(goes_on, array.dtype), axis)
    return np.where(is_extreme, total, 0.0)


def extreme_so_far_forth(array, out, axis):
    def forth(t):
        along = axis % array.ndim
        is_extreme, goes_on, number = ties_so_far(array, out, along)
        each = np.where(is_extreme, t, 0.0)
        total = weighted_products_before(each, cast(goes_on, array.dtype), along)
        return total / number.astype(t.dtype)

    return forth


def ties_so_far(array, out, axis):
    """What is the extreme one, where one stays that, and how many share it so far."""
    is_extreme = array == out
    is_later = numbers(out, axis) > 0
    goes_on = is_later & (out == before(out, axis))
    tied = np.cumsum(is_extreme, axis)
    # How many there were before the present extreme one came up.
    earlier = np.where(is_later & ~goes_on, before(tied, axis), 0)
    number = tied - np.maximum.accumulate(earlier, axis)
    return is_extreme, goes_on, np.maximum(number, 1)


def before(array, axis):
    """For each element the one before it; for the first the last."""
    return np.roll(array, 1, axis)


def numbers(array, axis):
    """The places along an axis, in the shape of the array's axes from there on."""
    return np.reshape(
        np.arange(array.shape[axis]), (-1,) + (1,) * (array.ndim - 1 - axis)
    )


def share_so_far(power):
    """The rules of ``logaddexp.accumulate``, back and forth.

    A term has in each later sum the share that it had in the first, times what that has
    in the later one: factors of at most 1.
    """

    def factor(out, axis):
        is_first = numbers(out, axis) == 0
        return np.where(is_first, 0.0, power(log_share(before(out, axis), out)))

    def back(g, array, out, axis):
        axis %= array.ndim
        later = weighted_products_after(g, factor(out, axis), axis)
        return power(log_share(array, out)) * later

    def choose(array, out, axis):
        along = axis % array.ndim

        def forth(t):
            t = t * power(log_share(array, out))
            return weighted_products_before(t, factor(out, along), along)

        return forth

    return back, choose


for function in (np.maximum, np.minimum, np.fmax, np.fmin):
    defvjp(function.accumulate, array=extreme_so_far_back)
    defjvp(function.accumulate, array=extreme_so_far_forth)
for function, power in ((np.logaddexp, np.exp), (np.logaddexp2, np.exp2)):
    back, forth = share_so_far(power)
    defvjp(function.accumulate, array=back)
    defjvp(function.accumulate, array=forth)


# ----- Sums of slices -----
def sections_back(g, array_shape, indices, axis):
    """Give each slice's cotangent to all of its elements."""
    axis %= len(array_shape)
    bounds = slices(np.asarray(indices), array_shape[axis])
    counts = [stop - start for start, stop in bounds]
    places = [np.zeros(0, int), *(np.arange(*ends) for ends in bounds)]
    spread_out = np.repeat(g, counts, axis=axis)
    return scatter(spread_out, along(axis, np.concatenate(places)), array_shape)


def slices(indices, n):
    """What ``reduceat`` reduces: up to the next index, or a single element."""
    starts = indices.tolist()
    return [
        (start, stop if stop > start else start + 1)
        for start, stop in zip(starts, [*starts[1:], n], strict=False)
    ]


defvjp(np.add.reduceat, array=sections_back, indices=None)


# ----- All others, step by step -----
def reducing(ufunc):
    takes_axes = is_reorderable(ufunc)

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
        check_axes(ufunc, axis, len(shape), takes_axes)
        rows = rows_along(array, axis, kind_of(ufunc.reduce, array, dtype))
        masks = itertools.repeat(True)
        if where is not True:
            masks = rows_along(np.broadcast_to(where, shape), axis, None)
        has_start = initial is not np._NoValue and initial is not None
        if not has_start and (where is not True or not len(rows)):
            raise ValueError(
                f"reduction operation {ufunc.__name__} has no identity: srcgrad needs "
                "`initial` for a reduction of nothing, or of a part"
            )
        total = started(initial, rows) if has_start else rows[0]
        for row, mask in zip(rows[not has_start :], masks, strict=False):
            result = ufunc(total, row)
            total = result if mask is True else np.where(mask, result, total)
        return np.reshape(total, kept_shape(shape, axis)) if keepdims else total

    return reduce


def kind_of(method, array, dtype):
    """The dtype in which NumPy computes, by that of the array alone; or its error."""
    return method(np.ones(1, np.asarray(raw_of(array)).dtype), dtype=dtype).dtype


def is_reorderable(ufunc):
    """Whether NumPy reduces along several axes at once."""
    try:
        ufunc.reduce(np.ones((1, 1)), axis=(0, 1))
    except (TypeError, ValueError):
        return False
    return True


def check_axes(ufunc, axis, ndim, takes_axes):
    count = ndim if axis is None else np.size(axis)
    if count > 1 and not takes_axes:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most "
            "one axis may be specified"
        )


def started(initial, rows):
    """The first total, in the form that the others will have."""
    initial = initial if hasattr(initial, "dtype") else np.asarray(initial)
    start = initial if initial.dtype == rows.dtype else cast(initial, rows.dtype)
    return np.broadcast_to(start, rows.shape[1:]) if rows.ndim > 1 else start


def rows_along(array, axis, dtype):
    """The array with the axes to reduce as one, its first."""
    if dtype is not None and dtype != array.dtype:
        array = cast(array, dtype)
    ndim = np.ndim(array)
    # A number is its own only row.
    is_whole = axis is None or (axis in (0, -1) and not ndim)
    axes = range(ndim) if is_whole else normalize_axis_tuple(axis, ndim)
    rest = [i for i in range(ndim) if i not in axes]
    front = np.transpose(array, (*axes, *rest))
    count = math.prod(front.shape[: len(axes)])
    return np.reshape(front, (count, *front.shape[len(axes) :]))


def accumulating(ufunc):
    def accumulate(array, axis=0, dtype=None, out=None):
        without_out(out)
        check_has_axes("accumulate", array)
        dtype = kind_of(ufunc.accumulate, array, dtype)
        rows = rows_along(array, axis, dtype)
        if not np.size(rows):
            return cast(array, dtype)
        (axis,) = normalize_axis_tuple(axis, np.ndim(array))
        return np.stack(list(itertools.accumulate(rows, ufunc)), axis=axis)

    return accumulate


def check_has_axes(name, array):
    if not np.ndim(array):
        raise TypeError(f"cannot {name} on a scalar")


def reducing_slices(ufunc):
    def reduceat(array, indices, axis=0, dtype=None, out=None):
        without_out(out)
        check_has_axes("reduceat", array)
        (axis,) = normalize_axis_tuple(axis, np.ndim(array))
        dtype = kind_of(ufunc.accumulate, array, dtype)
        array = array if array.dtype == dtype else cast(array, dtype)
        n = np.shape(array)[axis]
        bounds = slices(np.asarray(indices), n)
        for start, _ in bounds:
            if not 0 <= start < n:
                raise IndexError(
                    f"index {start} out-of-bounds in {ufunc.__name__}.reduceat [0, {n})"
                )
        if not bounds:
            return array[along(axis, slice(0))]
        reduced = [
            # One alone stays as it is: `hypot.reduce` would begin with 0.
            array[along(axis, start)]
            if stop == start + 1
            else ufunc.reduce(array[along(axis, slice(start, stop))], axis=axis)
            for start, stop in bounds
        ]
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
        # Where a result may be an operand again, the first one stays as it is.
        if not primitive.rules and "dd->d" not in function.types:
            defconstant(method)
        elif method not in PRIMITIVES:
            defined_as(method, make(function))
