import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.transforms.batching.owning import own_outputs


def array(*shape):
    return Value(shape, np.dtype(float))


def results_of(nodes, x, *outputs):
    raw = np.arange(6.0).reshape(3, 2)
    graph = own_outputs(Graph((x,), nodes, outputs))
    graph.lint()
    return raw, evaluate(graph, (raw,))


def test_what_is_computed_is_not_copied():
    x, y = array(3, 2), array(3, 2)
    graph = Graph((x,), (Node(np.exp, (x,), out=y),), (y,))
    assert own_outputs(graph).nodes == graph.nodes


@pytest.mark.parametrize(
    "node",
    [
        lambda x: Node(np.transpose, (x,), out=array(2, 3)),
        lambda x: Node(np.reshape, (x, (6,)), out=array(6)),
        lambda x: Node(np.broadcast_to, (x, (4, 3, 2)), out=array(4, 3, 2)),
    ],
)
def test_views_are_copied(node):
    x = array(3, 2)
    view = node(x)
    raw, (found, same) = results_of((view,), x, view.out, x)
    assert not np.shares_memory(found, raw)
    assert not np.shares_memory(same, raw)
    assert found.flags.writeable


def test_of_two_in_one_memory_one_is_copied():
    x, y, z = array(3, 2), array(3, 2), array(2, 3)
    nodes = (Node(np.exp, (x,), out=y), Node(np.transpose, (y,), out=z))
    _, (first, second, third) = results_of(nodes, x, y, z, y)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, third)


def test_what_cannot_be_written_to_is_copied():
    x, y, z = array(3, 2), array(3, 2), array(4, 3, 2)
    nodes = (Node(np.exp, (x,), out=y), Node(np.broadcast_to, (y, (4, 3, 2)), out=z))
    _, (found,) = results_of(nodes, x, z)
    found[0] = 1.0
    assert not np.any(found[1] == 1.0, where=np.arange(6).reshape(3, 2) > 0)
