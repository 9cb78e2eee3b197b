"""Some eigenvalues and singular values are those of the whole matrix."""

import numpy as np
import pytest

import srcgrad
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


@pytest.mark.parametrize("name", ["eigsh", "eigs"])
def test_values_alone(name):
    def call(data):
        options = {"v0": START, "return_eigenvectors": False}
        found = getattr(sparse.linalg, name)(symmetric(data), 2, **options)
        return np.sort(np.real(found))

    np.testing.assert_allclose(call(variable(DATA)).data, call(DATA))
    assert gradcheck(call, (DATA,))


def test_singular_values_with_some_vectors():
    for wanted in (False, "u", "vh"):

        def call(data, wanted=wanted):
            options = {"v0": START, "return_singular_vectors": wanted}
            return sparse.linalg.svds(matrix(data), 2, **options)

        found, expected = call(variable(DATA)), call(DATA)
        for ours, theirs in zip(found, expected, strict=True):
            assert (ours is None) == (theirs is None)
            if theirs is not None:
                np.testing.assert_allclose(ours.data, theirs, atol=1e-8)


def test_singular_values_without_names():
    given = 2, None, 0, "LM", START, None, False
    found = sparse.linalg.svds(matrix(variable(DATA)), *given)
    expected = sparse.linalg.svds(matrix(DATA), *given)
    np.testing.assert_allclose(found.data, expected, atol=1e-8)


def test_what_has_no_derivative():
    operator = sparse.linalg.LinearOperator((4, 4), matvec=np.negative)
    start = np.ones((4, 1))
    for call, message in (
        (lambda: sparse.linalg.eigsh(variable(np.eye(4)), 2, v0=START), "are equal"),
        (lambda: sparse.linalg.eigs(matrix(variable(DATA)), 1, PAIR), "of a pair"),
        (lambda: sparse.linalg.eigsh(operator, 1, variable(PAIR)), "give it the mat"),
        (
            lambda: sparse.linalg.lobpcg(symmetric(variable(DATA)), start, Y=start),
            "`Y`",
        ),
        (
            lambda: sparse.linalg.lobpcg(
                symmetric(variable(DATA)), start, retLambdaHistory=True
            ),
            "history",
        ),
    ):
        with pytest.raises(srcgrad.NoRuleError, match=message):
            call()
