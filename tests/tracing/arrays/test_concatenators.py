"""``np.r_`` and ``np.c_`` of what is followed: NumPy's values, and their gradients."""

import numpy as np
import pytest
from numpy import c_, r_

import srcgrad

X = np.array([1.0, 2.0, 3.0])

EXPRESSIONS = {
    "one": lambda x: np.r_[x],
    "numbers": lambda x: np.r_[x, 1.0, x * 2],
    "slices": lambda x: np.r_[0:3, x, 0:1:5j],
    "lists": lambda x: np.r_[[x[0], 2.0], x],
    "elements": lambda x: np.r_[x[0], x[1] * 2, float(x[2])],
    "columns": lambda x: np.c_[x, x * x, [1, 2, 3], 0:3],
    "matrices": lambda x: np.c_[np.outer(x, x), x],
    "rows": lambda x: np.r_[np.outer(x, x), x[None]],
    "axis": lambda x: np.r_["-1", x, x],
    "dimensions": lambda x: np.r_["0,2", x, x],
    "places": lambda x: np.r_["0,3,1", x, x * 2, 0:3],
    "last place": lambda x: np.r_["1,2,0", x, x],
    "weak": lambda x: np.r_[x.astype(np.float32), 1.5],
    "strong": lambda x: np.r_[x.astype(np.float32), np.float64(1.5)],
    "imported": lambda x: c_[r_[x, 4], r_[0:4]],
    "a line of values": lambda x: np.r_[x[0] : x[1] : 5j],
    "lines of values": lambda x: np.r_[x[0] : 3.3 : 0.5, x, 0 : x[2] : 4j],
    "steps that are values": lambda x: np.r_[0 : 4.5 : x[0]],
    "a column of values": lambda x: np.c_[x[0] : x[1] : 3j, x, 0:3],
    "dimensions of values": lambda x: np.r_["0,2", x[0] : x[1] : 3j, x],
    "places of values": lambda x: np.r_["1,2,0", x[0] : x[1] : 3j, x[1] : x[2] : 3j],
    "grid": lambda x: np.mgrid[x[0] : x[1] : 3j, 0:1:2j],
    "grid of one": lambda x: np.mgrid[x[0] : x[1] : 3j],
    "grid of one in a tuple": lambda x: np.mgrid[(slice(x[0], x[1], 3j),)],
    "grid of one by a step": lambda x: np.mgrid[x[0] : 3.3 : 0.5],
    "grid of steps": lambda x: np.mgrid[x[0] : 3.5, 0 : x[1] * 2.2 : 0.5],
    "grid of steps that are values": lambda x: np.mgrid[0:2, 0 : 3.5 : x[0]],
    "grid of three": lambda x: np.mgrid[: x[1] : 3j, -x[2] : x[2] : 2j, x[0] : 5 : 2j],
    "grid of one element": lambda x: np.mgrid[x[0] : x[1] : 1j, 0 : x[1] : 2j],
    "grid of computed counts": lambda x: np.mgrid[x[0] : x[1] : len(x) * 1j, 0:2],
    "grid of integers": lambda x: np.sum(x) * np.mgrid[0:2, 0:3],
    "open grid": lambda x: np.hypot(*np.ogrid[x[0] : x[1] : 3j, 0 : x[2] : 4j]),
    "open grid of steps": lambda x: np.add(*np.ogrid[x[0] : 3.3 : 0.5, 0:2]),
    "open grid of one": lambda x: np.ogrid[x[0] : x[1] : 3j],
    "plain": lambda x: np.sum(x) * np.r_[1, 2, 0:3],
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_values_and_gradients(name):
    function = EXPRESSIONS[name]
    plain, traced = function(X), srcgrad.trace(function)
    weights = np.random.default_rng(0).normal(size=plain.shape)
    jacobian = srcgrad.jacobian(function)
    gradient = srcgrad.grad(lambda x: np.sum(function(x) * weights))
    for _ in range(3):
        result = traced(X)
        assert result.dtype == plain.dtype
        np.testing.assert_array_equal(result, plain)
        expected = np.tensordot(weights, jacobian(X), weights.ndim)
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-5)
    assert traced.stats.compiled == 2
    step = 1e-3 if plain.dtype == np.float32 or name == "strong" else 1e-6
    numeric = [
        np.sum((function(X + step * e) - function(X - step * e)) * weights) / step / 2
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(gradient(X), numeric, rtol=2e-3)


def test_a_matrix_holds_no_variables():
    with pytest.raises(TypeError, match=r"a matrix, np.r_\['r', ...\]"):
        srcgrad.grad(lambda x: np.sum(np.r_["r", x]))(X)


def test_a_grid_of_variables_of_the_users_is_an_error_that_says_what_to_write():
    x = srcgrad.Variable(X, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=r"decorate the function with srcgrad\.trace"
    ):
        np.mgrid[x[0] : x[1] : 3j, 0:1:2j]
