"""Samples for the compositions of ``srcgrad.rules.quantiles``."""

import numpy as np

from srcgrad.rules.quantiles import PLACES
from tests.samples import Constant, S, positive, within
from tests.samples.reductions import with_gaps


def plain():
    for axis in (None, 0, 1, (0, 1), -1):
        yield S(np.median, (3, 4), axis=axis)
        yield S(np.quantile, (3, 4), Constant(0.3), axis=axis)
    yield S(np.median, ())
    yield S(np.quantile, (), Constant(0.3), axis=())
    yield S(np.median, (2, 3, 2), axis=(0, 2), keepdims=True)
    yield S(np.median, (5,))
    yield S(np.percentile, (3, 4), Constant(40))
    yield S(np.percentile, (3, 4), Constant(40.5), axis=1)
    yield S(np.percentile, (3, 4), call=lambda x: np.percentile(x, [25.0, 100], 0))
    for q in (0, 1, 0.0, 1.0, 0.5):
        yield S(np.quantile, (5,), Constant(q))
    yield S(np.quantile, (3, 4), Constant(np.array([0.1, 0.77])), axis=1)
    yield S(np.quantile, (3, 4), Constant(np.array([[0.1], [1.0]])), keepdims=True)
    yield S(np.quantile, (6,), positive(), call=lambda x, q: np.quantile(x, q / 4.0))


def of_every_method():
    """Places on an element and between two; a number, an array, differentiated."""
    for method in PLACES:
        for q in (0.3, 0.5):
            yield S(np.quantile, (8,), Constant(q), method=method)
        yield S(
            *(np.percentile, (3, 7), Constant(np.array([7.0, 52.0]))),
            axis=1,
            method=method,
        )
        yield S(np.quantile, (2, 5), within(0.62, 0.74), method=method)
        yield S(np.nanquantile, (2, 6), Constant(0.37), axis=1, method=method)


def weighted():
    weights = np.array([1.0, 0.0, 2.0, 3.0])
    for function in (np.quantile, np.nanquantile):
        for q in (Constant(0.4), Constant(np.array([0.1, 0.9]))):
            options = {"weights": weights, "method": "inverted_cdf"}
            yield S(function, (4,), q, **options)
    yield S(np.quantile, (3, 4), q, axis=1, keepdims=True, **options)


def nan_left_out():
    for axis in (None, 0, 1):
        yield S(np.nanmedian, (3, 4), axis=axis)
        yield S(np.nanquantile, (3, 4), Constant(0.3), axis=axis)
    yield S(np.nanquantile, (3, 4), Constant([[0.1, 0.6]]), axis=0, keepdims=True)
    yield S(np.nanpercentile, (3, 4), within(20.0, 60.0, 3), axis=1)
    yield S(np.nanmedian, (2, 3, 2), axis=(0, 2), keepdims=True)
    yield from with_gaps([np.nanmedian])
    yield from with_gaps([lambda x, axis: np.nanquantile(x, [0.2, 0.7], axis=axis)])


SAMPLES = [*plain(), *of_every_method(), *weighted(), *nan_left_out()]
