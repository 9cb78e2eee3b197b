"""Attributes of objects made of Variables; `test_results` looks at all of them."""

import numpy as np
import pytest

import srcgrad
from srcgrad.scipy import interpolate
from srcgrad.scipy.object_members import WithMembers
from tests.variables import variable

X = np.linspace(0.0, 1.0, 12)


def test_an_attribute_of_numbers_is_scipys():
    grid = interpolate.RegularGridInterpolator((X,), X)
    assert isinstance(grid, WithMembers)
    assert type(grid.values) is np.ndarray
    made = interpolate.BarycentricInterpolator(variable(X), X)
    with pytest.raises(srcgrad.NoRuleError, match="wi"):
        _ = made.wi
