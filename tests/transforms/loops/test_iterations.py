"""When two iterations do the same."""

import operator

import numpy as np
import pytest

from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.loops.iterations import Iteration, agree
from srcgrad.updates import moved

F8 = np.dtype(float)


def value(shape=(3,), dtype=F8, kind="array"):
    return Value(shape, dtype, None, kind)


def of(function, *args, out=None, **kwargs):
    out = value() if out is None else out
    return Iteration([Node(function, args, kwargs, out)])


X, Y, S = value(), value(), value((), F8, "scalar")
SAME = {
    "other values": (of(np.add, X, Y), of(np.add, Y, X)),
    "floats": (of(np.add, X, 1.0), of(np.add, X, 2.0)),
    "integers in arithmetic": (of(np.add, X, 1), of(np.add, X, 2)),
    "places": (of(operator.getitem, X, 1), of(operator.getitem, X, 2)),
    "a number that becomes a scalar": (of(np.add, X, 0.0), of(np.add, X, S)),
}
OTHER = {
    "functions": (of(np.add, X, Y), of(np.subtract, X, Y)),
    "options": (of(np.sum, X, axis=0), of(np.sum, X, axis=1)),
    "names": (of(np.sum, X, axis=0), of(np.sum, X, ndim=0)),
    "shapes of results": (of(np.add, X, Y), of(np.add, X, Y, out=value((4,)))),
    "dtypes of arguments": (
        of(np.add, X, Y),
        of(np.add, X, value(dtype=np.dtype("f"))),
    ),
    "structures": (of(np.stack, [X, Y]), of(np.stack, [X])),
    "types": (of(np.add, X, 1), of(np.add, X, True)),
    "arrays and numbers": (of(np.add, X, 1.0), of(np.add, X, Y)),
    "draws": (of(np.random.normal, 0.0), of(np.random.normal, 0.0)),
    "marks": (of(moved, X), of(moved, X)),
}


@pytest.mark.parametrize("name", SAME)
def test_same(name):
    assert agree(*SAME[name])


@pytest.mark.parametrize("name", OTHER)
def test_other(name):
    assert not agree(*OTHER[name])


def test_guards_have_to_see_the_same():
    true, false = (Iteration([Guard(X, bool, seen)]) for seen in (True, False))
    zero, minus = (Iteration([Guard(X, float, seen)]) for seen in (0.0, -0.0))
    assert agree(true, Iteration([Guard(Y, bool, True)]))
    assert not agree(true, false)
    assert not agree(zero, minus)


def test_own_results_are_taken_in_the_same_places():
    def chain(is_own):
        first, second = value(), value()
        last = Node(np.exp, (first if is_own else X,), out=second)
        return Iteration([Node(np.exp, (X,), out=first), last])

    assert agree(chain(True), chain(True))
    assert not agree(chain(True), chain(False))
