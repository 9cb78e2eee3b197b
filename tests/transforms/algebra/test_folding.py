"""Constant folding."""

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.policy import MOST_FOLDED
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.algebra.folding import fold_constants
from tests.transforms.interpret import record, run, text, value_of

x, c = np.array([1.0, -2.0]), np.array([0.0, 4.0])


def folded(function, **given):
    graph = record(function, [x], **{"constants": [c], **given})
    return graph, fold_constants(graph)


def test_arrays_become_constants():
    graph, result = folded(lambda x, c: [np.exp(c[::-1]) * x])
    assert text(result) == ["t_1 = multiply(t, x)", "return t_1"]
    np.testing.assert_array_equal(run(result, [x])[0], run(graph, [x])[0])


def test_scalars_become_numbers_of_their_exact_type():
    _, result = folded(lambda x, c: [np.sum(c) * x])
    assert text(result) == ["t = multiply(np.float64(4.0), x)", "return t"]
    _, result = folded(lambda x, c: [np.sum(c) * x], constants=[np.float32([3.0])])
    assert text(result) == ["t = multiply(np.float32(3.0), x)", "return t"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, c: [np.log(c) * x],  # warns of log(0), at every call
        lambda x, c: [np.exp(x) * c],
        lambda x, c: [np.linalg.inv(c) * x],
        lambda x, c: [np.exp(c)],  # is a new array at every call
        lambda x, c: [np.exp(c)[::-1]],
        lambda x, c: [x * np.broadcast_to(c, (9, 2, 2))],
        lambda x, c: [x * c],
    ],
)
def test_what_cannot_be_done_now_is_left(function):
    with np.errstate(all="ignore"):
        graph = record(function, [x], constants=[np.array([[0.0, 4.0], [1.0, 0.0]])])
    assert fold_constants(graph) is graph


def test_gradients_stay():
    graph = record(lambda x, g, c: ([x * g], [np.exp(c)]), [x], [x], [c])
    assert fold_constants(graph) is graph


def test_no_large_array_is_made_of_a_small_one():
    def outer(x, c):
        return [np.sum(np.reshape(c, (-1, 1)) * c) * x]

    small, large = np.ones(10), np.ones(int(MOST_FOLDED**0.5) + 1)
    assert len(fold_constants(record(outer, [x], constants=[small])).nodes) == 1
    assert len(fold_constants(record(outer, [x], constants=[large])).nodes) == 3


def test_guards_on_constants_that_hold_go():
    total = value_of(np.float64(4.0))
    graph = record(lambda x, c: [x * c], [x], constants=[c])
    (constant,) = graph.constants
    nodes = (
        Node(np.sum, (constant,), out=total),
        Guard(total, float, 4.0),
        *graph.nodes,
    )
    graph = Graph(graph.inputs, nodes, graph.outputs, constants=graph.constants)
    assert len(fold_constants(graph).nodes) == 1


def test_a_number_that_is_a_result_stays_one():
    """As the gradient of a sum is: the cotangent itself, which is one."""
    x, one, y = (Value((), np.dtype(float), name, "scalar") for name in ("x", "g", "y"))
    node = Node(np.multiply, (x, one), out=y)
    graph = Graph((x,), (node,), (y, one), constants={one: np.float64(1.0)})
    folded = fold_constants(graph)
    folded.lint()
    assert folded.nodes[0].args == (x, 1.0)
    assert folded.constants == {one: 1.0}
