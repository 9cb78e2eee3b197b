"""What the rules of linear algebra share: quotients of nothing."""

import numpy as np

from srcgrad.rules.matrices import quotient


def test_a_quotient_of_nothing_is_nothing():
    x, y = np.array([0.0, 0.0, 1.0, np.nan]), np.array([0.0, 2.0, 0.0, 0.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        np.testing.assert_array_equal(quotient(x, y), [0.0, 0.0, np.inf, np.nan])
