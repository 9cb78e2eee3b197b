"""What goes into bodies and arms, and comes out, as floats."""

import numpy as np
import pytest

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.scalarize.unboxed_bodies import argument, jumps_inside
from srcgrad.transforms.scalarize.unboxed_elements import Apart
from srcgrad.transforms.scalarize.unboxed_numbers import BOOL, FLOAT, NotApartError


def value(dtype=FLOAT, kind="scalar"):
    return Value((), np.dtype(dtype), None, kind)


@pytest.mark.parametrize(
    ("function", "dtype", "is_decided"),
    [(np.exp, FLOAT, False), (np.isnan, BOOL, True), (np.floor, FLOAT, True)],
)
def test_an_arm_decides_if_a_step_jumps(function, dtype, is_decided):
    def branch(step, x, out):
        arms = [Graph((x,), (step,), (out,)) for _ in range(2)]
        return Node(Branch(*arms), (value(BOOL), value()), out=(value(out.dtype),))

    x, out = value(), value(dtype)
    inner = branch(Node(function, (x,), out=out), x, out)
    assert jumps_inside(inner) == is_decided
    assert jumps_inside(branch(inner, inner.args[1], inner.out[0])) == is_decided


def test_only_numbers_and_indices_go_in():
    x, index, test = value(), value(np.int64, "float"), value(BOOL, "float")
    outer = Apart(Graph((x, index, test), (), ()))
    assert argument(outer, index, value(np.int64, "float")) is index
    assert argument(outer, 3, value(np.int64, "float")) == 3
    assert argument(outer, test, value(BOOL)) is test
    for item, like in [(x, value(BOOL)), (test, value()), (index, value())]:
        with pytest.raises(NotApartError):
            argument(outer, item, like)
