"""What stands in some steps for the Values of a body that does the same."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.loops import ExitCondition, Loop
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.loops.same_steps import matched

ANY = ExitCondition()
F8, I8 = np.dtype(float), np.dtype(np.int64)


def scalars(names):
    return [Value((), F8, name, "scalar") for name in names.split()]


def loop_of(factor, count=3, condition=None):
    h, x, t = scalars("h x t")
    body = Graph((h, x), (Node(np.multiply, (h, factor), out=t),), (t,))
    return Loop(body, count, carried=1, exit_condition=condition)


def body_and_steps(of_body, of_steps):
    """Return a body of two steps, and two steps beside it."""
    p, q, t, u = scalars("p q t u")
    x, y, v, w = scalars("x y v w")
    body = Graph((p, q), tuple(of_body(p, q, t, u)), (u,))
    return body, of_steps(x, y, v, w), (p, q, t, u), (x, y, v, w)


def product_and_sum(a, b, first, second):
    return [
        Node(np.multiply, (a, b), out=first),
        Node(np.add, (first, a), out=second),
    ]


def test_each_value_stands_for_one():
    body, steps, mine, own = body_and_steps(product_and_sum, product_and_sum)
    found = matched(body, steps)
    assert [found[value] for value in mine] == [*own]


def other_function(a, b, first, second):
    return [
        Node(np.multiply, (a, b), out=first),
        Node(np.subtract, (first, a), out=second),
    ]


def other_operand(a, b, first, second):
    return [
        Node(np.multiply, (a, b), out=first),
        Node(np.add, (first, b), out=second),
    ]


def other_keyword(a, b, first, second):
    return [
        Node(np.multiply, (a, b), {"dtype": float}, out=first),
        Node(np.add, (first, a), out=second),
    ]


def one_less(a, b, first, second):
    return [Node(np.multiply, (a, b), out=first)]


def with_a_guard(a, b, first, second):
    return [Node(np.multiply, (a, b), out=first), Guard(first, bool, True)]


@pytest.mark.parametrize(
    "steps", [other_function, other_operand, other_keyword, one_less, with_a_guard]
)
def test_what_differs_is_not_matched(steps):
    assert matched(*body_and_steps(product_and_sum, steps)[:2]) is None


def test_a_parameter_may_stand_for_a_number_and_no_result_does():
    p, t, x, v = scalars("p t x v")
    body = Graph((p,), (Node(np.multiply, (p, 2.0), out=t),), (t,))
    assert matched(body, [Node(np.multiply, (0.5, 2.0), out=v)])[p] == 0.5
    index = Value((), I8, None, "float")
    body = Graph((x, index), (Node(operator.getitem, (x, index), out=t),), (t,))
    assert matched(body, [Node(operator.getitem, (x, 3), out=v)])[index] == 3


def test_another_sign_of_zero_is_another_number():
    p, t, x, v = scalars("p t x v")
    body = Graph((p,), (Node(np.multiply, (p, 0.0), out=t),), (t,))
    assert matched(body, [Node(np.multiply, (x, -0.0), out=v)]) is None


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        (loop_of(2.0), loop_of(2.0), True),
        (loop_of(2.0), loop_of(3.0), False),
        (loop_of(2.0), loop_of(2.0, count=4), False),
        (loop_of(2.0, 3, ANY), loop_of(2.0, 4, ANY), True),
        (loop_of(2.0, 3, ANY), loop_of(2.0, 3), False),
    ],
)
def test_loops_inside_are_alike_if_their_bodies_are(one, other, are_alike):
    p, t, x, v = scalars("p t x v")
    body = Graph((p,), (Node(one, (p, 1.0), out=(t,)),), (t,))
    found = matched(body, [Node(other, (x, 1.0), out=(v,))])
    assert (found is not None) == are_alike
