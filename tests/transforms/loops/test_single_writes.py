"""What a loop adds to zeros it puts there, if each place has its turn."""

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.transforms.loops.single_writes import put_once
from srcgrad.updates import add_at, assign

F8 = np.dtype(float)


def written(start, pace, place=lambda i: i, reads=False, first=np.zeros):
    """How a loop of three iterations writes."""
    given, made, dx, state, out = (Value((3,), F8) for _ in range(5))
    i, g = Value((), np.dtype(int), "i", "float"), Value((), F8, "g", "scalar")
    steps = [Node(add_at, (state, place(i), g), out=out)]
    if reads:
        steps.append(Node(np.exp, (state,), out=Value((3,), F8)))
    body = Graph((i, g, state), tuple(steps), (out,))
    loop = Loop(body, 3, indices=((start, pace),), xs=1, carried=1)
    nodes = Node(first, ((3,), F8), out=made), Node(loop, (given, made), out=(dx,))
    found = put_once(Graph((given,), nodes, (dx,)))
    return found.nodes[1].function.body.nodes[0].function


@pytest.mark.parametrize(("start", "pace"), [(0, 1), (2, -1), (1, 2)])
def test_places_that_have_their_turn(start, pace):
    assert written(start, pace) is assign


@pytest.mark.parametrize(
    "other",
    [
        {"start": 0, "pace": 0},
        {"start": -1, "pace": 1},  # the last place comes again
        {"start": 0, "pace": 1, "place": lambda i: 1},
        {"start": 0, "pace": 1, "reads": True},
        {"start": 0, "pace": 1, "first": np.ones},
    ],
)
def test_places_that_may_come_again_are_added_to(other):
    assert written(**other) is add_at
