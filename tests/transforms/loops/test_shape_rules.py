"""Which axes follow from which, by what a step does."""

import operator

import numpy as np
import pytest

from srcgrad.steps import Node, Value
from srcgrad.transforms.loops.equal_axes import Axes
from srcgrad.transforms.loops.shape_rules import note
from srcgrad.updates import assign, scatter

F8 = np.dtype(float)


def array(*shape):
    return Value(shape, F8)


X, W, G = array(7, 2), array(2, 3), array(7)


# What a step is, and for each axis of its result that of an argument that it follows.
STEPS = [
    (np.exp, (X,), {}, (7, 2), [(X, 0), (X, 1)]),
    (np.multiply, (X, array(2)), {}, (7, 2), [(X, 0), (X, 1)]),
    (np.where, (array(7, 1), X, 0.0), {}, (7, 2), [(X, 0), (X, 1)]),
    (np.sum, (X,), {"axis": 1}, (7,), [(X, 0)]),
    (np.max, (X, -1), {"keepdims": True}, (7, 1), [(X, 0), None]),
    (np.sum, (array(), 0), {}, (), []),
    (np.matmul, (X, W), {}, (7, 3), [(X, 0), (W, 1)]),
    (np.outer, (G, array(3)), {}, (7, 3), [(G, 0), None]),
    (np.transpose, (X,), {}, (2, 7), [(X, 1), (X, 0)]),
    (np.reshape, (G, (7, 1)), {}, (7, 1), [(G, 0), None]),
    (np.broadcast_to, (G, (3, 7)), {}, (3, 7), [None, (G, 0)]),
    (operator.getitem, (X, (slice(1, -2), 0)), {}, (4,), [(X, 0)]),
    (operator.getitem, (X, (None, ..., 1)), {}, (1, 7), [None, (X, 0)]),
    (operator.getitem, (G, slice(None, None, -1)), {}, (7,), [(G, 0)]),
    (scatter, (G, (slice(None), 1), (7, 2)), {}, (7, 2), [(G, 0), None]),
    (assign, (X, (slice(1, None), 0), array(6)), {}, (7, 2), [(X, 0), (X, 1)]),
]


@pytest.mark.parametrize(("function", "args", "kwargs", "shape", "expected"), STEPS)
def test_an_axis_follows_those_that_it_is_made_of(
    function, args, kwargs, shape, expected
):
    axes, out = Axes(), array(*shape)
    note(axes, Node(function, args, kwargs, out))
    for k, axis in enumerate(expected):
        if axis is not None:
            assert axes.root((out, k)) == axes.root(axis)
            assert not axes.is_fixed((out, k))


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "shape"),
    [
        (np.sort, (G,), {}, (7,)),
        (np.mean, (G,), {}, ()),
        (np.add, (G, np.ones(7)), {}, (7,)),
        (np.sum, (X,), {"where": True}, ()),
        (np.reshape, (X, (14,)), {}, (14,)),
        (operator.getitem, (G, slice(None, None, 2)), {}, (4,)),
        (operator.getitem, (G, np.arange(3)), {}, (3,)),
    ],
)
def test_of_anything_else_the_lengths_stay(function, args, kwargs, shape):
    axes, out = Axes(), array(*shape)
    note(axes, Node(function, args, kwargs, out))
    assert axes.is_fixed((args[0], 0))


def test_a_part_of_known_length_needs_as_many_elements():
    axes, out = Axes(), array(3)
    note(axes, Node(operator.getitem, (G, slice(1, 4)), {}, out))
    assert axes.needs == [((G, 0), 4)]
    assert axes.is_fixed((out, 0))
    assert not axes.is_fixed((G, 0))
