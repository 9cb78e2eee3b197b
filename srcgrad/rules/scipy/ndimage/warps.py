"""Rules for ``scipy.ndimage``: values between the pixels, shifts, zooms, rotations.

A spline through the pixels is linear in them: SciPy's filter of unit vectors says how.
Its pieces are polynomials in the coordinates, so both have a gradient.
"""

import itertools
from typing import Any

import numpy as np
from scipy import ndimage, special

from srcgrad.rules.compositions import defined_by
from srcgrad.rules.scipy.ndimage.images import BEYOND, per_axis, refuse
from srcgrad.rules.scipy.precision import doubles
from srcgrad.updates import cast

# Where the pixels beyond an edge are found; inside `constant` the spline is mirrored.
SPLINES = {
    "constant": "mirror",
    "mirror": "mirror",
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "grid-wrap": "grid-wrap",
    "nearest": "nearest",
    "wrap": "mirror",
    "grid-constant": "nearest",  # beside a rim
}
MARGIN = 12  # what SciPy lays around an image whose edges go on


# ----- Coefficients -----
def spline_filter1d(input, order, axis, mode):
    """``scipy.ndimage.spline_filter1d``"""
    x = doubles(input)
    if order < 2 or np.shape(x)[axis] == 1:
        return x + 0.0
    matrix = ndimage.spline_filter1d(np.eye(np.shape(x)[axis]), order, 0, mode=mode)
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def spline_filter(input, order, mode):
    """``scipy.ndimage.spline_filter``: axis by axis."""
    for axis in range(np.ndim(input)):
        input = spline_filter1d(input, order, axis, mode)
    return input


# ----- Values -----
def spline_weights(f, order):
    """The weights of the coefficients around a point, ``f`` behind a knot."""
    weights = [1.0 + 0.0 * f]
    for degree in range(1, order + 1):
        following = [0.0] * (degree + 1)
        for r, weight in enumerate(weights):
            part = weight / degree
            following[r] = following[r] + (r + 1.0 - f) * part
            following[r + 1] = (f + (degree - 1.0 - r)) * part
        weights = following
    return weights


def neighbours(x, n, order, mode):
    """The pixels around each coordinate, with their weights; what lies inside."""
    half = 0.5 * (order % 2 == 0)
    knot = np.floor(x + half)
    start = knot.astype(int) - order // 2
    where = BEYOND[SPLINES[mode]]
    pairs = [
        (where(start + i, n), weight)
        for i, weight in enumerate(spline_weights(x + half - knot, order))
    ]
    inside = (x >= 0) & (x <= n - 1) if mode == "constant" else np.ones(x.shape, bool)
    return pairs, inside


def within(x, coordinates, mode, cval, margin):
    """The image with what is laid around it, and where the places are in it."""
    if mode == "wrap":  # the last pixel lies on the first one
        return x, [
            np.where((c < 0) | (c > n - 1), c - (n - 1) * wraps(c, n), c)
            for c, n in zip(coordinates, np.shape(x), strict=True)
        ]
    if mode == "grid-constant":
        x = np.pad(x, margin, constant_values=cval)
        return x, [c + margin for c in coordinates]
    if mode == "nearest":
        x = np.pad(x, margin, mode="edge")
        return x, [c + margin for c in coordinates]
    return x, coordinates


def wraps(c, n):
    """How often a place lies beyond an image."""
    periods = c / max(n - 1, 1)
    return np.where(c < 0, np.trunc(periods) - 1.0, np.trunc(periods))


def sampled(name, input, coordinates, order, mode, cval, prefilter):
    """The spline through the pixels, or with them for coefficients, at places."""
    if mode not in SPLINES:
        refuse(name, f"in the mode {mode!r}")
    x, dtype = doubles(input), input.dtype
    margin = MARGIN if prefilter and order > 1 else 0
    x, coordinates = within(x, coordinates, mode, cval, margin)
    if prefilter:
        x = spline_filter(x, order, mode)
    if mode == "grid-constant":
        x = np.pad(x, 1, constant_values=cval)
        coordinates = [c + 1.0 for c in coordinates]
    found = [
        neighbours(c, n, order, mode)
        for c, n in zip(coordinates, np.shape(x), strict=True)
    ]
    out: Any = 0.0
    inside = True
    for _, is_inside in found:
        inside = inside & is_inside
    for corner in itertools.product(*(pairs for pairs, _ in found)):
        weight = 1.0
        for _, share in corner:
            weight = weight * share
        out = out + weight * x[tuple(index for index, _ in corner)]
    out = np.where(inside, out, cval)
    return out if out.dtype == dtype else cast(out, dtype)


