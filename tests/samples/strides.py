"""Samples for the rules of ``srcgrad.rules.strides``."""

from numpy.lib.stride_tricks import as_strided

from srcgrad.rules.libraries import replacement_of
from srcgrad.updates import as_complexes, as_reals
from tests.samples import COMPLEX, S


def windows(x):
    step = x.strides[-1]
    return replacement_of(as_strided)(x, (3, 2), strides=(step, step))


def repeated(x):
    return replacement_of(as_strided)(x, (2, *x.shape), (0, *x.strides))


def turned(x):
    return replacement_of(as_strided)(x, x.shape[::-1], x.strides[::-1])


def parts(x, y):
    z = x + 1j * y
    return z.view(z.real.dtype)


def wholes(x):
    if x.dtype.kind == "c":
        raise TypeError("there are no parts to put together")
    return (x * 1.0).view(f"c{2 * x.itemsize}")


SAMPLES = [
    S(as_strided, (4,), call=windows, dtypes=COMPLEX),
    S(as_strided, (2, 3), call=repeated, dtypes=COMPLEX),
    S(as_strided, (2, 3), call=turned, dtypes=COMPLEX),
    S(as_strided, (), call=repeated),
    S(as_strided, (2, 0), call=turned),
    S(as_reals, (6,), (6,), call=parts),
    S(as_complexes, (6,), call=wholes),
]
