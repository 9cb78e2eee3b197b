"""Every sample of the chapter, and what is equal in Carlson's integrals."""

import numpy as np
import pytest

import srcgrad
from srcgrad.scipy import special

TIES = [
    (special.elliprd, (1.0, 0.25, 1.0)),
    (special.elliprd, (3.0, 3.0, 1.0)),
    (special.elliprd, (1.0, 1.0, 1.0)),
    (special.elliprj, (1.0, 2.0, 3.0, 1.0)),
    (special.elliprj, (0.25, 1.0, 0.25, 1.0)),
    (special.elliprj, (2.0, 2.0, 2.0, 2.0)),
    (special.elliprc, (1.5, 1.5)),
    (special.elliprf, (1.0, 1.0, 1.0)),
    (special.agm, (-0.5, -1.5)),
]


@pytest.mark.parametrize(("function", "values"), TIES)
@pytest.mark.parametrize("shift", [0.0, 1e-9, 1e-4])
def test_arguments_that_are_one_or_nearly(function, values, shift):
    first, *rest = map(np.array, values)
    assert srcgrad.gradcheck(function, (first + shift, *rest))
    assert srcgrad.gradgradcheck(function, (first + shift, *rest))


def test_the_second_slope_of_complete_integrals_at_0():
    second = srcgrad.grad(srcgrad.grad(special.ellipk))
    np.testing.assert_allclose(second(0.0), 9.0 * np.pi / 64.0, rtol=1e-9)


def test_of_a_first_argument_of_0_the_slope_in_the_last_of_elliprj_is_finite():
    in_last = srcgrad.grad(lambda p: special.elliprj(0.0, 1.0, 2.0, p))
    there = srcgrad.grad(special.elliprj, argnums=3)(0.0, 1.0, 2.0, 1.0)
    np.testing.assert_allclose(there, in_last(1.0), rtol=1e-12)