def map_coordinates(input, coordinates, order, mode, cval, prefilter):
    """``scipy.ndimage.map_coordinates``"""
    places = [doubles(coordinates[axis]) for axis in range(np.ndim(input))]
    return sampled("map_coordinates", input, places, order, mode, cval, prefilter)


# ----- Images moved as a whole -----
def pixels(shape):
    """The coordinates of the pixels of an image."""
    return [axis.astype(float) for axis in np.indices(shape)]


def shift(input, shift, order, mode, cval, prefilter):
    """``scipy.ndimage.shift``, by the shift too."""
    is_list = isinstance(shift, (list, tuple))
    is_one = not is_list and np.ndim(shift) == 0
    shifts = [shift] * np.ndim(input) if is_one else shift
    places = [c - shifts[i] for i, c in enumerate(pixels(np.shape(input)))]
    return sampled("shift", input, places, order, mode, cval, prefilter)


def zoom(input, zoom, order, mode, cval, prefilter, grid_mode):
    """``scipy.ndimage.zoom``"""
    shape = np.shape(input)
    factors = [float(factor) for factor in per_axis(zoom, len(shape))]
    if prefilter and all(factor == 1 for factor in factors):
        return np.copy(input)
    sizes = [round(n * factor) for n, factor in zip(shape, factors, strict=True)]
    if grid_mode:  # areas are stretched, else what lies between their middles
        places = [
            (c + 0.5) * (n / size) - 0.5
            for c, n, size in zip(pixels(sizes), shape, sizes, strict=True)
        ]
    else:
        places = [
            c * ((n - 1) / (size - 1) if size > 1 else 1.0)
            for c, n, size in zip(pixels(sizes), shape, sizes, strict=True)
        ]
    return sampled("zoom", input, places, order, mode, cval, prefilter)


def affine_transform(input, matrix, offset, output_shape, order, mode, cval, prefilter):
    """``scipy.ndimage.affine_transform``, by the matrix and the offset too."""
    ndim = np.ndim(input)
    shape = np.shape(input) if output_shape is None else output_shape
    if np.ndim(matrix) == 2 and np.shape(matrix)[1] == ndim + 1:
        matrix, offset = matrix[:ndim, :ndim], matrix[:ndim, ndim]
    offsets = [offset] * ndim if np.ndim(offset) == 0 else offset
    where = pixels(shape)
    places = []
    for i in range(ndim):
        if np.ndim(matrix) == 1:
            place = matrix[i] * where[i]
        else:
            place = sum(matrix[i, j] * where[j] for j in range(len(where)))
        places.append(place + offsets[i])
    return sampled("affine_transform", input, places, order, mode, cval, prefilter)


def rotate(input, angle, axes, reshape, order, mode, cval, prefilter):
    """``scipy.ndimage.rotate`` of images of two dimensions, by the angle too."""
    if np.ndim(input) != 2:
        refuse("rotate", "of more than two dimensions")
    c, s = special.cosdg(angle), special.sindg(angle)
    matrix = np.stack([np.stack([c, s]), np.stack([-s, c])])
    shape = np.array(np.shape(input))
    sizes = shape
    if reshape:
        across, along = np.abs(c), np.abs(s)
        extents = across * shape + along * shape[::-1]
        sizes = [int(np.floor(extents[i] + 0.5)) for i in range(2)]
    sizes = np.array(sizes)
    offset = (shape - 1) / 2.0 - matrix @ ((sizes - 1) / 2.0)
    sizes = tuple(map(int, sizes))
    options = order, mode, cval, prefilter
    return affine_transform(input, matrix, offset, sizes, *options)


for _own in (
    *(spline_filter1d, spline_filter, map_coordinates),
    *(shift, zoom, affine_transform, rotate),
):
    defined_by(getattr(ndimage, _own.__name__), _own)
