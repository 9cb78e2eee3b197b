"""``scipy.interpolate.generate_knots``: knots that are places of the data."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

X = np.sort(np.random.default_rng(0).uniform(0.0, 5.0, 12))
Y = np.sin(2.0 * X)


def knots(module, x, *ends, **options):
    options |= dict(zip(("xb", "xe"), ends, strict=False))
    return np.concatenate(list(module.generate_knots(x, Y, **options)))


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ((X,), {}),
        ((X,), {"k": 2}),
        ((X,), {"k": 1, "s": 0.1}),
        ((X, -1.0, 6.0), {"s": 0.01}),
    ],
)
def test_by_the_places(args, options):
    expected = knots(scipy.interpolate, *args, **options)
    found = knots(interpolate, *map(variable, args), **options)
    np.testing.assert_array_equal(found.data, expected)
    assert gradcheck(lambda *args: knots(interpolate, *args, **options), args)
    np.testing.assert_array_equal(knots(interpolate, *args, **options), expected)


def test_traced_they_follow_values_that_choose_others():
    @srcgrad.trace
    def total(x, y):
        *_, knots = scipy.interpolate.generate_knots(x, y, s=0.01)
        return knots.sum()

    for y in (Y, Y**2, X, Y):
        *_, expected = scipy.interpolate.generate_knots(X, y, s=0.01)
        for values in (y, variable(y)):
            assert total(variable(X), values).data == expected.sum()


def test_periodic_ones_have_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="periodic"):
        interpolate.generate_knots(variable(X), Y, bc_type="periodic")
