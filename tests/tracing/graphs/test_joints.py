"""The backward half of a graph, recorded from the values of a run."""

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.tracing.graphs.joints import Laid, distinct
from srcgrad.tracing.refusal import Refusal

F8 = np.dtype(float)
X, H, Y = (Value((3,), F8, name) for name in "xhy")
GRAPH = Graph((X,), (Node(np.sin, (X,), out=H), Node(np.multiply, (H, X), out=Y)), (Y,))


def raws():
    x = np.array([0.1, 0.2, 0.3])
    return {X: x, H: np.sin(x), Y: np.sin(x) * x}


def test_forward_stays_and_backward_comes():
    joint = Laid(GRAPH, raws(), [True], None).joint([Y], [X])
    joint.lint()
    assert [step.out.name for step in joint.nodes[:2]] == ["h", "y"]
    assert joint.inputs == GRAPH.inputs
    assert all(step.in_backward for step in joint.nodes[2:])
    assert joint.gradients[0].name == "dx"
    x, g = np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0, 0.5])
    whole = Graph((*joint.inputs, *joint.cotangents), joint.nodes, joint.gradients)
    np.testing.assert_allclose(
        evaluate(whole, (x, g))[0], g * (np.cos(x) * x + np.sin(x))
    )


def test_what_is_not_active_has_no_gradient():
    laid = Laid(GRAPH, raws(), [False], None)
    assert not laid.is_active(Y)


def test_what_is_not_known_is_refused():
    with pytest.raises(Refusal):
        Laid(GRAPH, {X: np.zeros(3)}, [True], None)


@pytest.mark.parametrize("raw", [np.ones(2), np.float64(1.0), np.bool_(True), 1.5])
def test_another_object_of_the_same_value(raw):
    other = distinct(raw)
    assert other is not raw
    assert np.array_equal(other, raw)
