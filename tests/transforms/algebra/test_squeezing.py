"""Axes of length one that are dropped in the end."""

import numpy as np
import pytest

from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.algebra.redundant_calls import simplify_redundant_calls
from tests.transforms.interpret import record, run, text

rng = np.random.default_rng(0)
x, s, row = rng.normal(size=(2, 3)), rng.normal(size=2), rng.normal(size=(1, 3))

SQUEEZED = {
    "a quotient": lambda x, s, row: np.reshape(
        np.sum(x, axis=1, keepdims=True) / s[:, None], (2,)
    ),
    "a choice": lambda x, s, row: np.squeeze(
        np.where(s[:, None] > 0, np.max(x, axis=1, keepdims=True), 2.0)
    ),
    "a number": lambda x, s, row: np.reshape(
        np.exp(np.sum(x, axis=None, keepdims=True)) * s[0], ()
    ),
    "several uses": lambda x, s, row: np.ravel(
        (lambda c: np.where(c == 0, 1.0, -c))(np.expand_dims(s, 1))
    ),
}
LEFT = {
    "other axes": lambda x, s, row: np.reshape(x, (3, 2)),
    "used with them": lambda x, s, row: (
        lambda total: np.ravel(total) + np.sum(total * s[:, None])
    )(np.exp(np.sum(x, axis=1, keepdims=True))),
    "made with them": lambda x, s, row: np.reshape(np.exp(row), (3,)),
    "turned round": lambda x, s, row: np.reshape(np.exp(s[::-1, None]), (2,)),
    "by columns": lambda x, s, row: np.ravel(
        np.sum(x, axis=1, keepdims=True) * 2.0, order="F"
    ),
}


def recorded(function):
    return record(lambda *args: [np.exp(function(*args))], [x, s, row])


@pytest.mark.parametrize("name", SQUEEZED)
def test_they_are_not_made(name):
    graph = recorded(SQUEEZED[name])
    result = eliminate_dead_code(simplify_redundant_calls(graph))
    lines = "\n".join(text(result))
    assert not any(word in lines for word in ("keepdims", "reshape", "(y, (", "expand"))
    seen, expected = run(result, [x, s, row])[0][0], run(graph, [x, s, row])[0][0]
    np.testing.assert_allclose(seen, expected, rtol=1e-14)


@pytest.mark.parametrize("name", LEFT)
def test_they_stay_where_that_is_no_less_work(name):
    graph = recorded(LEFT[name])
    assert simplify_redundant_calls(graph) is graph


def test_an_array_that_the_caller_gets_stays_one():
    graph = record(lambda x: [np.reshape(np.sum(x, keepdims=True), ())], [x])
    assert simplify_redundant_calls(graph) is graph
