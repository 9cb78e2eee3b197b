"""The pass itself: what is batched, what is refused, and what it gives."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Guard, Location, Node, Value
from srcgrad.transforms.batching import BATCH_RULES, RULE_FAMILIES, BatchingError, vmap


def array(*shape, name=None):
    return Value(shape, np.dtype(float), name)


def test_what_all_elements_share_is_computed_once():
    x, w, h, y = array(3, name="x"), array(3, name="w"), array(3), array(3, name="y")
    nodes = (Node(np.exp, (w,), out=h), Node(np.multiply, (x, h), out=y))
    batch = vmap(Graph((x, w), nodes, (y,)), [x], 4)
    assert [value.shape for value in batch.inputs] == [(4, 3), (3,)]
    assert batch.nodes[0].out is h
    assert str(batch) == "t = exp(w)\ny = multiply(x, t)\nreturn y"


def test_an_output_that_all_share_is_there_for_each():
    x, w, h = array(3), array(2), array(2)
    graph = Graph((x, w), (Node(np.exp, (w,), out=h),), (h, w, x))
    raw = np.arange(2.0)
    found = evaluate(vmap(graph, [x], 4), (np.zeros((4, 3)), raw))
    assert [out.shape for out in found] == [(4, 2), (4, 2), (4, 3)]
    assert not np.shares_memory(found[1], raw)


def test_looking_at_the_values_of_a_batch_is_refused():
    where = Location("f.py", 7)
    x, w = array(), array()
    graph = Graph((x, w), (Guard(x, bool, True, where),), (w,))
    with pytest.raises(BatchingError, match="looks at values") as caught:
        vmap(graph, [x], 4)
    assert caught.value.where is where
    assert vmap(graph, [w], 4).nodes == graph.nodes


def test_random_numbers_are_refused():
    x, y = array(3), array(3)
    node = Node(np.random.normal, (x,), out=y)
    with pytest.raises(BatchingError, match="normal"):
        vmap(Graph((x,), (node,), (y,)), [x], 4)


def test_a_long_loop_is_refused():
    x, y = array(3), array()
    graph = Graph((x,), (Node(np.ptp, (x,), out=y),), (y,))
    with pytest.raises(BatchingError, match="ptp, which has no batching rule"):
        vmap(graph, [x], 1000)


def test_what_runs_in_a_loop_is_told():
    x, y = array(3), array()
    where = Location("f.py", 7)
    graph = Graph((x,), (Node(np.ptp, (x,), out=y, where=where),), (y,))
    told = []
    vmap(graph, [x], 3, told.append)
    assert told == [("ptp", where)]


def test_every_family_has_rules():
    modules = {rule.__module__ for rule in BATCH_RULES.values()}
    assert modules == {family.__name__ for family in RULE_FAMILIES}


def test_the_shape_that_all_elements_have_is_guarded():
    x, mask, y = array(3), Value((3,), np.dtype(bool)), array(2)
    nodes = (Node(operator.getitem, (x, mask), out=y), Guard(y, np.shape, (2,)))
    graph = Graph((x, mask), nodes, (y,))
    *_, guard = vmap(graph, [x], 4).nodes
    assert (guard.convert, guard.observed) == (np.shape, (4, 2))
    with pytest.raises(BatchingError, match="looks at values"):
        vmap(graph, [mask], 4)


def test_an_input_that_is_given_back_keeps_its_name():
    x, y = array(3, name="x"), array(3, name="y")
    graph = Graph((x,), (Node(np.atleast_1d, (x,), out=y),), (y,))
    batch = vmap(graph, [x], 4)
    batch.lint()
    assert batch.outputs == batch.inputs
