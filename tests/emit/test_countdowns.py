"""Which loops count down, and are written as they were meant."""

import numpy as np
import pytest

from srcgrad.emit.countdowns import counted
from srcgrad.graph import Graph
from srcgrad.loops import ExitCondition, Loop
from srcgrad.steps import Guard, Node, Value

F8 = np.dtype(float)
H, N, X, MORE, LEFT, NEW = (Value((), F8, name) for name in "hnxmlt")
OUT = Value((), F8, "h"), Value((), F8, "n")


def loop(down=1.0, end=0.0, read=X, exit_condition=None, observed=True):
    """``while n > 0.0: h = h * x; n = n - 1.0``."""
    nodes = (
        Node(np.greater, (N, end), out=MORE),
        Guard(MORE, bool, observed, ends=True),
        Node(np.multiply, (H, read), out=NEW),
        Node(np.subtract, (N, down), out=LEFT),
    )
    body = Graph((H, N, X), nodes, (NEW, LEFT))
    exit_condition = (
        ExitCondition(counts=True) if exit_condition is None else exit_condition
    )
    return Node(
        Loop(body, 3, carried=2, exit_condition=exit_condition),
        (1.0, 5.0, 2.0),
        out=OUT,
    )


def test_it_counts():
    node, times = counted(loop(), ())
    assert times == 5.0
    assert node.args == (1.0, 2.0)
    assert node.function(*node.args) == (2.0**3,)


@pytest.mark.parametrize(
    "others",
    [
        {"down": 2.0},
        {"end": 1.0},
        {"read": N},
        {"read": MORE},
        {"exit_condition": ExitCondition(is_last=True, counts=True)},
        {"exit_condition": ExitCondition()},
        {"observed": False},
    ],
)
def test_others_do_not(others):
    node = loop(**others)
    assert counted(node, ()) == (node, None)


def test_a_test_that_comes_last_counts_too():
    nodes = (
        Node(np.multiply, (H, X), out=NEW),
        Node(np.subtract, (N, 1.0), out=LEFT),
        Node(np.greater, (LEFT, 0.0), out=MORE),
        Guard(MORE, bool, True, ends=True),
    )
    exit_condition = ExitCondition(is_last=True, counts=True)
    body = Graph((H, N, X), nodes, (NEW, LEFT))
    first = Node(
        Loop(body, 3, carried=2, exit_condition=exit_condition),
        (1.0, 5.0, 2.0),
        out=OUT,
    )
    node, times = counted(first, ())
    assert times == 5.0
    assert first.function(*first.args)[0] == node.function(1.0, 2.0)[0] * 2.0**2


def test_what_is_left_may_be_wanted():
    node = loop()
    assert counted(node, {OUT[1]}) == (node, None)
