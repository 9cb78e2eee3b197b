"""What an arm has made, and whether that is in memory of its own."""

import operator

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.tracing.branches.tried_arms import new_in


def test_a_view_is_not_in_memory_of_its_own():
    x, y, z = (Value((3,), np.dtype(float), name) for name in "xyz")
    steps = [
        Node(np.exp, (x,), out=y),
        Node(operator.getitem, (y, slice(1)), out=z),
    ]
    assert new_in(steps) == {y: True, z: False}
