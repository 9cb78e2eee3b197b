"""What has no derivative is refused with the reason, and SciPy's own otherwise."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.scipy import interpolate
from tests.variables import variable

PLACES = np.linspace(0.0, 1.0, 9)
VALUES = np.sin(5.0 * PLACES)


def test_the_error_gives_the_reason():
    with pytest.raises(
        srcgrad.NoRuleError, match=r"of generate_knots \(.*\): it chooses"
    ):
        interpolate.generate_knots(PLACES, variable(VALUES))
    with pytest.raises(srcgrad.NoRuleError, match="generate_knots"):
        interpolate.generate_knots(PLACES, y=variable(VALUES))


def test_without_a_gradient_it_is_scipys():
    constant = srcgrad.Variable(VALUES)
    expected = list(scipy.interpolate.generate_knots(PLACES, VALUES))
    for given in (VALUES, constant):
        found = interpolate.generate_knots(PLACES, given)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)
