"""Guards that stand for an `if` become branches, if nothing speaks against it."""

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.branches.branching import Speculation, branched, settled

F8 = np.dtype(float)


def number(name=None):
    return Value((), F8, name, "scalar")


def recorded(*more, taken=True):
    x, y, z, w = (number(name) for name in "xyzw")
    t = Value((), np.dtype(bool), "t", "scalar")
    steps = (
        Node(np.less, (x, 0.0), out=t),
        Guard(t, bool, taken),
        Node(np.multiply, (x, 2.0), out=y),
        Node(np.add, (y, 1.0), out=w),
    )
    speculation = Speculation(
        1, 3, taken, (*more, Node(np.sqrt, (x,), out=z)), (), ((y, y, z),)
    )
    return Graph((x,), steps, (w,)), speculation


def test_the_arm_of_true_comes_first():
    for taken in (True, False):
        graph, speculation = recorded(taken=taken)
        found, to = branched(graph, [speculation], {})
        assert [to(place) for place in range(5)] == [0, 1, 2, 2, 3]
        branch = settled(found).nodes[1].function
        functions = [arm.nodes[0].function for arm in branch.bodies]
        expected = [np.multiply, np.sqrt]
        assert functions == (expected if taken else expected[::-1])


def test_an_arm_that_does_more_stays_as_it_was_recorded():
    s = number("s")
    more = Node(np.random.default_rng(0).normal, (), out=s)
    graph, speculation = recorded(more)
    found, to = branched(graph, [speculation], {})
    assert [*found.nodes] == [*graph.nodes]
    assert to(4) == 4


def test_what_is_read_elsewhere_is_no_arms():
    graph, speculation = recorded()
    y = graph.nodes[2].out
    other = number("other")
    speculation = Speculation(
        1, 3, True, speculation.other, (), ((other, y, speculation.results[0][2]),)
    )
    found, _ = branched(graph, [speculation], {})
    assert not any(isinstance(getattr(s, "function", 0), Branch) for s in found.nodes)
