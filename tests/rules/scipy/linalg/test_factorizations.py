"""Every sample of the chapter; phases, and single precision."""

import numpy as np
import pytest
import scipy.linalg

import srcgrad
from srcgrad.scipy import linalg
from srcgrad.tape.variable import Variable
from tests.rules.gradients import gradient

SQUARE = np.diag([1.0, 2.0, 4.0]) + 0.1


def test_the_phases_of_the_vectors_of_a_pair_are_not_known():
    turned = np.array([[0.0, -1.0], [1.0, 0.0]])
    weights = np.array([[1.0, 2.0], [3.0, 4.0j]])

    def weighed(a):
        return np.sum(np.real(weights * linalg.eig(a, 2.0 * np.eye(2))[1]))

    assert np.all(np.isnan(gradient(weighed, turned)))


@pytest.mark.parametrize(
    "function",
    [
        lambda a: scipy.linalg.norm(a, 1),
        lambda a: scipy.linalg.norm(a.T, np.inf),
        lambda a: scipy.linalg.norm(a[:, 0]),
        lambda a: scipy.linalg.norm(a[::2, ::2], 1),
        lambda a: scipy.linalg.norm(a, axis=0),
        lambda a: scipy.linalg.funm(a, np.sin),
    ],
)
def test_single_precision_gives_what_scipy_gives(function):
    given = np.tril(SQUARE).astype(np.float32)
    found = srcgrad.trace(function)(Variable(given, requires_grad=True))
    expected = function(given)
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found.data, expected, rtol=1e-5, atol=1e-6)
