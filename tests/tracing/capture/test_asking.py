"""What objects are, have, and equal: asked in compiled calls, as untraced."""

import enum

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X, same_through


class Colour(enum.Enum):
    RED, GREEN = 1, 2


class Box:
    size = 2.0


box, other = Box(), Box()


def is_one(x):
    return x * 2.0 if box is not other and box is box else x


def has_one(x):
    return x * box.size if hasattr(box, "size") and not hasattr(box, "none") else x


def is_label(x, colour):
    return x * 3.0 if colour is Colour.RED else x


def is_in(x, names):
    return x * 2.0 if "b" in names and names != ["a"] else x


CALLS = {
    is_one: (X,),
    has_one: (X,),
    is_label: (X, Colour.RED),
    is_in: (X, ["a", "b"]),
}


@pytest.mark.parametrize("function", CALLS, ids=lambda each: each.__name__)
def test_the_answer_is_the_same(function):
    same_through(function, *[lambda: CALLS[function]] * 3, compiled=2)


def test_whether_two_arrays_are_one_is_seen_at_each_call():
    traced = srcgrad.trace(lambda x, y: x * 2.0 if x is y else x + y)
    for _ in range(2):
        np.testing.assert_equal(traced(X, X), X * 2.0)
        np.testing.assert_equal(traced(X, X.copy()), X + X)
