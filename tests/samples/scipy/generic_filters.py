"""Samples for the rules of ``srcgrad.rules.scipy.ndimage.generic_filters``."""

import numpy as np
from scipy import ndimage

from srcgrad.rules.libraries import replacement_of
from tests.samples.scipy.filters import of
from tests.samples.scipy.measurements import BOTH, LABELS

FOOTPRINT = np.array([[0, 1, 0], [1, 1, 1]])


def called(name, **kwargs):
    """A call whose functions are no arguments of the sample."""
    return lambda *args: replacement_of(getattr(ndimage, name))(*args, **kwargs)


def spread(values, scale=1.0):
    return scale * np.sum((values - np.mean(values)) ** 2)


def slope(input, axis, output, mode, cval):
    return replacement_of(ndimage.sobel)(input, axis, output, mode, cval)


def bent(pixel, by):
    return pixel[0] * 0.8 + 0.1 + by * pixel[1], pixel[1] * 0.7 + 0.3


def twisted(line, out, scale=1.0):
    out[:] = scale * (line[:-2] * line[1:-1] + np.sin(line[2:]))


def mapped(image, by):
    return replacement_of(ndimage.geometric_transform)(
        *(image, bent, (2, 3)), order=2, mode="nearest", extra_arguments=(by,)
    )


SAMPLES = [
    of(
        *(ndimage.generic_filter, (2, 3)),
        call=called(
            *("generic_filter",),
            function=spread,
            footprint=FOOTPRINT,
            extra_arguments=(2.0,),
        ),
    ),
    *(
        of(
            *(ndimage.generic_filter1d, (2, 5)),
            call=called(
                *("generic_filter1d",), function=twisted, filter_size=3, **options
            ),
        )
        for options in (
            {"mode": "wrap", "origin": -1},
            {"axis": 0, "mode": "constant", "cval": 0.5, "extra_arguments": (2.0,)},
        )
    ),
    of(
        *(ndimage.vectorized_filter, (2, 3)),
        call=called("vectorized_filter", function=np.mean, size=2, mode="mirror"),
    ),
    of(
        *(ndimage.vectorized_filter, (2, 3)),
        call=called("vectorized_filter", function=np.sum, footprint=FOOTPRINT),
    ),
    of(
        *(ndimage.generic_gradient_magnitude, (3, 4)),
        call=called("generic_gradient_magnitude", derivative=slope),
    ),
    of(
        *(ndimage.generic_laplace, (3, 4)),
        call=called("generic_laplace", derivative2=slope),
    ),
    of(ndimage.geometric_transform, (3, 4), (), call=mapped),
    of(
        *(ndimage.labeled_comprehension, (2, 3), LABELS, BOTH),
        call=called("labeled_comprehension", func=spread, out_dtype=float, default=0.0),
    ),
]
