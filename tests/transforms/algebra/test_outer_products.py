"""Outer products in derivatives."""

from dataclasses import replace

import numpy as np
import pytest

from srcgrad.transforms.algebra.algebra import simplify_algebra
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.algebra.redundant_calls import simplify_redundant_calls
from tests.transforms.interpret import record, run, text

rng = np.random.default_rng(0)
U, X, Y = (rng.normal(size=3) for _ in range(3))

COLUMN = "getitem(x, (slice(None, None, None), None))"
CHANGED = {
    "diagonal": (
        lambda u, x, y: np.diagonal(u[:, None] * x),
        ["multiply(x, y)"],
    ),
    "less the diagonal": (
        lambda u, x, y: np.diagonal(-u[:, None] * x),
        ["multiply(x, y)", "negative(t)"],
    ),
    "sum": (
        lambda u, x, y: (c := u[:, None]) * x + c * y,
        [COLUMN, "add(y, z)", "multiply(t, t_1)"],
    ),
    "difference": (
        lambda u, x, y: (c := u[:, None]) * x + -c * y,
        [COLUMN, "subtract(y, z)", "multiply(t, t_1)"],
    ),
    "the other way round": (
        lambda u, x, y: x * (c := u[:, None]) - -(c * y),
        [COLUMN, "add(y, z)", "multiply(t, t_1)"],
    ),
}
LEFT = (
    lambda u, x, y: np.diagonal(u[:, None] * x, 1),
    lambda u, x, y: np.diagonal(u[:, None] * x[:2]),
    lambda u, x, y: np.diagonal(x + u[:, None]),
    lambda u, x, y: u[:, None] * x + y[:, None] * x,
    lambda u, x, y: (p := u[:, None] * x) + u[:, None] * p,
)


def recorded(function, in_backward):
    graph = record(lambda *args: [np.exp(function(*args))], [U, X, Y])
    nodes = tuple(replace(node, in_backward=in_backward) for node in graph.nodes)
    return replace(graph, nodes=nodes)


def simplified(graph):
    return eliminate_dead_code(simplify_algebra(simplify_redundant_calls(graph)))


@pytest.mark.parametrize("name", CHANGED)
def test_in_derivatives_they_are_as_one_writes_them(name):
    function, calls = CHANGED[name]
    graph = recorded(function, True)
    result = simplified(graph)
    assert [line.partition(" = ")[2] for line in text(result)[:-2]] == calls
    seen, expected = (run(each, [U, X, Y])[0][0] for each in (result, graph))
    np.testing.assert_allclose(seen, expected, rtol=1e-12)


@pytest.mark.parametrize("name", CHANGED)
def test_what_the_user_has_written_stays(name):
    graph = recorded(CHANGED[name][0], False)
    functions = [node.function for node in graph.nodes]
    kept = [node.function for node in simplified(graph).nodes]
    assert functions.count(np.multiply) == kept.count(np.multiply)


@pytest.mark.parametrize("function", LEFT)
def test_others_stay(function):
    graph = recorded(function, True)
    assert simplify_algebra(simplify_redundant_calls(graph)) is graph
