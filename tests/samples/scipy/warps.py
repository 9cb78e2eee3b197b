"""Samples for the rules of ``srcgrad.rules.scipy.ndimage.warps``."""

import numpy as np
from scipy import ndimage

from tests.samples import Constant, Draw, Made, S, within

MODES = ("constant", "nearest", "reflect", "mirror", "grid-wrap")
INNER = within(0.2, 2.8, 2, 4)
BEYOND = within(-1.8, 5.8, 1, 8)


def of(function, *specs, **options):
    return S(function, *specs, dtypes=(np.float64,), only_real=True, **options)


def near(values):
    array = np.array(values)
    return Made(lambda rng, dtype: array.astype(dtype), array.shape)


TURN = near([[0.9, 0.2], [-0.15, 1.05]])

SAMPLES = [
    *(
        of(ndimage.map_coordinates, (4, 5), INNER, order=order, mode=mode)
        for order in (1, 2, 3)
        for mode in MODES
    ),
    *(
        of(ndimage.map_coordinates, (5,), BEYOND, mode=mode, cval=0.5)
        for mode in (*MODES, "wrap", "grid-constant")
    ),
    *(
        of(ndimage.map_coordinates, (5,), BEYOND, mode=mode, prefilter=False, cval=0.5)
        for mode in ("nearest", "wrap", "grid-constant")
    ),
    of(ndimage.map_coordinates, (5,), BEYOND, order=1, cval=0.5),
    of(ndimage.map_coordinates, (6,), within(0.2, 4.8, 1, 4), order=5),
    of(ndimage.map_coordinates, (4, 5), INNER, prefilter=False),
    of(ndimage.map_coordinates, (4, 5), Constant(np.ones((2, 3)) * 1.2), order=0),
    of(ndimage.spline_filter1d, (6, 2), axis=0, mode="reflect"),
    of(ndimage.spline_filter, (4, 5), order=4),
    of(ndimage.shift, (4, 5), near([0.4, -0.7])),
    of(ndimage.shift, (6,), Constant(1.3), order=1, mode="mirror"),
    of(ndimage.zoom, (4, 3), 2.0),
    of(ndimage.zoom, (5,), 0.6, order=1, mode="nearest"),
    of(ndimage.zoom, (4, 3), 1.6, mode="grid-constant", grid_mode=True),
    of(ndimage.affine_transform, (4, 5), TURN, offset=Draw((2,), 0.1, 0.6)),
    of(ndimage.affine_transform, (4, 5), near([0.9, 1.05]), mode="reflect"),
    of(
        ndimage.affine_transform,
        *((4, 5), near([[0.9, 0.2, 0.33], [-0.15, 1.05, 0.42]])),
        output_shape=(3, 3),
        order=2,
    ),
    of(ndimage.rotate, (5, 4), near(20.0)),
    of(ndimage.rotate, (5, 4), Constant(90.0), reshape=False, order=1),
]
