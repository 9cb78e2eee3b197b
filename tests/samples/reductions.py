"""Samples for the rules of ``srcgrad.rules.reductions``."""

import warnings

import numpy as np

from tests.samples import COMPLEX, REAL, Draw, Made, S, strided

MASK = np.array([[True, False, True, True], [False, True, True, True]] * 2)[:3]
COLUMN = np.array([[True], [False], [True]])
AXES = (None, 0, -1, (0, 1), (-1, 0), ())

# With these, 3 x 4 arrays hold a zero each (zeros in a product are no special case).
ZEROS = ([(1, 2)], [(0, 0), (2, 0)], [(1, 1), (1, 3)], [(0, 3), (1, 0), (2, 2)])


def with_zeros(*places, shape=(3, 4)):
    def build(rng, dtype):
        array = Draw(shape)(rng, dtype)
        for place in places:
            array[place] = 0.0
        return array

    return Made(build, shape)


def gappy(rng, dtype):
    """Some elements are nan, but no row and no column is."""
    array = Draw((3, 4))(rng, dtype)
    array[[0, 1, 1, 2], [1, 0, 2, 3]] = np.nan
    return array


def without_gaps(function):
    """The function on an argument to which the gaps are given inside it."""
    gaps = ~np.isnan(gappy(np.random.default_rng(0), float))

    def call(x, **kwargs):
        return function(np.where(gaps, x, np.nan), **kwargs)

    return call


def along_axes(function, dtypes=REAL, draw=Draw, **kwargs):
    for axis in AXES:
        yield S(function, draw((3, 4)), axis=axis, dtypes=dtypes, **kwargs)
    yield S(function, draw((2, 3, 2)), axis=(0, -1), dtypes=dtypes, **kwargs)
    yield S(function, draw((2, 3, 2)), axis=1, keepdims=True, dtypes=dtypes, **kwargs)
    yield S(function, draw((3, 4)), keepdims=True, dtypes=dtypes, **kwargs)
    yield S(function, draw((4,)), dtypes=dtypes, **kwargs)
    yield S(function, draw((3, 1)), axis=1, dtypes=dtypes, **kwargs)
    axes = (None, 0, -1)
    if function in (np.mean, np.var):
        axes = (None,)
    for axis in axes:  # NumPy takes the axes of a 0-d array in some functions only
        yield S(function, draw(()), axis=axis, dtypes=dtypes, **kwargs)


def masked(function, dtypes=REAL, **kwargs):
    for axis in (None, 0, 1, (0, 1)):
        yield S(function, (3, 4), axis=axis, where=MASK, dtypes=dtypes, **kwargs)
    yield S(function, (3, 4), where=COLUMN, dtypes=dtypes, **kwargs)
    yield S(
        function, (3, 4), axis=1, keepdims=True, where=MASK, dtypes=dtypes, **kwargs
    )


