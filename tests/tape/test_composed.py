"""What runs in the place of a function takes the arguments that it takes."""

import numpy as np
import pytest
from scipy import linalg, special

import srcgrad
from tests.variables import variable

CALLS = [
    lambda x: np.polynomial.polynomial.polyval3d(x),
    lambda x: np.polynomial.chebyshev.chebval(x, 1.0, 2.0, 3.0),
    lambda x: np.polynomial.polynomial.polymul(x),
    lambda x: np.trapezoid(x, foo=1),
    lambda x: special.multigammaln(x),
    lambda x: linalg.toeplitz(x, x, x),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wrap", [srcgrad.grad, srcgrad.trace])
def test_other_arguments_are_told_in_the_words_of_the_function(call, wrap):
    x = np.array([0.5, 1.5])
    with pytest.raises(TypeError) as expected:
        call(x)
    with pytest.raises(TypeError) as found:
        wrap(call)(variable(x) if wrap is srcgrad.trace else x)
    assert str(found.value).splitlines()[0] == str(expected.value).splitlines()[0]
