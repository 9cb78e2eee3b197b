"""Constant folding."""

import numpy as np

from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.folding import fold_constants


def test_a_number_that_is_a_result_stays_one():
    """As the gradient of a sum is: the cotangent itself, which is one."""
    x, one, y = (Value((), np.dtype(float), name, "scalar") for name in ("x", "g", "y"))
    node = Node(np.multiply, (x, one), out=y)
    graph = Graph((x,), (node,), (y, one), constants={one: np.float64(1.0)})
    folded = fold_constants(graph)
    folded.lint()
    assert folded.nodes[0].args == (x, 1.0)
    assert folded.constants == {one: 1.0}
