"""Products, and what is solved for, in derivatives."""

from dataclasses import replace

import numpy as np
import pytest

from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.algebra.redundant_calls import simplify_redundant_calls
from tests.transforms.interpret import record, run, text

rng = np.random.default_rng(0)
A, B, b, c = (rng.normal(size=n) for n in ((3, 3), (3, 3), 3, 3))


def with_factor(A, function):
    return function(np.linalg.cholesky(A @ A.T + np.eye(3)))


PRODUCTS_LEFT = (
    lambda A, B, b, c: np.linalg.solve(A, A @ b),
    lambda A, B, b, c: with_factor(A, lambda L: np.linalg.solve(L, L + A)),
    lambda A, B, b, c: with_factor(A, lambda L: np.linalg.solve(L, (L @ b) @ A)),
    lambda A, B, b, c: np.diag(A @ B, 1),
)
CHANGED = {
    "solve": (
        lambda A, B, b, c: np.linalg.solve(A, b) + np.linalg.solve(A, c),
        ["add(z, u)", "solve(x, t)"],
    ),
    "solve, transposed": (
        lambda A, B, b, c: (
            np.linalg.solve(A.T, b) + np.linalg.solve(A.swapaxes(0, 1), c)
        ),
        ["transpose(x)", "add(z, u)", "solve(t, t_1)"],
    ),
    "solve, of a product": (
        lambda A, B, b, c: with_factor(A, lambda L: np.linalg.solve(L, -(L @ B) @ b)),
        ["negative(y)", "matmul(t, z)"],
    ),
    "diagonal of a product": (
        lambda A, B, b, c: np.diag(A @ B),
        ["transpose(y)", "multiply(x, t)", "sum(t_1, axis=-1)"],
    ),
    "product": (lambda A, B, b, c: A @ B + A @ A, ["add(y, x)", "matmul(x, t)"]),
    "rows": (lambda A, B, b, c: np.sum(A * b, axis=1), ["matmul(x, z)"]),
    "rows by a row": (
        lambda A, B, b, c: np.sum(b[None] * A, axis=-1),
        ["matmul(x, z)"],
    ),
    "columns": (lambda A, B, b, c: np.sum(A * b[:, None], axis=0), ["matmul(z, x)"]),
}
LEFT = (
    lambda A, B, b, c: np.linalg.solve(A, b) + np.linalg.solve(B, c),
    lambda A, B, b, c: A @ b + A @ B,
    lambda A, B, b, c: np.sum(A * b, axis=0),
    lambda A, B, b, c: np.sum(A * b[:, None], axis=1),
    lambda A, B, b, c: np.sum(b * 2.0, axis=0),
    lambda A, B, b, c: np.sum(b * c, axis=0),
    lambda A, B, b, c: np.sum(A * B, axis=1),
    lambda A, B, b, c: np.sum(b * c, axis=0, keepdims=True),
)


def recorded(function, in_backward):
    graph = record(lambda *args: [np.exp(function(*args))], [A, B, b, c])
    nodes = tuple(replace(node, in_backward=in_backward) for node in graph.nodes)
    return replace(graph, nodes=nodes)


@pytest.mark.parametrize("name", CHANGED)
def test_in_derivatives_they_are_as_one_writes_them(name):
    function, calls = CHANGED[name]
    graph = recorded(function, True)
    result = eliminate_dead_code(simplify_redundant_calls(graph))
    assert [line.partition(" = ")[2] for line in text(result)[:-2]] == calls
    inputs = [A, B, b, c]
    seen, expected = run(result, inputs)[0][0], run(graph, inputs)[0][0]
    np.testing.assert_allclose(seen, expected, rtol=1e-12)


@pytest.mark.parametrize("name", CHANGED)
def test_what_the_user_has_written_stays(name):
    graph = recorded(CHANGED[name][0], False)
    assert simplify_redundant_calls(graph) is graph


@pytest.mark.parametrize("function", LEFT)
def test_other_sums_stay(function):
    graph = recorded(function, True)
    lines = "\n".join(text(simplify_redundant_calls(graph)))
    assert ("solve" in lines) == (lines.count("solve") == 2)
    assert lines.count("matmul") in (0, 2)


@pytest.mark.parametrize("function", PRODUCTS_LEFT)
def test_other_products_stay(function):
    graph = recorded(function, True)
    assert text(simplify_redundant_calls(graph)) == text(graph)
