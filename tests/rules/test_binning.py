"""Interpolation and histograms: every sample."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.protocols import raw_of


@pytest.mark.parametrize("count", [3, np.int64(3), np.uint8(3), np.array(3)])
@pytest.mark.parametrize("name", ["histogram", "histogram_bin_edges", "histogramdd"])
def test_a_number_of_bins_may_be_of_any_kind(name, count):
    function, x = getattr(np, name), np.array([0.3, 1.2, 2.0, 0.7])
    traced = srcgrad.trace(lambda x, n: function(x, n))
    expected = np.concatenate([np.ravel(each) for each in _leaves(function(x, 3))])
    for given in (x, Variable(x, requires_grad=True)):
        for call in (function, traced, traced):
            found = [np.ravel(raw_of(each)) for each in _leaves(call(given, count))]
            np.testing.assert_allclose(np.concatenate(found), expected)


def _leaves(found):
    if isinstance(found, tuple | list):
        return [leaf for each in found for leaf in _leaves(each)]
    return [found]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.histogramdd(x.reshape(-1, 2), bins=2)[1],
        lambda x: np.histogram(x, bins="auto"),
        lambda x: [np.histogram_bin_edges(x, "doane")],
        lambda x: [np.histogram_bin_edges(x[:16], "sqrt")],
        lambda x: [np.histogram_bin_edges(np.maximum(x, 1.8), "sturges")],
        lambda x: np.histogram(x, "rice", (0.5, 1.5)),
    ],
)
@pytest.mark.parametrize("kind", [np.copy, Variable])
def test_edges_are_those_of_each_call(function, kind):
    traced = srcgrad.trace(function)
    for seed in range(6):
        x = np.random.default_rng(seed).exponential(size=24)
        for found, expected in zip(traced(kind(x)), function(x), strict=True):
            np.testing.assert_allclose(raw_of(found), expected, rtol=1e-14)
