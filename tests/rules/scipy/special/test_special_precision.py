"""SciPy's functions held to mpmath: values, first and second derivatives.

A range that ends before the dtype's does so for mpmath, which takes its time.
"""

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from tests.precision import Row, misses, within


def part(function, i):
    return lambda x: function(x)[i]


def log_normal(x):
    return mp.log(mp.ncdf(x)) if x < 5 else mp.log1p(-mp.ncdf(-x))


def scaled(x):
    return mp.exp(x * x) * mp.erfc(x)


def dawson(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


ROWS = [
    Row(special.log_ndtr, log_normal, within(-1e4, step=9)),
    Row(special.erfcx, scaled, within(-25.0, 1e4, step=9)),
    Row(special.dawsn, dawson, within(-1e3, 1e3, step=9)),
    Row(special.expit, lambda x: 1 / (1 + mp.exp(-x)), within(-1e4, 1e4, step=9)),
    Row(special.log_expit, lambda x: -mp.log1p(mp.exp(-x)), within(-1e4, 1e4, step=9)),
    Row(special.logit, lambda x: mp.log(x / (1 - x)), within(0.0, 1.0, 0.5, step=9)),
    Row(part(special.sici, 0), mp.si, within(-1e3, 1e3, step=9), name="Si", units=2),
    Row(part(special.shichi, 0), mp.shi, within(-600.0, 600.0, step=9), name="Shi"),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.seeds(1)
def test_precision(row, dtype, seed):
    assert not misses(row, dtype, seed)
