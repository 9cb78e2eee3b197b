"""Every sample of the chapter, over wide ranges."""

import numpy as np
import pytest
from scipy import special

from tests.variables import variable


@pytest.mark.parametrize("q", [-400.0, -3.0, 0.5, 90.0])
@pytest.mark.parametrize("m", [1, 2, 7])
def test_the_slope_is_the_mean_of_the_potential(m, q):
    """Over a period, of 2 cos(2 x) times the square of the function."""
    x = np.arange(0.0, 360.0, 0.5)
    for value_of, function in (
        (special.mathieu_a, special.mathieu_cem),
        (special.mathieu_b, special.mathieu_sem),
    ):
        square = function(m, q, x)[0] ** 2
        expected = 2.0 * np.mean(2.0 * np.cos(np.radians(2.0 * x)) * square)
        given = variable(q)
        value_of(m, given).backward()
        np.testing.assert_allclose(given.grad.data, expected, rtol=1e-8)
