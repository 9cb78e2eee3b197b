"""Rules for reading and writing at an index, and for choosing among arrays."""

import math
import operator

import numpy as np

from srcgrad.rules.broadcasting import along, reshaped, unbroadcast
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.joining import as_given, of_elements
from srcgrad.rules.registry import defconstant, defjvp, deflinear, defvjp
from srcgrad.updates import add_at, again, assign, cast, mark_complete, scatter
from srcgrad.views import repeats_nothing

# ----- At an index -----


def assigned_value_back(g, index, value_shape, x_shape, x_dtype):
    picked = g[index]
    if len(value_shape) > picked.ndim:  # axes of length 1, which NumPy leaves out
        ones = (1,) * (len(value_shape) - picked.ndim)
        back = assigned_value_back(g, index, (), x_shape, x_dtype)
        return np.reshape(back, ones + picked.shape)
    if repeats_nothing(index):
        return picked
    # Where indices repeat, the last value stays: the others had no effect.
    order = np.reshape(np.arange(picked.size), picked.shape)
    last = assign(np.zeros(x_shape, dtype=int), index, order)[index]
    return np.where(last == order, picked, 0.0)


def assigned_value_forth(index, x_shape, x_dtype):
    """The value's tangent among zeros: where indices repeat, the last one stays."""
    if repeats_nothing(index):
        return None
    return lambda t: assign(np.zeros(x_shape, x_dtype), index, t)


def picked_back(g, index, x_shape):
    """Add up what was picked; whole rows along one axis, which is much faster."""
    is_of_rows = getattr(getattr(index, "dtype", None), "kind", "") in ("i", "u")
    if not is_of_rows or not np.ndim(index) or len(x_shape) < 2:
        return scatter(g, index, x_shape)
    width = math.prod(x_shape[1:])
    places = np.reshape(cast(index, np.intp), (-1, 1)) * width + np.arange(width)
    shape = (x_shape[0] * width,)
    return np.reshape(
        scatter(np.reshape(g, -1), np.reshape(places, -1), shape), x_shape
    )


defvjp(operator.getitem, x=picked_back)
defvjp(scatter, g=lambda cotangent, index: cotangent[index])
defvjp(assign, x=lambda g, index: assign(g, index, 0), value=assigned_value_back)
defjvp(assign, value=assigned_value_forth)
defvjp(add_at, x=lambda g: g, g=lambda cotangent, index: cotangent[index])
defvjp(cast, x=lambda g: g)
defvjp(mark_complete, g=lambda cotangent: cotangent)
defvjp(again, x=lambda g: g)

# ----- Along an axis -----


def in_range(indices, n, mode):
    """The indices as ``np.take`` reads them: integers, wrapped or clipped."""
    if not hasattr(indices, "dtype"):
        indices = np.array(indices, np.intp)
    if indices.dtype.kind == "b":
        indices = cast(indices, np.intp)
    if mode == "wrap":
        return np.mod(indices, n)
    if mode == "clip":
        return np.clip(indices, 0, n - 1)
    return indices


def taken_back(g, a_shape, indices, axis, mode):
    if axis is None or not a_shape:
        flat = taken_back(g, (math.prod(a_shape),), indices, 0, mode)
        return reshaped(flat, a_shape)
    axis %= len(a_shape)
    return picked_back(g, along(axis, in_range(indices, a_shape[axis], mode)), a_shape)


def taken_along_back(g, arr_shape, indices, axis):
    if axis is None:
        flat = scatter(g, indices, (math.prod(arr_shape),))
        return reshaped(flat, arr_shape)
    axis %= len(arr_shape)
    index = list(np.ogrid[tuple(map(slice, arr_shape))])
    index[axis] = indices
    return scatter(g, tuple(index), arr_shape)


def compressed_back(g, condition, a_shape, axis):
    return taken_back(g, a_shape, np.flatnonzero(condition), axis, "raise")


def extracted_back(g, condition, arr_shape):
    return taken_back(g, arr_shape, np.flatnonzero(condition), None, "raise")


defvjp(np.take, a=taken_back, indices=None)
defvjp(np.take_along_axis, arr=taken_along_back, indices=None)
defvjp(np.compress, a=compressed_back, condition=None)
defvjp(np.extract, arr=extracted_back, condition=None)

# ----- Windows -----


def windows_back(g, x_shape, window_shape, axis):
    """Add up the windows: along each axis, the elements at one place in all of them."""
    lengths = (window_shape,) if np.ndim(window_shape) == 0 else tuple(window_shape)
    axes = range(len(x_shape)) if axis is None else np.atleast_1d(axis).tolist()
    for each, length in zip(reversed(axes), reversed(lengths), strict=True):
        axis = each % len(x_shape)
        count = g.shape[axis]
        shape = (*g.shape[:axis], count + length - 1, *g.shape[axis + 1 : -1])
        if not length:  # windows on nothing
            g = np.zeros(shape, g.dtype)
            continue
        g = sum(
            scatter(g[..., place], along(axis, slice(place, place + count)), shape)
            for place in range(length)
        )
    return g


defvjp(np.lib.stride_tricks.sliding_window_view, x=windows_back)
deflinear(np.lib.stride_tricks.sliding_window_view, "x")

# ----- Among arrays -----


def chosen_back(g, a, choices_shape, mode):
    each = of_elements(choices_shape)
    a = in_range(a, len(each), mode)
    pieces = [
        unbroadcast(np.where(a == i, g, 0.0), shape) for i, shape in enumerate(each)
    ]
    return as_given(pieces, choices_shape)


def select(condlist, choicelist, default=0):
    """``np.select``: the first choice whose condition is true."""
    if len(condlist) != len(choicelist):
        raise ValueError("np.select: there must be as many choices as conditions")
    out = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        if np.result_type(condition).kind != "b":
            raise TypeError("np.select: the conditions must be boolean arrays")
        out = np.where(condition, choice, out)
    return out


defvjp(np.choose, choices=chosen_back, a=None)
defined_as(np.select, select)

# ----- Indices -----


def meshes_back(g, args_shape):
    """Of an open mesh: each is one of the arguments. Of truths it has the places."""
    pairs = zip(g, args_shape, strict=True)
    return [
        np.reshape(each, s) if each.size == math.prod(s) else 0.0 for each, s in pairs
    ]


defvjp(np.ix_, args=meshes_back)
defconstant(
    *(np.diag_indices_from, np.tril_indices_from, np.triu_indices_from),
    *(np.ravel_multi_index, np.unravel_index),
)
