"""The slope in the order, against differences in it and known values."""

import numpy as np
import pytest
from scipy import special

from srcgrad.rules.scipy.special.orders import scaled_slope
from tests.variables import variable


@pytest.mark.parametrize("x", [1e-3, 0.3, 2.0, 50.0, 2e3])
@pytest.mark.parametrize("v", [0.01, 0.5, 3.0, 40.0])
def test_against_differences(v, x):
    step = 1e-4 * max(v, 0.1)
    # Of the logarithm, by differences of the fourth order.
    log = [np.log(special.kve(v + k * step, x)) for k in (-2, -1, 1, 2)]
    slope = (log[0] - 8.0 * log[1] + 8.0 * log[2] - log[3]) / (12.0 * step)
    found = scaled_slope(np.array(v), np.array(x)) / special.kve(v, x)
    if np.isfinite(log).all():
        np.testing.assert_allclose(found, slope, rtol=1e-7, atol=1e-9)


def test_orders_of_either_sign():
    slopes = scaled_slope(np.array([-1.5, 0.0, 1.5]), 0.7)
    assert slopes[0] == -slopes[2]
    assert slopes[1] == 0.0


def test_complex_arguments():
    v = variable(0.5)
    with pytest.raises(NotImplementedError, match="at real `z` only"):
        special.kv(v, 1.0 + 1.0j).real.backward()
