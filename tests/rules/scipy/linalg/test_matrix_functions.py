"""Every sample of the chapter."""

import numpy as np
import pytest
from scipy import linalg

import srcgrad
from tests.differences import slope_of

MATRICES = [
    np.array([[2.0, 1.0], [0.3, 3.0]]),
    np.array([[0.1, 2.0], [-1.0, 0.2]]),
    np.array([[-1.0, 0.2], [0.1, -3.0]]),
]
OF_EIGENVALUES = {
    "eig": lambda x: np.linalg.eig(x)[0],
    "eigvals": np.linalg.eigvals,
    "linalg.eig": lambda x: linalg.eig(x)[0],
    "linalg.eig, vectors": lambda x: linalg.eig(x)[1][:, 0],
    "linalg.eigvals": linalg.eigvals,
    "sqrtm": linalg.sqrtm,
    "logm": linalg.logm,
    "fractional_matrix_power": lambda x: linalg.fractional_matrix_power(x, 0.3),
}


@pytest.mark.parametrize("name", OF_EIGENVALUES)
@pytest.mark.parametrize("first", range(3))
def test_generated_code_for_real_results_is_not_for_complex_ones(name, first):
    function = OF_EIGENVALUES[name]

    def loss(x):
        found = function(x)
        return np.sum(np.real(found) ** 3) + np.sum(np.sin(np.imag(found)))

    for x in [*MATRICES[first:], *MATRICES[:first]]:
        slope = slope_of(loss, x)
        for _ in range(2):
            assert np.allclose(srcgrad.grad(loss)(x), slope, atol=1e-6)
            reverse = srcgrad.jacobian(loss, mode="reverse")
            assert np.allclose(reverse(x), slope, atol=1e-6)
            _, tangent = srcgrad.jvp(loss, (x,), (MATRICES[0],))
            assert np.allclose(tangent, np.sum(slope * MATRICES[0]), atol=1e-5)
