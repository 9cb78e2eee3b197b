"""What is looked at, so that no inf or nan goes unseen, and what is not."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.scalarize.unboxed_elements import Apart
from srcgrad.transforms.scalarize.unboxed_numbers import FLOAT
from srcgrad.transforms.scalarize.unseen import unseen


@pytest.mark.parametrize(
    ("function", "kind", "checked"),
    [
        (lambda a: [(np.multiply, a, a), (np.add, 0, 1.0)], "scalar", [1]),
        (lambda a: [(np.multiply, a, a), (np.divide, 1.0, 0)], "scalar", [0, 1]),
        (lambda a: [(np.multiply, a, a), (np.maximum, 0, 1.0)], "scalar", [0]),
        (lambda a: [(np.sqrt, a), (np.exp, 0)], "scalar", []),
        # NumPy says nothing of Python's own.
        (lambda a: [(operator.mul, a, a), (np.divide, 1.0, 0)], "float", [1]),
    ],
)
def test_what_is_looked_at(function, kind, checked):
    a = Value((), FLOAT, "a", "scalar")
    outs = [Value((), FLOAT, None, each) for each in (kind, "scalar")]
    steps = [
        Node(f, tuple(outs[x] if type(x) is int else x for x in args), out=out)
        for (f, *args), out in zip(function(a), outs, strict=True)
    ]
    apart = Apart(Graph((a,), tuple(steps), (outs[1],)))
    for step in steps:
        apart.take(step)
    numbers = [apart.held[out][()].item for out in outs]
    assert unseen(apart, apart.nodes)[0] == [numbers[k] for k in checked]
