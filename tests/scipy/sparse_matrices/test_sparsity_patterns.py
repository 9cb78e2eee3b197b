"""Parts and products of sparse matrices whose elements are Variables."""

import numpy as np
import pytest
import scipy.sparse

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck

# Two elements at (0, 1), none in the last column; not in order.
ROWS, COLUMNS = np.array([2, 0, 1, 0, 2, 0]), np.array([1, 1, 0, 0, 0, 1])
VALUES = np.array([4.0, 2.0, -3.0, 1.0, 5.0, 0.5])
MASK = np.array([True, False, True])
FREE = np.array([2, 0])


def matrix(values):
    return scipy.sparse.csc_array((values, (ROWS, COLUMNS)), shape=(3, 4))


@pytest.mark.parametrize(
    "part",
    [
        lambda K: K[FREE][:, FREE],
        lambda K: K[MASK][:, 1:],
        lambda K: K[np.ix_(FREE, [1, 1])],
        lambda K: K[1:, :1],
        lambda K: K[::-1, [0]],
        lambda K: K[[0]].T,
        lambda K: K.T[1:][:, MASK],
        lambda K: K @ K[[0, 1, 1]].T,
        lambda K: K.T @ scipy.sparse.eye_array(3) @ K,
    ],
)
@pytest.mark.parametrize("second", [False, True])
def test_parts_and_products_are_scipys(part, second):
    @srcgrad.trace
    def function(values):
        return part(matrix(values)).toarray()

    for values in (VALUES, VALUES**2):
        found = function(srcgrad.Variable(values, requires_grad=True))
        np.testing.assert_allclose(found.data, part(matrix(values)).toarray())
    assert (gradgradcheck if second else gradcheck)(function, (VALUES,))


def test_an_element_of_a_matrix_is_a_number():
    def function(values):
        K = matrix(values)
        return K[0, 1] ** 2 + K[-1, 0] + K[0, 3]

    np.testing.assert_allclose(srcgrad.grad(function)(VALUES), [0, 5, 0, 0, 1, 5])


@pytest.mark.parametrize("key", [0, (slice(None), 1), ([0, 1], [1, 0])])
def test_a_part_of_one_dimension_is_refused(key):
    with pytest.raises(srcgrad.NoRuleError, match=r"write `K\[\[i\]\]`"):
        srcgrad.grad(lambda values: matrix(values)[key].sum())(VALUES)


def test_finite_elements_are_solved_where_nothing_is_fixed():
    """As it is written: assembled element by element, the free rows and columns."""

    def compliance(conductivity):
        rows, columns, values, n = [], [], [], len(conductivity) + 1
        for e in range(n - 1):
            element = conductivity[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
            for a in range(2):
                for b in range(2):
                    rows.append(e + a)
                    columns.append(e + b)
                    values.append(element[a, b])
        K = scipy.sparse.coo_matrix((values, (rows, columns)), shape=(n, n)).tocsr()
        free = np.arange(1, n)
        u = scipy.sparse.linalg.spsolve(K[free][:, free], np.ones(n - 1))
        return np.sum(u**2)

    x, step = np.array([0.5, 1.0, 2.0]), 1e-6 * np.eye(3)
    slopes = [(compliance(x + e) - compliance(x - e)) / 2e-6 for e in step]
    gradient = srcgrad.grad(compliance)
    for _ in range(3):
        np.testing.assert_allclose(gradient(x), slopes, rtol=1e-6)
