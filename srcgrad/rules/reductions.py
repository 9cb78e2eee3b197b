"""Rules for functions that combine the elements along axes, and for cumulative ones.

A cotangent has lost the reduced axes: ``broadcastable`` gives them back with length 1,
and broadcasting does the rest. Elements that tie for the largest share its gradient.
"""

import math

import numpy as np

from srcgrad.rules.broadcasting import (
    along,
    expand_reduced,
    reduced_axes,
    reduced_size,
)
from srcgrad.rules.chosen import Chosen
from srcgrad.rules.complexes import conj, is_complex
from srcgrad.rules.registry import defconstant, defjvp, defvjp
from srcgrad.updates import cast


def broadcastable(g, shape, axis, keepdims):
    """Give back the axes, of length 1; what has none left broadcasts as it is."""
    return g if axis is None else expand_reduced(g, shape, axis, keepdims)


# ----- Sums and means -----
def spread(g, shape, axis, keepdims, where):
    """The gradient of a sum: ``g`` for each element, 0 for those left out."""
    g = np.broadcast_to(broadcastable(g, shape, axis, keepdims), shape)
    return g if where is True else Chosen(g, where)


def count(shape, axis, where):
    """How many elements each result combines: a number, or an array of such."""
    if where is True:
        return reduced_size(shape, axis)
    return np.sum(np.broadcast_to(where, shape), axis=axis, keepdims=True)


def mean_back(g, a_shape, axis, keepdims, where):
    g = broadcastable(g, a_shape, axis, keepdims)
    n = count(a_shape, axis, where)
    return spread(g / (n or 1) if where is True else g / n, a_shape, axis, True, where)


defvjp(
    np.sum,
    a=lambda g, a_shape, axis, keepdims, where: spread(
        g, a_shape, axis, keepdims, where
    ),
    initial=lambda g: g,
)
defvjp(
    np.nansum,
    a=lambda g, a, a_shape, axis, keepdims, where: spread(
        g, a_shape, axis, keepdims, ~np.isnan(a) & where
    ),
    initial=lambda g: g,
)
defvjp(np.mean, a=mean_back)


def computed_in(a, dtype):
    """The argument of a function as its ``dtype=`` makes it."""
    if dtype is None:
        return a
    if is_complex(a) and np.dtype(dtype).kind != "c":
        a = np.real(a)
    return cast(a, dtype)


# ----- Variance and standard deviation -----
def var_back(g, a, a_shape, axis, ddof, keepdims, where, mean, correction, dtype):
    """The gradient of ``var``; that of its own mean cancels out of it."""
    g = broadcastable(g, a_shape, axis, keepdims)
    factor = over_degrees_of_freedom(a_shape, axis, where, ddof, correction)
    slope = deviations(a, axis, where, mean, dtype)
    if is_complex(a):
        return factor * (np.real(g) if is_complex(g) else g) * slope
    # The differences of real data from a complex mean NumPy squares as they are.
    return factor * g * conj(slope)


def var_mean_back(g, a, a_shape, axis, ddof, keepdims, where, mean, correction, dtype):
    """The gradient of ``var`` in a mean that was passed to it."""
    slope = var_back(
        g, a, a_shape, axis, ddof, keepdims, where, mean, correction, dtype
    )
    return -np.sum(slope, axis=axis, keepdims=True)


def deviations(a, axis, where, mean, dtype):
    if mean is None:
        b = computed_in(a, dtype)
        mean = np.mean(b, axis=axis, keepdims=True, where=where)
    return a - mean if where is True else np.where(where, a - mean, 0.0)


def over_degrees_of_freedom(shape, axis, where, ddof, correction):
    """``2 / (n - ddof)``; nan, as the result, where nothing is left."""
    ddof = ddof if correction is None else correction
    n = count(shape, axis, where) - ddof
    if where is True:
        return 2.0 / n if n > 0 else math.nan
    return 2.0 / np.where(n > 0, n, math.nan)


def over_deviation(g, out):
    """From the cotangent of ``std`` to that of ``var``: 0 where nothing deviates."""
    return 0.5 * g / np.where(out == 0, np.inf, conj(out))


def std_back(g, out, a, a_shape, axis, ddof, keepdims, where, mean, correction, dtype):
    g = over_deviation(g, out)
    return var_back(g, a, a_shape, axis, ddof, keepdims, where, mean, correction, dtype)


def std_mean_back(
    g, out, a, a_shape, axis, ddof, keepdims, where, mean, correction, dtype
):
    g = over_deviation(g, out)
    return var_mean_back(
        g, a, a_shape, axis, ddof, keepdims, where, mean, correction, dtype
    )


defvjp(np.var, a=var_back, mean=var_mean_back)
defvjp(np.std, a=std_back, mean=std_mean_back)


# ----- The largest and the smallest -----
def chosen_ones(a, a_shape, a_dtype, out, axis, where, initial):
    """Which elements are the extreme one, and how many, ``initial`` included.

    ``out`` has the reduced axes. Where it is nan there is none.
    """
    chosen = a == out
    if where is not True:
        chosen = chosen & where
    # In the machine's byte order, and able to count more than float16 can.
    dtype = np.result_type(a_dtype, np.float32)
    number = np.sum(chosen, axis=axis, dtype=dtype, keepdims=True)
    return chosen, number if initial is None else number + (initial == out)


