"""Rules for ``scipy.ndimage``: filters that call a function, on what is around a pixel.

The function is called once for each pixel, as SciPy does, so it may be any program.
"""

import numpy as np
from scipy import ndimage

from srcgrad.protocols import raw_of
from srcgrad.rules.compositions import defined_by
from srcgrad.rules.scipy.ndimage.images import extended, per_axis, refuse
from srcgrad.rules.scipy.ndimage.measurements import parts_of, shaped
from srcgrad.rules.scipy.ndimage.neighbourhoods import around, footprint_of
from srcgrad.rules.scipy.ndimage.warps import map_coordinates


def generic_filter(
    input,
    function,
    size,
    footprint,
    mode,
    cval,
    origin,
    extra_arguments,
    extra_keywords,
):
    """``scipy.ndimage.generic_filter``"""
    places = footprint_of(size, footprint, None, np.ndim(input))
    seen = around(input, places, 0.0, None, mode, cval, origin)[np.ravel(places)]
    flat = np.reshape(seen, (np.shape(seen)[0], -1))
    options = extra_keywords or {}
    found = [
        function(flat[:, i], *extra_arguments, **options)
        for i in range(np.shape(flat)[1])
    ]
    return np.reshape(np.stack(found), np.shape(input))


def generic_filter1d(
    input,
    function,
    filter_size,
    axis,
    mode,
    cval,
    origin,
    extra_arguments,
    extra_keywords,
):
    """``scipy.ndimage.generic_filter1d``: the function writes line after line."""
    if np.iscomplexobj(raw_of(input)):
        raise TypeError("Complex type not supported")
    before = filter_size // 2 + origin
    if filter_size < 1:
        raise RuntimeError("invalid filter size")
    if not 0 <= before < filter_size:
        raise ValueError("invalid origin")
    lines = np.moveaxis(input, axis, -1)
    reach = [(0, 0)] * (np.ndim(input) - 1) + [(before, filter_size - 1 - before)]
    wide = extended(lines, reach, [mode] * np.ndim(input), cval)
    options, found = extra_keywords or {}, []
    for index in np.ndindex(np.shape(lines)[:-1]):
        line = np.zeros_like(lines[index])
        function(wide[index], line, *extra_arguments, **options)
        found.append(line)
    return np.moveaxis(np.reshape(np.stack(found), np.shape(lines)), -1, axis)


def vectorized_filter(input, function, size, footprint, mode, cval, origin):
    """``scipy.ndimage.vectorized_filter``"""
    if mode == "valid":
        refuse("vectorized_filter", "with mode='valid'")
    ndim = np.ndim(input)
    places = footprint_of(size, footprint, None, ndim)
    seen = around(input, places, 0.0, None, mode, cval or 0.0, origin or 0)
    seen = np.moveaxis(seen[np.ravel(places)], 0, -1)
    if footprint is not None:
        return function(seen, axis=-1)
    windows = np.reshape(seen, np.shape(input) + np.shape(places))
    return function(windows, axis=tuple(range(-ndim, 0)))


def generic_gradient_magnitude(
    input, derivative, mode, cval, extra_arguments, extra_keywords
):
    """``scipy.ndimage.generic_gradient_magnitude``"""
    options = mode, cval, extra_arguments, extra_keywords
    slopes = each_axis(input, derivative, *options)
    return np.sqrt(sum(slope**2 for slope in slopes))


def generic_laplace(input, derivative2, mode, cval, extra_arguments, extra_keywords):
    """``scipy.ndimage.generic_laplace``"""
    options = mode, cval, extra_arguments, extra_keywords
    return sum(each_axis(input, derivative2, *options))


def each_axis(input, function, mode, cval, extra_arguments, extra_keywords):
    """What a function of SciPy's form makes of an image along each axis."""
    modes, options = per_axis(mode, np.ndim(input)), extra_keywords or {}
    return [
        function(input, axis, None, own, cval, *extra_arguments, **options)
        for axis, own in enumerate(modes)
    ]


def geometric_transform(
    input,
    mapping,
    output_shape,
    order,
    mode,
    cval,
    prefilter,
    extra_arguments,
    extra_keywords,
):
    """``scipy.ndimage.geometric_transform``"""
    shape = np.shape(input) if output_shape is None else tuple(output_shape)
    options = extra_keywords or {}
    rows = [
        np.stack(list(mapping(pixel, *extra_arguments, **options)))
        for pixel in np.ndindex(shape)
    ]
    places = np.reshape(np.stack(rows).T, (np.ndim(input), *shape))
    return map_coordinates(input, places, order, mode, cval, prefilter)


def labeled_comprehension(
    input, labels, index, func, out_dtype, default, pass_positions
):
    """``scipy.ndimage.labeled_comprehension``"""
    numbers = np.reshape(np.arange(np.size(raw_of(input))), np.shape(input))
    parts = parts_of(input, labels, index)
    positions = parts_of(numbers, labels, index)
    found = []
    for part, place in zip(parts, positions, strict=True):
        args = (part, place) if pass_positions else (part,)
        found.append(func(*args) if np.size(place) else default)
    return shaped(found, labels, index)


for _own in (
    *(generic_filter, generic_filter1d),
    *(generic_gradient_magnitude, generic_laplace),
    *(geometric_transform, labeled_comprehension, vectorized_filter),
):
    defined_by(getattr(ndimage, _own.__name__), _own)
