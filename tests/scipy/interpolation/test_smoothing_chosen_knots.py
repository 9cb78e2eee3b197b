"""``scipy.interpolate.generate_knots``: knots that are places of the data."""

import numpy as np
import scipy.interpolate

import srcgrad
from tests.variables import variable

X = np.sort(np.random.default_rng(0).uniform(0.0, 5.0, 12))
Y = np.sin(2.0 * X)


def knots(module, x, *ends, **options):
    options |= dict(zip(("xb", "xe"), ends, strict=False))
    return np.concatenate(list(module.generate_knots(x, Y, **options)))


def test_traced_they_follow_values_that_choose_others():
    @srcgrad.trace
    def total(x, y):
        *_, knots = scipy.interpolate.generate_knots(x, y, s=0.01)
        return knots.sum()

    for y in (Y, Y**2, X, Y):
        *_, expected = scipy.interpolate.generate_knots(X, y, s=0.01)
        for values in (y, variable(y)):
            assert total(variable(X), values).data == expected.sum()
