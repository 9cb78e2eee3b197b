"""Calls that NumPy need not make."""

import numpy as np

import srcgrad

rng = np.random.default_rng(0)
x = rng.normal(size=(2, 3, 4))


def test_the_derivative_of_a_convolution_reverses_nothing():
    def convolved(x, y):
        return np.convolve(x, y, "same")

    primals = np.array([0.5, -1.0, 2.0]), np.array([1.0, 3.0])
    tangents = np.array([1.0, 0.5, -2.0]), np.array([-1.0, 0.25])
    expected = np.convolve(tangents[0], primals[1], "same")
    expected += np.convolve(primals[0], tangents[1], "same")
    for _ in range(3):
        found = srcgrad.jvp(convolved, primals, tangents)[1]
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert "[::-1]" not in srcgrad.source(convolved)
