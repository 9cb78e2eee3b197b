"""Every sample of the chapter; matrices of any signs and order."""

import numpy as np
import pytest
import scipy.linalg

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import linalg
from tests.variables import variable


@pytest.mark.parametrize("seed", range(3))
def test_signs_and_blocks_are_lapacks(seed):
    a, b = np.random.default_rng(seed).standard_normal((2, 4, 4))
    assert gradcheck(linalg.schur, (a,))
    assert gradcheck(linalg.qz, (a, b))
    assert gradcheck(lambda a: linalg.schur(np.stack([a, 2.0 * a])), (a,))


def test_generalised_eigenvalues():
    a, b = np.random.default_rng(0).standard_normal((2, 4, 4))

    def quotients(a, b):
        _, _, alpha, beta, _, _ = linalg.ordqz(a, b)
        return np.real(alpha / beta)

    assert gradcheck(quotients, (a @ a.T, b @ b.T + np.eye(4)))
    turn = variable([[0.0, 1.0], [-1.0, 0.0]])
    np.sum(linalg.ordqz(turn, np.diag([1.0, 2.0]))[3]).backward()
    assert np.all(np.isnan(turn.grad.data))  # of a block nothing is known


@pytest.mark.parametrize("sort", [lambda x: x > 1.0, lambda x, y: x > 1.0])
def test_sorted_by_a_function_of_the_user(sort):
    a = np.diag([1.0, 2.0, 0.5]) + np.triu(np.ones((3, 3)), 1)

    def first(a):
        return scipy.linalg.schur(a, sort=sort)[0][0, 0]

    traced = srcgrad.trace(first)
    for _ in range(2):
        assert np.isclose(srcgrad.stop_gradient(traced(variable(a))), 2.0)
    np.testing.assert_allclose(np.trace(srcgrad.grad(first)(a)), 1.0)


def test_of_nothing():
    a = variable(np.zeros((0, 0)))
    np.sum(linalg.schur(a)[0]).backward()
    assert a.grad.shape == (0, 0)
