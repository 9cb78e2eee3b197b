"""Rules for factorisations: every sample, equal values."""

import numpy as np
import pytest

from tests.rules.gradients import backward, gradient

# ----- Equal values -----


def itself(x):
    """A symmetric matrix, made of its eigenvectors."""
    values, vectors = np.linalg.eigh(x)
    return (vectors * values) @ vectors.T


def remade(x):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return (u * s) @ vh


G = [[1.0, 2.0], [4.0, 3.0]]


def test_vectors_of_equal_values_have_no_derivative():
    assert np.all(np.isnan(gradient(itself, 2.0 * np.eye(2), G)))
    assert np.all(np.isnan(gradient(remade, 2.0 * np.eye(2), G)))


@pytest.mark.parametrize("function", [np.linalg.eigh, np.linalg.eig, np.linalg.svd])
def test_sums_of_equal_values_have_one(function):
    number = 1 if function is np.linalg.svd else 0
    found = gradient(lambda x: np.sum(np.real(function(x)[number])), 2.0 * np.eye(2))
    np.testing.assert_allclose(found, np.eye(2), atol=1e-15)


def test_a_vector_of_its_own_beside_vectors_of_equal_values():
    def largest(x):
        return np.linalg.eigh(x).eigenvectors[:, 2] ** 2

    x = np.diag([1.0, 1.0, 3.0]) + 0.5
    found = np.array(gradient(largest, x, [1.0, 2.0, 5.0]))
    step = np.array([[0.2, 0.5, -1.0], [0.5, 0.3, 0.4], [-1.0, 0.4, 0.7]])
    up, down = (largest(x + h * step) for h in (1e-6, -1e-6))
    slope = (up - down) @ [1.0, 2.0, 5.0] / 2e-6
    assert np.sum(found * step) == pytest.approx(slope, rel=1e-6)


def test_one_singular_value_that_is_zero():
    np.testing.assert_allclose(gradient(remade, [[1.0, 1.0], [1.0, 1.0]], G), G)


def test_the_singular_values_of_a_zero_matrix():
    found = gradient(lambda x: np.sum(np.linalg.svd(x)[1]), [[0.0, 0.0]] * 2)
    assert np.all(np.isfinite(found))


@pytest.mark.parametrize("values", [np.linalg.eigvals, lambda x: np.linalg.eig(x)[0]])
def test_a_multiple_eigenvalue_without_vectors_of_its_own(values):
    matrix = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    turn, _ = np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2 + np.eye(3))
    matrix = turn @ matrix @ turn.T
    order = np.argsort(values(matrix).real)
    weights = np.zeros(3)
    weights[order[:2]] = 1.0
    assert np.all(np.isnan(gradient(lambda x: np.real(values(x)), matrix, weights)))
    weights = 1.0 - weights
    found = gradient(lambda x: np.real(values(x)), matrix, weights)
    np.testing.assert_allclose(found, np.outer(turn[:, 2], turn[:, 2]), atol=1e-7)


def test_vectors_beside_a_multiple_eigenvalue():
    matrix = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 3.0]])
    g = np.zeros((3, 3))
    g[:, 2] = 1.0
    found = gradient(lambda x: np.linalg.eig(x).eigenvectors, matrix, g)
    assert np.all(np.isnan(found))


@pytest.mark.parametrize("function", [np.linalg.eig, np.linalg.eigvals])
@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 2, 2)])
def test_eigenvalues_of_nothing(function, shape):
    backward(function, np.zeros(shape))


# ----- What LAPACK chooses as it likes -----

ANY = np.random.default_rng(0).normal(size=(4, 2, 2)) @ [1.0, 1j]
CHOICES = [
    (lambda x: np.real(np.linalg.svd(x, full_matrices=False)[0]), ANY),
    (lambda x: np.linalg.svd(x)[0], np.real(ANY)),
    (lambda x: np.linalg.svd(x)[2], np.real(ANY.T)),
]


@pytest.mark.parametrize(("function", "value"), CHOICES)
def test_what_depends_on_a_choice_has_no_derivative(function, value):
    g = np.random.default_rng(1).normal(size=function(value).shape)
    assert np.all(np.isnan(gradient(function, value, g)))


def test_large_matrices_have_their_eigenvalues_in_another_order():
    x = np.random.default_rng(0).normal(size=(150, 150))
    values = np.linalg.eigvals(x)
    assert not np.array_equal(values, np.linalg.eig(x).eigenvalues)

    def one(x):
        return np.real(np.linalg.eigvals(x)[7])

    step = np.random.default_rng(1).normal(size=x.shape)
    slope = (one(x + 1e-6 * step) - one(x - 1e-6 * step)) / 2e-6
    assert np.sum(gradient(one, x) * step) == pytest.approx(slope, rel=1e-6)
