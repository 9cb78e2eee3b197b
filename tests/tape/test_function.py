"""Nodes of the tape: how users call their own, and how long a graph lives."""

import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Function
from tests.functions import Cube, Scaled, function_of
from tests.variables import variable, vector

# ----- Calling -----


def test_an_object_is_called_once():
    x, function = vector(1.0), Scaled(2.0)
    function(x, x)
    with pytest.raises(
        RuntimeError, match=r"(?s)Scaled can be called only once.*test_function"
    ):
        function(x, x)


def test_the_styles_are_not_mixed_up():
    with pytest.raises(TypeError, match=r"(?s)is a @staticmethod.*Cube.apply"):
        Cube()(vector(1.0))
    with pytest.raises(TypeError, match=r"(?s)no @staticmethod.*Scaled\(\.\.\.\)\(x\)"):
        Scaled.apply(vector(1.0), vector(1.0))


def test_missing_methods():
    class Empty(Function):
        pass

    with pytest.raises(NotImplementedError, match="Empty has no forward"):
        Empty()(vector(1.0))
    y = function_of(lambda ctx, x: x * 2, Function.backward)(vector(1.0))
    with pytest.raises(NotImplementedError, match="no backward"):
        y.backward()


def test_place_in_the_graph():
    x = vector(1.0, 2.0)
    node = Cube.apply(x).grad_fn
    assert isinstance(node, Function)
    assert issubclass(srcgrad.Leaf, Function)
    assert node.name() == "CubeBackward"
    assert repr(node).startswith("<CubeBackward")
    assert node.next_functions == ((x.creator, 0),) == node.previous_functions
    assert node.needs_input_grad == (True,)
    np.testing.assert_array_equal(node.saved_tensors[0].data, x.data)
    function = Scaled(3.0)
    assert function(x, x).grad_fn.factor == 3.0


# ----- Life -----


def test_a_deep_graph_that_is_never_walked(without_gc):
    y = variable([0.0])
    for _ in range(50_000):
        y = np.tanh(y) * y
    del y


def test_no_graph_outlives_its_variables(without_gc):
    x, w = variable([[1.0, 2.0]]), variable([[1.0], [2.0]])

    def build():
        y = np.tanh(x @ w)
        z = np.concatenate([y, y * 2.0])
        z[0] += 1.0
        parts = np.split(z, 2)
        out = (parts[0] * parts[1]).sum()
        return out, [weakref.ref(v.grad_fn) for v in (y, z, parts[1], out)]

    out, nodes = build()
    del out
    assert [node() for node in nodes] == [None] * 4
    out, nodes = build()
    out.backward()
    del out
    assert [node() for node in nodes] == [None] * 4


def test_create_graph_leaves_no_cycle(without_gc):
    x = variable([1.0, 2.0])
    y = (x * x * x).sum()
    (g,) = srcgrad.autograd.grad(y, x, create_graph=True)
    nodes = [weakref.ref(y.grad_fn), weakref.ref(g.grad_fn)]
    del y, g
    assert [node() for node in nodes] == [None] * 2
