"""Compositions of functions that call the user's: on pieces, along axes."""

import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from srcgrad.rules.compositions import defined_as
from srcgrad.updates import assign

# ----- By pieces -----


def piecewise(x, condlist, funclist, *args, **kwargs):
    """``np.piecewise``: each function sees the elements for which it is responsible."""
    if np.ndim(condlist) == 0 or (np.ndim(condlist[0]) == 0 and x.ndim):
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


# ----- Along axes -----


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """``np.apply_along_axis``: the results stand where the axis was."""
    axis = normalize_axis_index(axis, np.ndim(arr))
    rest = (*arr.shape[:axis], *arr.shape[axis + 1 :])
    if not math.prod(rest):
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    rows = np.reshape(np.moveaxis(arr, axis, -1), (-1, arr.shape[axis]))
    results = np.stack([func1d(row, *args, **kwargs) for row in rows])
    own = results.shape[1:]
    stacked = np.reshape(results, rest + own)
    places = range(axis, axis + len(own))
    return np.moveaxis(stacked, range(len(rest), len(rest) + len(own)), places)


def apply_over_axes(func, a, axes):
    """``np.apply_over_axes``: each result has as many axes as the array."""
    for axis in [axes] if np.ndim(axes) == 0 else axes:
        reduced = func(a, axis)
        if reduced.ndim != a.ndim:
            reduced = np.expand_dims(reduced, axis)
        if reduced.ndim != a.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        a = reduced
    return a


defined_as(np.piecewise, piecewise)
defined_as(np.apply_along_axis, apply_along_axis)
defined_as(np.apply_over_axes, apply_over_axes)
