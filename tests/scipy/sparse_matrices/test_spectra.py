"""Some eigenvalues and singular values are those of the whole matrix."""

import numpy as np
import pytest

from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import sparse
from tests.variables import variable

DATA = np.array([4.0, 1.0, 1.5, 3.0, 0.5, 0.7, 2.0, -1.0])
PLACES = np.array([0, 0, 1, 1, 1, 2, 2, 3]), np.array([0, 1, 0, 1, 2, 1, 2, 3])
START = np.array([1.0, 0.5, -0.3, 0.2])
PAIR = np.diag([1.0, 2.0, 3.0, 1.5])


def matrix(data):
    return sparse.csr_array((data, PLACES), shape=(4, 4))


def symmetric(data):
    return matrix(data) + matrix(data).T


CALLS = {
    "lobpcg": lambda d: sparse.linalg.lobpcg(
        symmetric(d), np.eye(4)[:, :1] + START[:, None], tol=1e-12
    ),
}


@pytest.mark.filterwarnings("ignore")  # lobpcg: the matrix is small
@pytest.mark.parametrize("name", CALLS)
def test_values_and_vectors(name):
    call = CALLS[name]
    for found, expected in zip(call(variable(DATA)), call(DATA), strict=True):
        np.testing.assert_allclose(found.data, expected, atol=1e-8)

    def squared(data):
        return [np.real(part * np.conj(part)) for part in call(data)]

    assert gradcheck(squared, (DATA,))
    assert gradgradcheck(squared, (DATA,))
