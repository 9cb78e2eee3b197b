"""NumPy's families of polynomials: every sample."""

import warnings

import numpy as np
from numpy.polynomial import chebyshev

import srcgrad
from tests.differences import slope_of


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
