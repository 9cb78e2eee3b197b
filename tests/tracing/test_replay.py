"""Running a compiled call again on the tape, to differentiate its gradient."""

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Graph, Node, Value
from srcgrad.tape.function import Leaf
from srcgrad.tracing.replay import Replay
from tests.variables import variable

x, h = Value((2,), np.dtype(float), "x"), Value((2,), np.dtype(float), "h")
SQUARE = Replay(Graph((x,), (Node(np.square, (x,), out=h),), (h,)), (1,), (0,))


def test_a_graph_is_run_with_the_edges_that_the_leaves_had():
    own = variable([1.0, 2.0])
    leaf = (Leaf.of(own), 0)
    ((node, _),) = SQUARE.run(["static", own], {1: leaf}, {})
    assert node.name() == "SquareBackward"
    assert node.edges == (leaf,)


def test_what_is_computed_from_a_result_leads_to_its_own_place():
    y = Value((2,), np.dtype(float), "y")
    steps = (Node(np.square, (x,), out=h), Node(np.exp, (h,), out=y))
    twice = Replay(Graph((x,), steps, (h, y)), (0,), (0, 1))
    own = (Leaf.of(variable([0.0])), 3)
    argument = variable([1.0, 2.0])
    (square, _), (exp, _) = twice.run([argument], {0: argument.edge}, {0: own})
    assert square.name() == "SquareBackward", "where the walk goes on from there"
    assert exp.edges == (own,)


@pytest.mark.parametrize("order", [2, 3])
def test_higher_derivatives_go_through_compiled_calls(order):
    traced = srcgrad.trace(lambda x: np.sum(x**4))
    values = np.array([1.0, 2.0])
    for _ in range(3):
        v = variable(values)
        g = traced(v)
        for _ in range(order):
            (g,) = srcgrad.autograd.grad(g.sum(), v, create_graph=True)
        expected = {2: 12.0 * values**2, 3: 24.0 * values}[order]
        np.testing.assert_allclose(g.data, expected)
    assert traced.stats.compiled == 2


def test_a_method_with_a_backward_of_the_users_is_run_again_as_it_is():
    class Triple(srcgrad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * g * x * x

    class Model:
        def loss(self, x):
            return np.sum(Triple.apply(x))

    traced = srcgrad.trace(Model().loss)
    for _ in range(3):
        v = variable([1.0, 2.0])
        (g,) = srcgrad.autograd.grad(traced(v), v, create_graph=True)
        (gg,) = srcgrad.autograd.grad(g.sum(), v)
        np.testing.assert_allclose(gg.data, [6.0, 12.0])
    assert traced.stats.compiled == 2, traced.explain()
