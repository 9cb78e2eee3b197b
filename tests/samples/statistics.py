"""Samples for the compositions of ``srcgrad.rules.statistics``."""

import numpy as np

from tests.samples import COMPLEX, Constant, S, ascending, positive
from tests.samples.reductions import accumulated, skipping_nan, with_gaps


def cumulative():
    yield from accumulated([np.nancumsum, np.nancumprod])
    if hasattr(np, "cumulative_sum"):
        for function in (np.cumulative_sum, np.cumulative_prod):
            yield S(function, (4,))
            yield S(function, (), axis=-1, include_initial=True)
            yield S(function, (3, 4), axis=-1, include_initial=True)


def nan_left_out():
    functions = (np.nanmean, np.nanprod, np.nanvar)
    yield from skipping_nan(functions)
    yield from with_gaps((*functions, np.nanstd))
    yield from with_gaps((np.nancumsum, np.nancumprod), axes=(None, 0))
    yield S(np.nanstd, (3, 4), axis=1, ddof=1, keepdims=True)


def averages():
    yield S(np.ptp, (3, 4))
    yield S(np.ptp, (3, 4), axis=1, keepdims=True)
    yield S(np.average, (3, 4))
    yield S(np.average, (3, 4), axis=(0, 1), keepdims=True)
    yield S(np.average, (3, 4), weights=np.arange(12.0).reshape(3, 4) + 1)
    yield S(np.average, (3, 4), axis=1, weights=np.arange(4.0) + 1)
    yield S(np.average, (3, 4), axis=0, weights=[1, 2, 3], returned=True)
    yield S(np.average, (3, 4), axis=1, returned=True)
    yield S(
        *(np.average, (3, 4), positive(4)),
        call=lambda x, w: np.average(x, axis=1, weights=w, returned=True),
        id="weights",
    )
    yield S(
        *(np.average, (2, 3, 4), positive(4, 2)),
        call=lambda x, w: np.average(x, axis=(2, 0), weights=w),
        id="axes",
    )


def differences():
    for n in (0, 1, 2, 3):
        yield S(np.diff, (3, 5), n=n)
    yield S(np.diff, (3, 4), axis=0, prepend=0.5)
    yield S(np.diff, (3, 4), append=np.ones((3, 2)))
    yield S(
        *(np.diff, (3, 4), (), (3, 1)),
        call=lambda x, a, b: np.diff(x, prepend=a, append=b),
        id="ends",
    )
    yield S(np.ediff1d, (3, 4))
    yield S(np.ediff1d, (3,), to_begin=0.5, to_end=np.ones(2))
    yield S(np.ediff1d, (3,), call=lambda x: np.ediff1d(x, [1.0, 2.0], [3.0]))
    yield S(np.trapezoid, (3, 4))
    yield S(np.trapezoid, (3, 4), axis=0, dx=0.5)
    yield S(np.trapezoid, (2,), (2, 2))  # by rows of places
    yield S(np.trapezoid, (3, 4), positive(4))
    yield S(np.trapezoid, (3, 4), positive(3), axis=0)
    yield S(np.trapezoid, (3, 4), positive(3, 4), axis=-2)


def slopes():
    yield S(np.gradient, (5,), dtypes=COMPLEX)
    yield S(np.gradient, (3, 4))
    yield S(np.gradient, (4, 3), edge_order=2, axis=0)
    yield S(np.gradient, (2, 4, 3), positive(), axis=(1, -1))
    yield S(np.gradient, (2, 5), Constant(2.0), axis=1, edge_order=2)
    yield S(np.gradient, (3, 5), Constant(0.5), Constant(np.array([0, 1, 2, 4, 7.0])))
    for order in (1, 2):
        yield S(np.gradient, (4, 2), ascending(4), axis=0, edge_order=order)


def covariances():
    frequencies = np.array([1, 3, 2, 1])
    yield S(np.cov, (3, 4), dtypes=COMPLEX)
    yield S(np.cov, (5,))
    yield S(np.cov, (4, 3), rowvar=False, bias=True)
    yield S(np.cov, (2, 4), (4,), ddof=0, dtypes=COMPLEX)
    yield S(np.cov, (2, 4), fweights=frequencies)
    yield S(np.cov, (2, 4), aweights=positive(4))
    yield S(np.cov, (2, 4), aweights=positive(4), fweights=frequencies, ddof=0)
    yield S(np.cov, (2, 4), aweights=positive(4), fweights=frequencies)
    yield S(np.corrcoef, (3, 4), dtypes=COMPLEX)
    yield S(np.corrcoef, (4,), (4,))
    yield S(np.corrcoef, (4, 3), rowvar=False)


SAMPLES = [
    *slopes(),
    *covariances(),
    *cumulative(),
    *nan_left_out(),
    *averages(),
    *differences(),
]
