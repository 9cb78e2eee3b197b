"""Objects of orthogonal polynomials by their parameters."""

import numpy as np
import pytest
import scipy.special

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import special
from tests.variables import variable

X = np.array([0.2, 0.7])


@pytest.mark.parametrize("monic", [False, True])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("jacobi", (0.4, 1.3)),
        ("genlaguerre", (0.6,)),
        ("gegenbauer", (0.8,)),
        ("sh_jacobi", (2.4, 1.3)),
    ],
)
def test_polynomials_by_their_parameters(name, parameters, monic):
    def function(*arrays):
        *given, x = arrays
        return getattr(special, name)(3, *given, monic=monic)(x)

    expected = getattr(scipy.special, name)(3, *parameters, monic=monic)(X)
    arrays = (*map(np.array, parameters), X)
    np.testing.assert_allclose(function(*map(variable, arrays)).data, expected, 1e-12)
    assert gradcheck(function, arrays)
    traced = srcgrad.trace(function)
    for _ in range(2):
        np.testing.assert_allclose(traced(*arrays), expected, 1e-12)


def test_what_is_not_of_points_is_refused():
    with pytest.raises(srcgrad.NoRuleError, match="call it at points"):
        special.jacobi(2, variable(0.5), 0.5).coeffs  # noqa: B018
    with pytest.raises(ValueError, match="alpha must be > -1"):
        special.genlaguerre(2, variable(-1.5))
