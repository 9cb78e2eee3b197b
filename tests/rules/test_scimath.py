"""Rules for ``np.emath``: every sample, inside and outside of the real domain."""

import numpy as np
import pytest

from srcgrad import Variable


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.int64])
def test_complex_results_are_as_precise_as_numpys(dtype):
    x = np.array([-2, 1], dtype)
    for function in (np.emath.sqrt, np.emath.arcsin):
        found = function(Variable(x))
        assert found.dtype == function(x).dtype
        np.testing.assert_array_equal(found.data, function(x))
