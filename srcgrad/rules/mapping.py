"""Compositions: NumPy's functions that apply a function of the user's to parts."""

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from srcgrad.rules.compositions import defined_as
from srcgrad.updates import assign


def piecewise(x, condlist, funclist, *args, **kwargs):
    """``np.piecewise``: each function sees the elements for which it is responsible."""
    x = np.reshape(x, np.shape(x))  # of a float too
    is_sequence = isinstance(condlist, (list, tuple)) or np.ndim(condlist)
    if not is_sequence or (np.ndim(condlist[0]) == 0 and x.ndim):
        condlist = [condlist]
    masks = [np.not_equal(condition, False) for condition in condlist]
    if len(masks) == len(funclist) - 1:
        masks.append(~np.any(np.stack(masks), axis=0))
    if len(masks) != len(funclist):
        raise ValueError(
            f"with {len(masks)} condition(s), either {len(masks)} or "
            f"{len(masks) + 1} functions are expected"
        )
    out = np.zeros_like(x)
    for mask, function in zip(masks, funclist, strict=True):
        if not callable(function):
            out = assign(out, mask, function)
        elif (picked := x[mask]).size:
            out = assign(out, mask, function(picked, *args, **kwargs))
    return out


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    axis = normalize_axis_index(axis, np.ndim(arr))
    lines = np.moveaxis(arr, axis, -1)
    shape = lines.shape[:-1]
    if 0 in shape:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [func1d(lines[index], *args, **kwargs) for index in np.ndindex(shape)]
    of_one = np.shape(results[0])
    together = np.reshape(np.stack(results), (*shape, *of_one))
    # What a line has become stands where the line was.
    own = range(len(shape), len(shape) + len(of_one))
    return np.moveaxis(together, tuple(own), tuple(range(axis, axis + len(of_one))))


def apply_over_axes(func, a, axes):
    ndim = np.ndim(a)
    for axis in (axes,) if np.ndim(axes) == 0 else axes:
        axis = axis + ndim if axis < 0 else axis
        result = func(a, axis)
        if np.ndim(result) != np.ndim(a):
            result = np.expand_dims(result, axis)
        if np.ndim(result) != np.ndim(a):
            raise ValueError("function is not returning an array of the correct shape")
        a = result
    return a


defined_as(np.apply_along_axis, apply_along_axis)
defined_as(np.apply_over_axes, apply_over_axes)
defined_as(np.piecewise, piecewise)
