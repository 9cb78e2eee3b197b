"""Medians and quantiles: every sample, nan, refusals."""

import numpy as np
import pytest

from srcgrad.rules.quantiles import PLACES
from tests.rules.gradients import gradient, quiet, same
from tests.variables import variable

NAN = np.nan


FINITE = [
    (np.median, [1.0, 5.0, 3.0], [0.0, 0.0, 1.0]),
    (np.median, [1.0, 5.0, 3.0, 4.0], [0.0, 0.0, 0.5, 0.5]),
    (np.median, [1.0, NAN, 3.0], [0.0, 0.0, 0.0]),
    (np.nanmedian, [1.0, NAN, 3.0, 7.0], [0.0, 0.0, 1.0, 0.0]),
]


@pytest.mark.parametrize(("function", "x", "slope"), FINITE)
def test_slope(function, x, slope):
    assert same(quiet(function, x)[0], slope)


@pytest.mark.parametrize("method", PLACES)
def test_places_are_numpys(method):
    rng = np.random.default_rng(0)
    q = np.concatenate([np.linspace(0, 1, 41), rng.uniform(0, 1, 20)])
    for n in range(1, 12):
        x = rng.normal(size=n)
        found = np.quantile(variable(x), q, method=method).data
        np.testing.assert_allclose(found, np.quantile(x, q, method=method), rtol=1e-9)


def test_the_slope_in_the_place_is_that_between_the_elements():
    assert gradient(lambda q: np.quantile([0.0, 1.0, 5.0], q), 0.6) == 8.0
    picked = np.quantile([0.0, 1.0, 5.0], variable(0.6), method="lower")
    assert picked.item() == 1.0
    assert not picked.requires_grad


def test_what_numpy_refuses():
    x = variable([1.0, 2.0])
    with pytest.raises(ValueError, match="range"):
        np.quantile(x, 1.5)
    with pytest.raises(ValueError, match="'cubic' is not a valid method"):
        np.quantile(x, 0.5, method="cubic")
    with pytest.raises(ValueError, match="Only method 'inverted_cdf'"):
        np.quantile(x, 0.5, weights=[1.0, 2.0])


@pytest.mark.parametrize("function", [np.quantile, np.nanquantile])
def test_one_by_weights_is_an_array_without_axes(function):
    x, options = np.array([1.0, 3.0]), {"weights": [1.0, 2.0], "method": "inverted_cdf"}
    assert type(function(x, 0.5, **options)) is np.ndarray
    assert type(function(variable(x), 0.5, **options).data) is np.ndarray
