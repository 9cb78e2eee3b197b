"""NumPy's families of polynomials: every sample."""

import warnings

import numpy as np
import pytest
from numpy.polynomial import chebyshev, polynomial

import srcgrad
from tests.differences import slope_of


@pytest.mark.parametrize(
    ("function", "args", "error"),
    [
        (chebyshev.chebdiv, (np.ones(3), np.zeros(2)), ZeroDivisionError),
        (polynomial.polyfit, (np.ones(3), np.ones(2), 1), TypeError),
        (polynomial.polyadd, (np.ones((2, 2)), np.ones(2)), ValueError),
        (chebyshev.chebpow, (np.ones(2), 17), ValueError),
    ],
)
def test_errors_are_numpys(function, args, error):
    with pytest.raises(error) as numpys:
        function(*args)
    with pytest.raises(error) as ours:
        srcgrad.grad(lambda c: function(c, *args[1:]))(args[0])
    assert str(ours.value) == str(numpys.value)


def test_zeros_of_the_highest_degrees_are_left_out_at_each_call():
    product = srcgrad.trace(lambda c: chebyshev.chebadd(c, [1.0, 0.0, -1.0]))
    for c in ([1.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 1.0], [0.0, 0.0, 1.0]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = product(srcgrad.Variable(np.array(c), requires_grad=True))
        assert found.data.tolist() == chebyshev.chebadd(c, [1.0, 0.0, -1.0]).tolist()


def test_the_interpolant_of_a_function_by_what_that_depends_on():
    def coefficients(c):
        found = chebyshev.chebinterpolate(lambda x, c: np.exp(c * x), 3, (c,))
        return np.sum(found**2)

    expected = slope_of(lambda c: coefficients(c[0]), np.array([0.7]))
    for _ in range(3):
        np.testing.assert_allclose(srcgrad.grad(coefficients)(0.7), *expected, 1e-7)
    with pytest.raises(ValueError, match="expected deg >= 0"):
        srcgrad.grad(lambda c: np.sum(chebyshev.chebinterpolate(np.exp, -1, (c,))))(1.0)
