"""Rules for ``scipy.ndimage``: how far the background is, by how far apart pixels are.

Which pixel of the background is nearest is a step.
"""

import numpy as np
from scipy import ndimage

from srcgrad.facts import declare
from srcgrad.protocols import dispatched, first_variable
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.distances import root
from srcgrad.rules.scipy.ndimage.images import refuse


@dispatched
def nearest_background(input, sampling):
    options = {"return_distances": False, "return_indices": True}
    return ndimage.distance_transform_edt(input, sampling, **options)


defconstant(nearest_background)
declare(nearest_background, raises=True)


def distances(
    input,
    sampling=None,
    return_distances=True,
    return_indices=False,
    distances=None,
    indices=None,
):
    """``scipy.ndimage.distance_transform_edt`` of a Variable's ``sampling``"""
    if first_variable(sampling) is None:
        return NotImplemented
    if distances is not None or indices is not None:
        refuse("distance_transform_edt", "with `distances` or `indices`")
    ndim = np.ndim(input)
    apart = np.broadcast_to(sampling, (ndim,))
    nearest = nearest_background(input, apart)
    off = nearest - np.indices(np.shape(input))
    squares = np.sum((off * np.reshape(apart, (-1,) + (1,) * ndim)) ** 2, axis=0)
    asked = ((return_distances, root(squares)), (return_indices, nearest))
    results = tuple(result for is_asked, result in asked if is_asked)
    return results if len(results) > 1 else results[0]


def distances_one_by_one(input, metric="euclidean", sampling=None, *rest, **options):
    """``scipy.ndimage.distance_transform_bf``, which finds the same"""
    if str(metric).lower() != "euclidean":
        return NotImplemented
    return distances(input, sampling, *rest, **options)


for _own, _function in (
    (distances, ndimage.distance_transform_edt),
    (distances_one_by_one, ndimage.distance_transform_bf),
):
    defconstant(_function)
    defined_as(_function, _own)
