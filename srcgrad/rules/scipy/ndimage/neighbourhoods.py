"""Rules for ``scipy.ndimage``: the largest, smallest and middle of what lies around.

Ties share the gradient, as in ``np.max``.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import ndimage

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.ndimage.images import (
    check,
    extended,
    gaussian_filter,
    margins,
    one_origin,
    per_axis,
)


# ----- Windows -----
def line_of(name, best):
    """``maximum_filter1d`` or ``minimum_filter1d``"""

    def filtered(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
        check(name, output, None)
        ndim = np.ndim(input)
        axis = axis % ndim
        sizes = [size if i == axis else 1 for i in range(ndim)]
        reach = margins(sizes, one_origin(origin, axis, ndim))
        whole = extended(input, reach, [mode] * ndim, cval)
        return best(sliding_window_view(whole, size, axis=axis), axis=-1)

    defined_as(getattr(ndimage, name), filtered)
    return filtered


maximum_filter1d = line_of("maximum_filter1d", np.max)
minimum_filter1d = line_of("minimum_filter1d", np.min)


def footprint_of(size, footprint, structure, ndim):
    """Which places count."""
    if footprint is not None:
        return np.not_equal(footprint, 0)
    if structure is not None:
        return np.ones(np.shape(structure), bool)
    if size is None:
        raise ValueError("size, footprint, or structure must be specified")
    return np.ones([int(n) for n in per_axis(size, ndim)], bool)


def around(input, places, outside, structure, mode, cval, origin):
    """The image as it is seen from each place; ``outside`` where one does not count.

    What the structure says is added to it.
    """
    ndim, shape = np.ndim(input), np.shape(input)
    reach = margins(np.shape(places), per_axis(origin, ndim))
    whole = extended(input, reach, per_axis(mode, ndim), cval)
    seen = []
    for corner in np.ndindex(np.shape(places)):
        window = zip(corner, shape, strict=True)
        there = whole[tuple(slice(i, i + n) for i, n in window)]
        there = there if structure is None else there + structure[corner]
        seen.append(np.where(places[corner], there, outside))
    return np.stack(seen)


# ----- The largest and the smallest -----
def best_of(input, largest, size, footprint, structure, mode, cval, origin):
    """The largest (smallest), after a structure has been added (taken away)."""
    ndim = np.ndim(input)
    places = footprint_of(size, footprint, structure, ndim)
    if structure is None and np.all(places):
        run = maximum_filter1d if largest else minimum_filter1d
        options = per_axis(mode, ndim), per_axis(origin, ndim)
        for axis, (n, m, o) in enumerate(zip(np.shape(places), *options, strict=True)):
            input = run(input, n, axis, None, m, cval, o) if n > 1 else input
        return input
    if structure is not None:
        structure = np.multiply(structure, 1.0 if largest else -1.0)
    outside, best = (-np.inf, np.max) if largest else (np.inf, np.min)
    return best(around(input, places, outside, structure, mode, cval, origin), axis=0)


def extreme(name, largest):
    """``maximum_filter`` or ``minimum_filter``"""

    def filtered(
        input,
        size=None,
        footprint=None,
        output=None,
        mode="reflect",
        cval=0.0,
        origin=0,
        *,
        axes=None,
    ):
        check(name, output, axes)
        return best_of(input, largest, size, footprint, None, mode, cval, origin)

    defined_as(getattr(ndimage, name), filtered)
    return filtered


maximum_filter = extreme("maximum_filter", largest=True)
minimum_filter = extreme("minimum_filter", largest=False)


# ----- Morphology of grey images -----
def erosion(input, size, footprint, structure, mode, cval, origin):
    return best_of(input, False, size, footprint, structure, mode, cval, origin)


def dilation(input, size, footprint, structure, mode, cval, origin):
    """With the structure turned around, and its origin."""
    ndim = np.ndim(input)
    structure = None if structure is None else np.flip(structure)
    places = np.flip(footprint_of(size, footprint, structure, ndim))
    origins = [
        -o - (n % 2 == 0)
        for o, n in zip(per_axis(origin, ndim), np.shape(places), strict=True)
    ]
    return best_of(input, True, None, places, structure, mode, cval, origins)


def opening(input, *options):
    return dilation(erosion(input, *options), *options)


def closing(input, *options):
    return erosion(dilation(input, *options), *options)


MORPHOLOGY = {
    "grey_erosion": erosion,
    "grey_dilation": dilation,
    "grey_opening": opening,
    "grey_closing": closing,
    "morphological_gradient": lambda x, *o: dilation(x, *o) - erosion(x, *o),
    "morphological_laplace": lambda x, *o: dilation(x, *o) + erosion(x, *o) - 2.0 * x,
    "white_tophat": lambda x, *o: x - opening(x, *o),
    "black_tophat": lambda x, *o: closing(x, *o) - x,
}


def morphology(name, run):
    def filtered(
        input,
        size=None,
        footprint=None,
        structure=None,
        output=None,
        mode="reflect",
        cval=0.0,
        origin=0,
        *,
        axes=None,
    ):
        check(name, output, axes)
        return run(input, size, footprint, structure, mode, cval, origin)

    defined_as(getattr(ndimage, name), filtered)


for _name, _run in MORPHOLOGY.items():
    morphology(_name, _run)


# ----- Ranks -----
def ranked(name, rank_of):
    """The one with a rank among what lies around."""

    def run(input, place, size, footprint, output, mode, cval, origin, axes):
        check(name, output, axes)
        places = footprint_of(size, footprint, None, np.ndim(input))
        count = int(np.sum(places))
        rank = rank_of(place, count) % count
        if rank in (0, count - 1):
            options = None, places, None, mode, cval, origin
            return best_of(input, rank > 0, *options)
        seen = around(input, places, np.inf, None, mode, cval, origin)
        return np.sort(seen, axis=0)[rank]

    return run


def percentile_rank(percentile, count):
    percentile = percentile + 100.0 if percentile < 0.0 else percentile
    return count - 1 if percentile == 100.0 else int(count * percentile / 100.0)


of_rank = ranked("rank_filter", lambda rank, count: int(rank))
of_percentile = ranked("percentile_filter", percentile_rank)
of_median = ranked("median_filter", lambda rank, count: count // 2)


def rank_filter(
    input,
    rank,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """``scipy.ndimage.rank_filter``"""
    return of_rank(input, rank, size, footprint, output, mode, cval, origin, axes)


def percentile_filter(
    input,
    percentile,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """``scipy.ndimage.percentile_filter``"""
    options = size, footprint, output, mode, cval, origin, axes
    return of_percentile(input, percentile, *options)


def median_filter(
    input,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """``scipy.ndimage.median_filter``"""
    return of_median(input, None, size, footprint, output, mode, cval, origin, axes)


# ----- Slopes of a smooth image -----
def smooth_slopes(input, sigma, order, mode, cval, options):
    """The derivatives of an order along each axis."""
    ndim = np.ndim(input)
    for axis, m in enumerate(per_axis(mode, ndim)):
        orders = [order if i == axis else 0 for i in range(ndim)]
        yield gaussian_filter(input, sigma, orders, None, m, cval, **options)


def gaussian_laplace(
    input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs
):
    """``scipy.ndimage.gaussian_laplace``"""
    check("gaussian_laplace", output, axes)
    return sum(smooth_slopes(input, sigma, 2, mode, cval, kwargs))


def gaussian_gradient_magnitude(
    input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs
):
    """``scipy.ndimage.gaussian_gradient_magnitude``"""
    check("gaussian_gradient_magnitude", output, axes)
    slopes = smooth_slopes(input, sigma, 1, mode, cval, kwargs)
    return np.sqrt(sum(slope * slope for slope in slopes))


for _own in (rank_filter, percentile_filter, median_filter):
    defined_as(getattr(ndimage, _own.__name__), _own)
for _own in (gaussian_laplace, gaussian_gradient_magnitude):
    defined_as(getattr(ndimage, _own.__name__), _own)
