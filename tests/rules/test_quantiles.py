"""Medians and quantiles: every sample; places."""

import numpy as np
import pytest

from srcgrad.rules.quantiles import PLACES
from tests.rules.gradients import gradient
from tests.variables import variable


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


@pytest.mark.parametrize("function", [np.quantile, np.nanquantile])
def test_one_by_weights_is_an_array_without_axes(function):
    x, options = np.array([1.0, 3.0]), {"weights": [1.0, 2.0], "method": "inverted_cdf"}
    assert type(function(x, 0.5, **options)) is np.ndarray
    assert type(function(variable(x), 0.5, **options).data) is np.ndarray