def extreme_back(g, a, a_shape, a_dtype, out, axis, keepdims, where, initial):
    """The elements that are the extreme one share its gradient equally."""
    out = broadcastable(out, a_shape, axis, keepdims)
    chosen, number = chosen_ones(a, a_shape, a_dtype, out, axis, where, initial)
    each = broadcastable(g, a_shape, axis, keepdims) / np.maximum(number, 1.0)
    if not isinstance(each, np.ndarray):  # whether any is chosen nobody need ask then
        each = np.broadcast_to(each, a_shape)
    return np.where(chosen, each, 0.0)


def initial_extreme_back(g, a, a_shape, a_dtype, out, axis, keepdims, where, initial):
    out = broadcastable(out, a_shape, axis, keepdims)
    _, number = chosen_ones(a, a_shape, a_dtype, out, axis, where, initial)
    g = broadcastable(g, a_shape, axis, keepdims)
    return np.where(initial == out, g / np.maximum(number, 1.0), 0.0)


for function in (np.max, np.amax, np.nanmax, np.min, np.amin, np.nanmin):
    defvjp(function, a=extreme_back, initial=initial_extreme_back)


# ----- Products -----
def prod_back(g, a, a_shape, axis, keepdims, where, initial, dtype):
    """Multiply each cotangent by the product of the other elements, zeros or not."""
    a = computed_in(a, dtype)
    factors = a if where is True else np.where(where, a, 1.0)
    others = product_of_others(factors, reduced_axes(len(a_shape), axis))
    if initial is not None:
        others = others * initial
    slope = broadcastable(g, a_shape, axis, keepdims) * conj(others)
    return slope if where is True else np.where(where, slope, 0.0)


def product_of_others(a, axes):
    """For each element the product of all others along the axes, without division."""
    others = None
    for axis in axes:
        mine = before(a, axis) * np.flip(before(np.flip(a, axis), axis), axis)
        others = mine if others is None else others * mine
        a = np.prod(a, axis=axis, keepdims=True)
    return np.ones_like(a) if others is None else others


def before(a, axis):
    """For each element the product of those before it along an axis."""
    return np.cumprod(one_and(a, axis), axis)


def one_and(a, axis):
    """A one before the elements along an axis, without the last of these."""
    ones = np.ones_like(part(a, axis, 0, 1))
    return np.concatenate([ones, part(a, axis, 0, -1)], axis)


def part(a, axis, start, stop):
    return a[along(axis, slice(start, stop))]


defvjp(
    np.prod,
    a=prod_back,
    initial=lambda g, a, axis, keepdims, where, dtype: (
        g * conj(np.prod(a, axis, dtype, keepdims=keepdims, where=where))
    ),
)


# ----- Cumulative sums and products -----
def cumsum_back(g, a_shape, axis):
    if axis is None or not a_shape:
        return np.reshape(sum_from(g, 0), a_shape)
    return sum_from(g, axis)


def sum_from(g, axis):
    """For each element the sum of it and all after it along an axis."""
    return np.flip(np.cumsum(np.flip(g, axis), axis), axis)


def cumprod_back(g, a, a_shape, out, axis, dtype):
    """Zeros or not; see ``weighted_products_after``."""
    a = computed_in(a, dtype)
    if axis is None or not a_shape:
        flat = np.reshape(a, -1)
        return np.reshape(cumprod_back(g, flat, (flat.size,), out, 0, None), a_shape)
    axis = axis % len(a_shape)
    if a_shape[axis] == 0:
        return g
    return conj(one_and(out, axis)) * weighted_products_after(g, conj(a), axis)


def cumprod_forth(a, a_shape, out, axis, dtype):
    def forth(t):
        x, along = computed_in(a, dtype), axis
        if axis is None or not a_shape:
            x, t, along = np.reshape(x, -1), np.reshape(t, -1), 0
        along = along % x.ndim
        if x.shape[along] == 0:
            return t
        return weighted_products_before(t * one_and(out, along), x, along)

    return forth


def weighted_products_after(g, a, axis):
    """For each ``i`` the sum of ``g[k] * a[i + 1] * ... * a[k]`` over ``k >= i``.

    As ``y[i] = g[i] + a[i + 1] * y[i + 1]``, of which each step below takes twice as
    many terms together: no division, and so no trouble with zeros.
    """
    n = a.shape[axis]
    factor = np.concatenate(
        [part(a, axis, 1, n), np.zeros_like(part(a, axis, 0, 1))], axis
    )
    step = 1
    while step < n:
        g = g + factor * shifted(g, axis, step)
        factor = factor * shifted(factor, axis, step)
        step *= 2
    return g


def weighted_products_before(t, a, axis):
    """For each ``k`` the sum of ``t[i] * a[i + 1] * ... * a[k]`` over ``i <= k``."""
    n = a.shape[axis]
    factor, step = part(a, axis, 1, None), 1
    while step < n:
        later = part(t, axis, step, None) + factor * part(t, axis, 0, -step)
        t = np.concatenate([part(t, axis, 0, step), later], axis)
        factor = part(factor, axis, step, None) * part(factor, axis, 0, -step)
        step *= 2
    return t


def shifted(a, axis, step):
    """Move the elements towards the start of an axis, zeros coming in at its end."""
    zeros = np.zeros_like(part(a, axis, 0, step))
    return np.concatenate([part(a, axis, step, None), zeros], axis)


defvjp(np.cumsum, a=cumsum_back)
defvjp(np.cumprod, a=cumprod_back)
defjvp(np.cumprod, a=cumprod_forth)


# ----- Results without a gradient -----
defconstant(np.any, np.all)
