"""Calls that NumPy need not make."""

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.algebra.redundant_calls import simplify_redundant_calls
from srcgrad.updates import cast
from tests.transforms.interpret import record, run, text

F8 = np.dtype(float)
rng = np.random.default_rng(0)
x = rng.normal(size=(2, 3, 4))

CHANGED = {
    "mean": (lambda x: np.mean(x), ["sum(x)", "divide(t, 24)"]),
    "mean of an axis": (
        lambda x: np.mean(x, 1, keepdims=True),
        ["sum(x, 1, keepdims=True)", "divide(t, 3)"],
    ),
    "mean by name": (
        lambda x: np.mean(x, axis=(0, -1)),
        ["sum(x, axis=(0, -1))", "divide(t, 8)"],
    ),
    "sum of multiples": (
        lambda x: np.sum(x * 3.0, axis=0),
        ["sum(x, axis=0)", "multiply(t, 3.0)"],
    ),
    "transposes": (lambda x: np.transpose(np.transpose(x)), []),
    "swaps": (lambda x: np.swapaxes(np.swapaxes(x, 0, 2), -1, 0), []),
    "moves": (
        lambda x: np.moveaxis(np.moveaxis(x, 0, 2), 0, 1),
        ["transpose(x, (2, 1, 0))"],
    ),
    "moves of two": (
        lambda x: np.matrix_transpose(np.moveaxis(x, (0, 1), (2, 0))),
        ["transpose(x, (1, 0, 2))"],
    ),
    "some axes": (
        lambda x: np.transpose(np.transpose(x, (1, 2, 0)), (1, 2, 0)),
        ["transpose(x, (2, 0, 1))"],
    ),
    "no move": (lambda x: np.moveaxis(x, 1, 1), []),
    "one axis": (lambda x: np.transpose(np.ravel(x)), ["ravel(x)"]),
    "reversals": (lambda x: x[::-1][::-1], []),
    "one reversal": (
        lambda x: x[::-1][::-1][::-1],
        ["getitem(x, slice(None, None, -1))"],
    ),
    "reshapes": (lambda x: np.reshape(np.ravel(x), (4, 6)), ["reshape(x, (4, 6))"]),
    "back": (lambda x: np.squeeze(np.expand_dims(x, 1)), []),
    "to the same shape": (lambda x: np.reshape(x, (2, -1, 4)), []),
    "to the same dtype": (lambda x: cast(x, np.dtype(float)), []),
    "through a wider dtype": (
        lambda x: cast(cast(x, np.dtype(np.longdouble)), np.dtype(np.float32)),
        ["astype"],
    ),
    "sum with axes that go": (
        lambda x: np.reshape(np.sum(x, axis=(0, 2), keepdims=True), (3,)),
        ["sum(x, axis=(0, 2))"],
    ),
    "real part": (lambda x: np.real(x), []),
    "zeros": (lambda x: np.zeros_like(x), ["zeros((2, 3, 4))"]),
    "ones": (
        lambda x: np.ones_like(cast(x, np.dtype(np.float32))),
        ["ones((2, 3, 4), dtype('float32'))"],
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_calls(name):
    formula, calls = CHANGED[name]
    graph = record(lambda x: [np.exp(formula(x))], [x])
    result = simplify_redundant_calls(graph)
    lines = [line.partition(" = ")[2] for line in text(result)[:-2]]
    if calls == ["astype"]:
        (node,) = result.nodes[:-1]
        assert (node.function, node.args) == (cast, (graph.inputs[0], np.float32))
    else:
        assert lines == calls
    seen, expected = run(result, [x])[0][0], run(graph, [x])[0][0]
    np.testing.assert_allclose(seen, expected, rtol=1e-14, strict=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.mean(x, dtype=np.float32),
        lambda x: np.mean(x, where=np.array([True, False, True, True])),
        lambda x: np.mean(cast(x, np.dtype(np.float16))),
        lambda x: np.mean(cast(x, np.dtype(int))),
        lambda x: np.sum(x * 1e300),
        lambda x: np.sum(x * -3.0, axis=0),  # the sign of a zero
        lambda x: np.sum(-x, axis=0),
        lambda x: np.sum(x * np.exp(x)),
        lambda x: np.sum(x * 2.0, dtype=np.float32),
        lambda x: np.sum((x + 1j) * 2.0),
        lambda x: np.floor(np.sum(x * 2.0)),
        lambda x: np.reshape(np.ravel(x, order="F"), (4, 6)),
        lambda x: np.reshape(np.transpose(x), (6, 4)),
        lambda x: cast(cast(x, np.dtype(np.float16)), np.dtype(float)),
        lambda x: np.real(x + 1j),
        lambda x: np.zeros_like(x, dtype=np.float32),
        lambda x: np.transpose(a=x),
        lambda x: np.sum([x, x]),
    ],
)
def test_what_would_not_be_the_same_stays(function):
    graph = record(lambda x: [np.exp(function(x))], [x])
    assert simplify_redundant_calls(graph) is graph


m, stack = rng.normal(size=(3, 3)), rng.normal(size=(5, 3, 3))

# Products of a matrix x and a stack y, and how they are turned round.
TURNED = {
    "of a matrix": (
        lambda x, y: (x.T @ x).T,
        ["swapaxes(x, -1, -2)", "matmul(t, x)"],
    ),
    "of another one": (
        lambda x, y: (y[0] @ x.T).T,
        ["getitem(y, 0)", "swapaxes(t, -1, -2)", "matmul(x, t_1)"],
    ),
    "of both": (
        lambda x, y: (x.T @ y[0].T).T,
        ["getitem(y, 0)", "matmul(t, x)"],
    ),
    "of stacks": (
        lambda x, y: np.swapaxes(np.matrix_transpose(y) @ y, -1, -2),
        ["swapaxes(y, -1, -2)", "matmul(t, y)"],
    ),
    "of a matrix and a stack": (
        lambda x, y: np.moveaxis(x.T @ y, -1, -2),
        ["swapaxes(y, -1, -2)", "matmul(t, x)"],
    ),
}


@pytest.mark.parametrize("factor", [1.0, 2.0 - 1.0j])
@pytest.mark.parametrize("name", TURNED)
def test_transposes_of_products_are_turned_round(name, factor):
    formula, calls = TURNED[name]
    inputs = [m * factor, stack * factor]
    graph = record(lambda x, y: [np.exp(formula(x, y))], inputs)
    result = simplify_redundant_calls(graph)
    assert [line.partition(" = ")[2] for line in text(result)[:-2]] == calls
    seen, expected = run(result, inputs)[0][0], run(graph, inputs)[0][0]
    np.testing.assert_allclose(seen, expected, rtol=1e-12, strict=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x @ y[0]).T,  # one transpose would become two
        lambda x, y: (np.conjugate(x.T) @ y[0]).T,
        lambda x, y: np.transpose(np.matrix_transpose(y) @ x[0]),
        lambda x, y: np.transpose(np.matrix_transpose(y) @ x),
        lambda x, y: np.matmul(x.T, x, dtype=np.complex64).T,
        lambda x, y: np.sign((x.T @ x).T),
    ],
)
def test_other_products_stay(function):
    graph = record(lambda x, y: [np.exp(function(x, y))], [m, stack])
    assert simplify_redundant_calls(graph) is graph


