"""Branches on one test become one where what lies between can wait."""

import numpy as np
import pytest

from srcgrad.branches import Branch
from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.transforms.branches.merging import merge_branches

F8 = np.dtype(float)


def scalar(name):
    return Value((), F8, name, "scalar")


def either(test, x, out):
    """``x * x`` or ``-x``."""
    a, b, c, d = map(scalar, "abcd")
    then = Graph((a,), (Node(np.multiply, (a, a), out=b),), (b,))
    orelse = Graph((c,), (Node(np.negative, (c,), out=d),), (d,))
    return Node(Branch(then, orelse), (test, x), out=(out,))


@pytest.mark.parametrize("reads_first", [False, True])
def test_what_does_not_read_the_first_comes_before(reads_first):
    t, x, y, z, u, v = Value((), np.dtype(bool), "t", "scalar"), *map(scalar, "xyzuv")
    between = Node(np.exp, (y if reads_first else x,), out=u)
    last = either(t, x if reads_first else u, z)
    end = Node(np.add, (u, z), out=v)
    graph = Graph((t, x), (either(t, x, y), between, last, end), (y, v))
    merged = merge_branches(graph)
    merged.lint()
    assert len(merged.nodes) == 3
    for test in (True, False):
        args = np.bool_(test), np.float64(0.7)
        assert evaluate(merged, args) == evaluate(graph, args)


def test_a_branch_that_reads_another_one_stays():
    t, x, y, z = Value((), np.dtype(bool), "t", "scalar"), *map(scalar, "xyz")
    graph = Graph((t, x), (either(t, x, y), either(t, y, z)), (z,))
    assert merge_branches(graph) is graph
