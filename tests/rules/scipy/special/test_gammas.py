"""Every sample of the chapter."""

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.rules.libraries import replacement_of


@pytest.mark.parametrize(
    ("x", "y"), [(1.0, 2.0), (2.0, 4.0), (-1.5, -0.5), (2.5, -2.0)]
)
def test_binomials_of_0_have_a_slope(x, y):
    assert srcgrad.gradcheck(special.binom, (np.array(x), np.array(y)), eps=1e-5)
    second = srcgrad.grad(srcgrad.grad(special.binom, argnums=1), argnums=1)
    assert np.isnan(second(x, y))  # and a second one that is not known


def test_factorials_of_whole_numbers_have_no_gradient():
    found = replacement_of(special.factorialk)(srcgrad.Variable(np.array(5)), 3)
    assert found == pytest.approx(10.0)
