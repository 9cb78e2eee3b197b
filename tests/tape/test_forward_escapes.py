"""What a ``forward`` lets escape is seen, whatever it is kept in."""

from collections import deque

import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.tape.forward_escapes import ForwardEscapes, is_real, numbers_in

X = np.array([1.0, 2.0])


class Box:
    content = None


BOX, TABLE, ITEMS, QUEUE, DEEP = Box(), {}, [], deque(maxlen=3), {"a": {"b": [0]}}
NUMBER, LONG = None, list(range(1000))
COUNTS = {"calls": 0}


def to_global(ctx, x):
    global NUMBER
    NUMBER = float(x[0])


def to_object(ctx, x):
    BOX.content = x


def to_class(ctx, x):
    Box.content = np.sin(x)


def to_dict(ctx, x):
    TABLE["x"] = x * 2.0


def to_list(ctx, x):
    ITEMS.append((1, x))


def to_queue(ctx, x):
    QUEUE.append(x)


def to_what_is_deep(ctx, x):
    DEEP["a"]["b"][0] = x


def to_a_long_list(ctx, x):
    LONG.append(x)


def closing_over():
    box, number = Box(), None

    def forward(ctx, x):
        nonlocal number
        box.content = number = x

    return forward


KEEPING = [to_global, to_object, to_class, to_dict, to_list, to_queue]
KEEPING += [to_what_is_deep, to_a_long_list, closing_over()]


@pytest.mark.parametrize("forward", KEEPING)
def test_what_escapes_is_seen(forward):
    for _ in range(2):  # one array may be kept once more
        escapes = ForwardEscapes(forward)
        assert escapes.kept([X]) is None or forward is not to_global
        forward(None, X)
        assert escapes.kept([X])


def counting(ctx, x):
    COUNTS["calls"] += 1
    COUNTS["shape"] = x.shape
    np.sin(x)


@pytest.mark.parametrize("forward", [counting, lambda ctx, x: len(LONG), print, None])
def test_counts_are_no_numbers_with_a_derivative(forward):
    escapes = ForwardEscapes(forward)
    if forward is counting:
        forward(None, X)
    assert escapes.kept([X]) is None


def test_numbers_are_found_in_whatever_holds_them():
    box = Box()
    box.content = [1, {"a": 2.5}, box]
    assert list(numbers_in(box)) == [2.5]
    assert list(numbers_in(lambda box=box: box)) == [2.5]
    assert [*numbers_in([Variable(X, requires_grad=True), len, np, int, None])] == []
    assert is_real(np.float32(1.0))
    assert not is_real(np.arange(3))
