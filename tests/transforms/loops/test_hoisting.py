"""What a loop would compute anew in each iteration is computed before it."""

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.transforms.loops.hoisting import hoisted

pytestmark = pytest.mark.usefixtures("short_loops_too")


@pytest.mark.parametrize(
    ("operation", "moves"),
    [(np.negative, True), (np.log, False), (np.linalg.inv, False)],
)
def test_what_may_raise_or_signal_stays_where_it_is(operation, moves):
    a, b, h, t, u, out = (Value((2, 2), np.dtype(float)) for _ in range(6))
    nodes = Node(operation, (a,), out=t), Node(np.add, (h, t), out=u)
    loop = Loop(Graph((h, a), nodes, (u,)), 9, carried=1)
    graph = hoisted(Graph((b,), (Node(loop, (b, b), out=(out,)),), (out,)), {})
    assert len(graph.nodes) == 1 + moves
