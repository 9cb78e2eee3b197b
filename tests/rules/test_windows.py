"""Rules for NumPy's windows: every sample."""

import numpy as np
import pytest

import srcgrad


@pytest.mark.parametrize("points", [0, 1, 2])
def test_few_points_of_a_kaiser_window(points):
    value, slope = srcgrad.value_and_grad(lambda b: np.kaiser(points, b).sum())(2.0)
    assert value == np.kaiser(points, 2.0).sum()
    assert np.isfinite(slope)
