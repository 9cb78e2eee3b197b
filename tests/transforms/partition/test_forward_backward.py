"""The split into forward and backward, and what is saved."""

from dataclasses import replace

import numpy as np

from srcgrad.steps import Node
from srcgrad.transforms.partition.forward_backward import split
from tests.transforms.interpret import record

x, w, g = np.arange(6.0).reshape(2, 3), np.ones((3, 2)), np.ones((2, 2))


def test_no_gradients_no_backward():
    for given in (record(lambda x: [x * 2.0], [x]), record(nothing, [x], [x])):
        partition = split(given)
        assert partition.backward is None
        assert partition.saved == ()
        assert partition.gradients == partition.cotangents == ()


def nothing(x, g):
    return [x * 2.0], [None]


def test_views_are_made_in_the_line_that_uses_them():
    graph = record(lambda x, g: ([np.transpose(x) * 2.0], [np.exp(g)]), [x], [x])
    view, _, exp = graph.nodes
    place = object()
    use = Node(np.matmul, (graph.cotangents[0], view.out), {}, exp.out, place)
    graph = replace(graph, nodes=(*graph.nodes[:2], use))
    assert [node.where for node in split(graph).backward.nodes] == [place, place]
