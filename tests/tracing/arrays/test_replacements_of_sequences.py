"""What NumPy takes for a list may have Variables in it: deques, named tuples."""

from collections import UserList, deque
from typing import NamedTuple

import numpy as np
import pytest

import srcgrad


class Pair(NamedTuple):
    first: object
    second: object


class Row(list):
    pass


def window(x, s):
    last, out = deque(maxlen=3), 0.0
    for v in x:
        last.append(v * s)
        out = out + np.mean(last)
    return out


def arrays(x, s):
    row = deque([x[0], s, x[1]])
    return np.array(row)[1] + np.sum(row) * s + np.stack(row)[0]


def of_python(x, s):
    last = deque(x, maxlen=3)
    spread = np.linalg.norm(last) + np.std(last)
    return sum(last) * s + max(last) + len(last) + last[-1] * last[0] + spread


def named(x, s):
    pair = Pair(x[0] * s, x[1])
    return np.sum(pair) + np.mean(pair) * s + np.array(pair)[0] * np.dot(pair, pair)


def nested(x, s):
    rows = np.array([deque([x[0], s]), Pair(s, 1.0), Row([x[1], x[2]])])
    return np.sum(rows * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def of_other_lists(x, s):
    return np.dot(Row([x[0], s]), UserList([x[1], 2.0])) + np.max(UserList([x[2], s]))


PROGRAMS = [window, arrays, of_python, named, nested, of_other_lists]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_go_through_what_numpy_takes_for_a_list(program):
    rng = np.random.default_rng(0)
    traced = srcgrad.value_and_grad(program, argnums=(0, 1))
    for _ in range(5):
        x, s = rng.normal(size=6), rng.uniform(0.5, 2.0)
        value, (dx, ds) = traced(x, s)
        assert value == pytest.approx(program(x, s), 1e-12)
        with srcgrad.set_stance("tape"):
            _, expected = traced(x, s)
        np.testing.assert_allclose(dx, expected[0], 1e-12)
        assert ds == pytest.approx(expected[1], 1e-12)
        far = [program(x, s + e) for e in (1e-6, -1e-6)]
        assert ds == pytest.approx((far[0] - far[1]) / 2e-6, 1e-4, 1e-6)


@pytest.mark.parametrize("make", [deque, UserList, Row, tuple])
def test_of_mere_numbers_they_are_numpys(make):
    traced = srcgrad.trace(lambda x: np.array(make([1.0, 2.0])) * x)
    for x in (np.ones(2), np.arange(2.0)):
        np.testing.assert_array_equal(traced(x), np.array([1.0, 2.0]) * x)
