"""NumPy's functions held to mpmath: values, first and second derivatives."""

import mpmath as mp
import numpy as np
import pytest

from tests.precision import POSITIVE, Row, misses

ROWS = [
    Row(np.exp, mp.exp),
    Row(np.sqrt, mp.sqrt, POSITIVE),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.seeds(1)
def test_precision(row, dtype, seed):
    assert not misses(row, dtype, seed)