def test_a_product_that_is_used_otherwise_stays():
    def function(x):
        product = x.T @ x
        return [np.exp(product.T) + product]

    graph = record(function, [m])
    assert simplify_redundant_calls(graph) is graph


def test_mean_is_the_same_to_the_bit():
    for dtype in (np.float32, np.float64):
        data = rng.normal(size=(37, 11)).astype(dtype)
        graph = record(lambda x: [np.mean(x), np.mean(x, axis=0)], [data])
        result = simplify_redundant_calls(graph)
        assert len(result.nodes) == 4
        pairs = zip(run(result, [data])[0], run(graph, [data])[0], strict=True)
        for seen, expected in pairs:
            np.testing.assert_array_equal(seen, expected, strict=True)


def test_a_complex_mean_that_decides_stays():
    graph = record(lambda x: [np.mean(x) == 1.0], [x + 1j])
    assert simplify_redundant_calls(graph) is graph


def test_mean_of_nothing_stays_and_warns():
    empty = np.ones((0, 2))
    with pytest.warns(RuntimeWarning):
        graph = record(lambda x: [np.mean(x)], [empty])
    assert simplify_redundant_calls(graph) is graph


def test_views_that_the_caller_sees_stay():
    def function(x):
        return [np.reshape(np.ravel(np.transpose(x)), x.shape), np.reshape(x, x.shape)]

    graph = record(function, [x])
    assert simplify_redundant_calls(graph) is graph


def test_kinds_stay():
    """``np.squeeze`` makes a 0-d array, which is no scalar."""
    graph = record(lambda x: [np.squeeze(np.ravel(x))[..., None]], [np.float64(2.0)])
    assert simplify_redundant_calls(graph) is graph


def test_the_derivative_of_an_outer_product_is_a_product():
    vector, matrix = Value((3,), F8, "v"), Value((3, 4), F8, "a")
    column, product = Value((3, 1), F8), Value((3, 4), F8)

    def graph(in_backward, out, *axes):
        nodes = (
            Node(np.expand_dims, (vector, 1), out=column, in_backward=in_backward),
            Node(np.multiply, (matrix, column), out=product, in_backward=in_backward),
            Node(np.sum, (product, *axes), out=out, in_backward=in_backward),
        )
        return Graph((vector, matrix), nodes, (out,))

    row = Value((4,), F8, "y")
    simplified = eliminate_dead_code(simplify_redundant_calls(graph(True, row, 0)))
    assert str(simplified) == "y = matmul(v, a)\nreturn y"
    for other in (
        graph(False, row, 0),
        graph(True, Value((3,), F8, "y"), 1),
        graph(True, Value((), F8, "y", "scalar")),
    ):
        assert "matmul" not in str(simplify_redundant_calls(other))


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
