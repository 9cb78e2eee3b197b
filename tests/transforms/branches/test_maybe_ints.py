"""What may be done with a number that is an integer if another arm ran."""

import operator

import numpy as np
import pytest

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.branches.maybe_ints import check_ints
from srcgrad.transforms.branches.mixed_kinds import UnfitError


def number(kind="scalar"):
    return Value((), np.dtype(float), None, kind)


X, Y, N, Z = number(), number("float"), number("float"), number()
ARM = Graph((A := number(),), (Node(np.negative, (A,), out=(B := number())),), (B,))
PLAIN = Graph((C := number(),), (Node(np.add, (C, 0.5), out=(D := number())),), (D,))
TEST = Value((), np.dtype(bool), None, "scalar")


@pytest.mark.parametrize(
    ("step", "is_fit"),
    [
        (Node(np.multiply, (X, Y), out=Z), True),
        (Node(operator.mul, (Y, 2.0), out=Z), True),
        (Node(np.multiply, (Y, 2), out=Z), False),
        (Node(np.multiply, (N, Y), out=Z), False),
        (Node(np.multiply, (Y, Y), out=Z), False),
        (Node(np.negative, (Y,), out=Z), False),
        (Node(np.less, (Y, 2), out=Z), True),
        (Node(np.less, (Y, 2**60), out=Z), False),
        (Node(np.array, ([Y, X],), out=Z), True),
        (Node(np.array, ([Y, 1],), out=Z), False),
        (Node(Branch(ARM, ARM), (TEST, Y), out=(Z,)), False),
        (Node(Branch(PLAIN, PLAIN), (TEST, Y), out=(Z,)), True),
        (Guard(Y, bool, True), True),
        (Guard(Y, float, 1.0), False),
    ],
)
def test_only_what_is_the_same_for_an_integer_is_fit(step, is_fit):
    graph = Graph((X, Y, N, TEST), (step,), ())
    if is_fit:
        check_ints(graph, {Y}, {N})
    else:
        with pytest.raises(UnfitError):
            check_ints(graph, {Y}, {N})


def test_neither_a_result_nor_what_was_asked_for_its_type_is_fit():
    for results, asked in (((Y,), ()), ((), (Y,))):
        with pytest.raises(UnfitError):
            check_ints(Graph((X, Y), (), results), {Y}, (), asked)
