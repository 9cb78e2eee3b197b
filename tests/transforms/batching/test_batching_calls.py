"""Calls on a batch against calls on each element, by the table in ``calls.txt``."""

import ast
import itertools
import operator  # noqa: F401 -- the table names it
from pathlib import Path

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value, map_values, values_in
from srcgrad.transforms.batching import vmap

SIZE = 3
TABLE = Path(__file__).with_name("calls.txt").read_text(encoding="utf-8")
LINES = [line for line in TABLE.splitlines() if "(" in line and "`" not in line]


def spread_of(x, y):
    return np.max(x) - np.min(y)


def both(x, y):
    return x + 1.0, np.outer(x, y)


def total(x, initial):
    return np.sum(x, initial=initial)


def look_up(v):
    return np.searchsorted(np.array([-0.5, 0.0, 0.3, 1.0]), v)


def alternatives(tree):
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitOr):
        return [*alternatives(tree.left), *alternatives(tree.right)]
    return [eval(ast.unparse(tree))]


def calls(line):
    """The functions and options of a line: each function with each first option."""
    tree = ast.parse(line, mode="eval").body
    args = [each for (each,) in map(alternatives, tree.args)]
    names = [keyword.arg for keyword in tree.keywords]
    choices = [alternatives(keyword.value) for keyword in tree.keywords]
    turns = [itertools.cycle(items) for items in choices[1:]]
    for function in alternatives(tree.func):
        for first in choices[0] if choices else [None]:
            items = [first, *map(next, turns)]
            yield function, args, dict(zip(names, items, strict=False))


def draw(rng, shape, dtype):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 2, shape)
    return np.asarray(rng.normal(size=shape), dtype)[()]


def value_of(raw):
    return Value(
        np.shape(raw), np.result_type(raw), kind=("scalar", "array")[np.ndim(raw) > 0]
    )


def graph_of(function, args, options, dtype):
    """One call as a graph, of an input for each shape."""
    rng = np.random.default_rng(0)
    shaped = [
        map_shapes(lambda shape: value_of(draw(rng, shape, dtype)), a) for a in args
    ]
    inputs = tuple(values_in(shaped))
    known = {value: draw(rng, value.shape, dtype) for value in inputs}
    raw = function(*(map_values(known.__getitem__, each) for each in shaped), **options)
    several = isinstance(raw, (tuple, list))
    outs = tuple(
        Value(np.shape(r), np.result_type(r)) for r in (raw if several else [raw])
    )
    node = Node(function, tuple(shaped), options, outs if several else outs[0])
    return Graph(inputs, (node,), outs)


def map_shapes(function, item):
    if isinstance(item, list):
        return [function(each) for each in item]
    return function(item) if isinstance(item, tuple) else item


def check(graph, batched, draws):
    """Compare a batch with its elements; what has run in a loop."""
    looped = []
    batch = vmap(graph, batched, SIZE, looped.append)
    batch.lint()
    given = [
        np.stack([draws(value) for _ in range(SIZE)])
        if value in batched
        else draws(value)
        for value in graph.inputs
    ]
    found = evaluate(batch, tuple(given))
    for i in range(SIZE):
        pairs = zip(graph.inputs, given, strict=True)
        element = (raw[i] if value in batched else raw for value, raw in pairs)
        for ours, theirs in zip(found, evaluate(graph, tuple(element)), strict=True):
            assert ours.dtype == np.result_type(theirs)
            assert ours[i].shape == np.shape(theirs)
            np.testing.assert_allclose(ours[i], theirs, rtol=1e-12, atol=1e-12)
    return [each.name for each in looped]


@pytest.mark.parametrize("line", LINES)
def test_a_call_on_a_batch_is_one_on_each_element(line):
    call, _, how = line.partition(" -> ")
    call, _, dtype = call.partition(" : ")
    rng = np.random.default_rng(0)
    for function, args, options in calls(call):
        graph = graph_of(function, args, options, dtype or "float")
        looped = []
        for count in range(1, len(graph.inputs) + 1):
            for batched in itertools.combinations(graph.inputs, count):
                looped += check(
                    graph, batched, lambda v: draw(rng, v.shape, dtype or "float")
                )
        assert set(looped) <= ({function.__name__} if how else set())
        assert looped or how != "loop"
