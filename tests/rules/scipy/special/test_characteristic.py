"""Every sample of the chapter, over wide ranges, and where there is nothing."""

import numpy as np
import pytest
from scipy import special

import srcgrad
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


def test_no_function_of_such_an_order():
    q = variable(np.array([1.0, 1.0, np.nan, 1.0]))
    special.mathieu_b(np.array([0.5, -1.0, 2.0, 2.0]), q).sum().backward()
    assert np.isnan(q.grad.data).tolist() == [True, True, True, False]


def test_so_large_a_parameter():
    with pytest.raises(srcgrad.NoRuleError, match=r"matrix of \d+ rows"):
        special.mathieu_a(0, variable(1e6)).backward()
