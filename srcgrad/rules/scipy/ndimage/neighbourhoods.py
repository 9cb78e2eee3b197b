"""Rules for ``scipy.ndimage``: the largest, smallest and middle of what lies around.

Ties share the gradient, as in ``np.max``.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import ndimage

from srcgrad.rules.compositions import defined_by
from srcgrad.rules.scipy.ndimage.images import (
    extended,
    margins,
    one_origin,
    per_axis,
)


# ----- Windows -----
def best_along(best, input, size, axis, mode, cval, origin):
    """``maximum_filter1d`` or ``minimum_filter1d``"""
    ndim = np.ndim(input)
    axis = axis % ndim
    sizes = [size if i == axis else 1 for i in range(ndim)]
    reach = margins(sizes, one_origin(origin, axis, ndim))
    whole = extended(input, reach, [mode] * ndim, cval)
    return best(sliding_window_view(whole, size, axis=axis), axis=-1)


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
    outside, best = (-np.inf, np.max) if largest else (np.inf, np.min)
    if structure is None and np.all(places):
        options = per_axis(mode, ndim), per_axis(origin, ndim)
        for axis, (n, m, o) in enumerate(zip(np.shape(places), *options, strict=True)):
            input = best_along(best, input, n, axis, m, cval, o) if n > 1 else input
        return input
    if structure is not None:
        structure = np.multiply(structure, 1.0 if largest else -1.0)
    return best(around(input, places, outside, structure, mode, cval, origin), axis=0)


def extreme(name, best):
    """``maximum_filter`` or ``minimum_filter``, and the same along one axis"""

    def along(input, size, axis, mode, cval, origin):
        return best_along(best, input, size, axis, mode, cval, origin)

    def filtered(input, size, footprint, mode, cval, origin):
        largest = best is np.max
        return best_of(input, largest, size, footprint, None, mode, cval, origin)

    defined_by(getattr(ndimage, f"{name}1d"), along)
    defined_by(getattr(ndimage, name), filtered)


extreme("maximum_filter", np.max)
extreme("minimum_filter", np.min)


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


def morphology(run):
    return lambda input, size, footprint, structure, mode, cval, origin: run(
        input, size, footprint, structure, mode, cval, origin
    )


for _name, _run in MORPHOLOGY.items():
    defined_by(getattr(ndimage, _name), morphology(_run))


# ----- Ranks -----
def of_rank(rank_of, input, size, footprint, mode, cval, origin):
    """The one with a rank among what lies around; ``rank_of`` their number."""
    places = footprint_of(size, footprint, None, np.ndim(input))
    count = int(np.sum(places))
    rank = rank_of(count) % count
    if rank in (0, count - 1):
        return best_of(input, rank > 0, None, places, None, mode, cval, origin)
    seen = around(input, places, np.inf, None, mode, cval, origin)
    return np.sort(seen, axis=0)[rank]


def rank_filter(input, rank, size, footprint, mode, cval, origin):
    options = size, footprint, mode, cval, origin
    return of_rank(lambda count: int(rank), input, *options)


def percentile_filter(input, percentile, size, footprint, mode, cval, origin):
    share = percentile + 100.0 if percentile < 0.0 else percentile

    def rank_of(count):
        return count - 1 if share == 100.0 else int(count * share / 100.0)

    return of_rank(rank_of, input, size, footprint, mode, cval, origin)


def median_filter(input, size, footprint, mode, cval, origin):
    options = size, footprint, mode, cval, origin
    return of_rank(lambda count: count // 2, input, *options)


for _own in (rank_filter, percentile_filter, median_filter):
    defined_by(getattr(ndimage, _own.__name__), _own)
