"""Which products are no larger than what there is already."""

import numpy as np
import pytest

from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.magnitudes import Magnitudes
from srcgrad.transforms.rewrite import Term

f8 = np.dtype(float)
x, y, t, u = (Value((3,), f8, name) for name in "xytu")
s = Value((), f8, "s", "scalar")


def known(*nodes, dtype=f8):
    made = {node.out: node for node in nodes}
    return Magnitudes(made.get, dtype, nodes[-1])


PRODUCT = Node(np.multiply, (x, y), out=t), Node(np.multiply, (t, 8.0), out=u)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (lambda x, y, s: 2.0 * (x * y), True),
        (lambda x, y, s: (8.0 * x) * y, False),
        (lambda x, y, s: (0.5 * x) * y, True),
        (lambda x, y, s: -(8.0 * (x * y)), True),
        (lambda x, y, s: -(9.0 * (x * y)), False),
        (lambda x, y, s: (x * x) * y, False),
        (lambda x, y, s: (x / y) * y, False),
        (lambda x, y, s: y / (-x), True),
        (lambda x, y, s: y / (0.5 * x), False),
        (lambda x, y, s: y / (4.0 * (x * y)), True),
        (lambda x, y, s: y / (0.5 * (x * y)), False),
        (lambda x, y, s: s * x, True),
        (lambda x, y, s: (s * x) * y, False),
        (lambda x, y, s: x + 2.0 * y, False),
        (lambda x, y, s: x + 0.5 * y, True),
    ],
)
def test_bounds(term, expected):
    assert known(*PRODUCT).cover(term(Term(x), Term(y), Term(s))) is expected


def test_both_bounds_count_in_float16():
    half = np.dtype(np.float16)
    a, b = Value((3,), half), Value((3,), half)
    magnitudes = known(Node(np.multiply, (a, b), out=Value((3,), half)), dtype=half)
    assert not magnitudes.cover((0.5 * Term(a)) * Term(b))


def test_a_value_of_another_dtype_is_not_looked_into():
    single = Value((3,), np.dtype(np.float32))
    node = Node(np.multiply, (x, 8.0), out=single)
    assert Magnitudes({single: node}.get, f8).of(single) == (1.0, {single: 1})


def test_zero_says_nothing_of_a_size():
    assert known(Node(np.multiply, (x, 0.0), out=t)).of(t) == (1.0, {t: 1})
