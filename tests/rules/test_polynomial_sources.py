"""Polynomials by NumPy's own source: every sample, its errors and its warnings."""

import warnings

import numpy as np
import pytest

import srcgrad
from tests.differences import slope_of

X, Y = np.linspace(0.0, 1.0, 6), np.array([0.1, 0.9, 0.4, 1.3, 0.2, 0.7])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (np.polyfit, (X, Y, -1)),
        (np.polyfit, (X, Y[1:], 1)),
        (np.polyder, (Y, -1)),
        (np.polyint, (Y, 2, [1.0, 2.0, 3.0][:0])),
        (np.poly, (np.ones((2, 3)),)),
        (np.roots, (np.ones((2, 2)),)),
    ],
)
def test_errors_are_numpys(function, args):
    with pytest.raises((TypeError, ValueError)) as numpys:
        function(*args)
    with pytest.raises(numpys.type) as ours:
        srcgrad.grad(lambda x: np.sum(function(x, *args[1:])))(args[0])
    assert str(ours.value) == str(numpys.value)


def test_a_poor_fit_is_warned_of():
    same = np.ones(4)
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned"):
        srcgrad.grad(lambda y: np.sum(np.polyfit(same, y, 2)))(np.arange(4.0))


def test_roots_in_pairs_have_real_coefficients():
    def coefficients(c):
        found = np.poly(np.stack([c[0] + 1j * c[1], c[0] - 1j * c[1]]))
        assert found.dtype == np.float64
        return np.sum(found**2)

    place = np.array([0.7, 1.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = srcgrad.grad(coefficients)(place)
    np.testing.assert_allclose(found, slope_of(coefficients, place), 1e-7)