def without_imaginary_part(function):
    """The function on complex numbers, computed in real ones by ``dtype=``."""

    def call(x, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            return function(x + 1j * y, dtype=np.float64)

    return S(function, (3,), (3,), call=call, id="real-part")


def strides(function):
    return S(function, strided(3, 4), axis=0)


def sums():
    yield from along_axes(np.sum, COMPLEX)
    yield from masked(np.sum, COMPLEX)
    yield S(np.sum, (3, 4), axis=0, initial=2.0)
    yield S(np.sum, (0, 3), axis=0)
    yield S(np.sum, (0, 3), axis=1)
    yield S(np.sum, (3, 4), dtype=np.float64)
    yield S(np.sum, (2, 3), call=lambda x: x.sum(axis=-1), id="x.sum(axis=-1)")
    yield S(np.sum, (2, 3), axis=0, initial=Draw(()), dtypes=COMPLEX)
    yield from along_axes(np.mean, COMPLEX)
    yield from masked(np.mean, COMPLEX)
    yield S(np.mean, (0, 3), axis=1)
    yield S(np.mean, (2, 3), call=lambda x: x.mean(), id="x.mean()")


def spreads():
    for function in (np.var, np.std):
        yield from along_axes(function, COMPLEX, large) if function is np.var else ()
        yield from masked(function, COMPLEX)
        yield strides(function)
        yield S(function, (3, 4), dtypes=COMPLEX)
        yield S(function, (3, 4), axis=0, keepdims=True)
        yield S(function, (3, 4), axis=1, ddof=1, dtypes=COMPLEX)
        yield S(function, (3, 4), axis=1, correction=1)
        yield S(function, (3, 4), axis=1, ddof=0.5)
        yield S(function, (3, 4), axis=1, ddof=1, where=MASK)
        yield S(function, (2, 3, 2), axis=(0, 2), ddof=1)
        yield S(function, (0, 3), axis=1)
        yield S(
            *(function, (3, 4)),
            call=lambda x, f=function: f(x, 0, mean=np.mean(x, 0, keepdims=True)),
            id="own-mean",
        )
        yield S(
            *(function, (3, 4)),
            axis=1,
            mean=Draw((3, 1)),
            where=MASK,
            dtypes=COMPLEX,
        )
        # What comes of real data and a complex mean, and the other way round.
        yield S(
            *(function, (3, 4)),
            call=lambda x, f=function: f(x, mean=np.array(0.5 + 1j)),
            id="complex-mean",
        )
        yield S(
            *(function, (), (3,), (3,)),
            call=lambda m, x, y, f=function: f(x + 1j * y, mean=m, keepdims=True),
            id="real-mean",
        )
        yield S(function, (3, 4), axis=0, dtype=np.complex128, dtypes=COMPLEX)


def large(shape):
    return Draw(shape, -5.0, 5.0)


def extremes():
    for function in (np.max, np.amax, np.min, np.amin, np.nanmax, np.nanmin):
        yield from along_axes(function)
        yield strides(function)
        yield S(function, (3, 4), axis=1, initial=0.1)
        yield S(function, (3, 4), axis=1, initial=0.1, where=MASK)
        yield S(function, (3, 4), axis=0, initial=Draw(()), where=MASK)
        yield S(function, (3, 4), keepdims=True, initial=Draw(()))
        yield S(function, (0, 3), axis=0, initial=0.0)
        yield S(function, (3, 0), axis=0)


def products():
    yield from along_axes(np.prod, COMPLEX)
    yield from masked(np.prod, COMPLEX)
    yield strides(np.prod)
    yield S(np.prod, (3, 4), axis=0, initial=2.0)
    yield S(np.prod, (3, 4), axis=0, initial=Draw(()), where=MASK, dtypes=COMPLEX)
    yield S(np.prod, (3,), initial=Draw(()), keepdims=True)
    for function in (np.sum, np.mean, np.prod, np.var, np.cumsum, np.cumprod):
        yield without_imaginary_part(function)
    yield S(np.prod, (3,), dtype=np.complex128, dtypes=COMPLEX)
    yield S(np.prod, (0, 3), axis=0)
    yield S(np.prod, (0, 3), axis=1)
    for places in ZEROS:
        for axis in (None, 0, 1):
            yield S(np.prod, with_zeros(*places), axis=axis, id=f"{len(places)}-zeros")
    yield S(np.prod, with_zeros((0,), (2,), shape=(4,)), dtypes=COMPLEX, id="zeros")


def accumulated(functions):
    for function in functions:
        for axis in (None, 0, 1, -1):
            yield S(function, (3, 4), axis=axis, dtypes=COMPLEX)
        yield S(function, (2, 3, 2), axis=1)
        yield S(function, (1,))
        yield S(function, ())
        yield S(function, (), axis=0)
        yield S(function, (), axis=-1)
        yield S(function, (0, 3), axis=0)
        yield S(function, (0, 3), axis=1)
        yield strides(function)


def cumulative():
    yield from accumulated([np.cumsum, np.cumprod])
    for places in ZEROS:
        for axis in (None, 0, 1):
            zeros = with_zeros(*places)
            yield S(np.cumprod, zeros, axis=axis, id=f"{len(places)}-zeros")
    yield S(np.cumprod, with_zeros((0,), (2,), shape=(5,)), dtypes=COMPLEX, id="zeros")


def skipping_nan(functions):
    """On data without nan as on others."""
    for function in functions:
        yield from along_axes(function)
        yield S(function, (3, 4), axis=1, where=MASK)


def with_gaps(functions, axes=(None, 0, 1)):
    """On data in which some elements are nan."""
    for function in functions:
        for axis in axes:
            call = without_gaps(function)
            yield S(function, (3, 4), call=call, axis=axis, id="gaps")


SAMPLES = [
    *sums(),
    *spreads(),
    *extremes(),
    *products(),
    *cumulative(),
    *skipping_nan([np.nansum]),
    *with_gaps([np.nansum, np.nanmax, np.nanmin]),
    S(np.nansum, (2, 3), axis=0, initial=Draw(())),
]
