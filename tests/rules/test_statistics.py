"""Averages, differences, reductions without nan: every sample, ties."""

import numpy as np
import pytest

import srcgrad
from tests.rules.gradients import quiet, same

NAN = np.nan


# Each row: a function of x, the point, the slope there. None of them may warn.
FINITE = [
    (np.ptp, [2.0, 2.0], [0.0, 0.0]),
    (np.nanmean, [1.0, NAN, 2.0], [0.5, 0.0, 0.5]),
    (np.nanprod, [2.0, NAN, 0.0], [0.0, 0.0, 2.0]),
]


@pytest.mark.parametrize(("function", "x", "slope"), FINITE)
def test_slope(function, x, slope):
    assert same(quiet(function, x)[0], slope)


def test_a_number_has_no_axes_to_take_a_gradient_along():
    assert srcgrad.vjp(np.gradient, 2.0)[0] == np.gradient(2.0) == ()
