"""Parts of arrays between integers that change: one trace for all of one shape."""

import copy

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside.changing_ints import FollowedInt
from srcgrad.tracing.outside.places import Argument
from srcgrad.tracing.outside.windows import is_window, written_index
from tests.corpus.seen import Seen, same
from tests.differences import slope_of


class Trainer:
    def __init__(self):
        rng = np.random.default_rng(0)
        self.data, self.order = rng.normal(size=(30, 3)), rng.permutation(30)
        self.step, self.size, self.kept = 0, 4, None


def batches(t, w):
    start = t.step * t.size % 30
    t.step += 1
    batch = t.data[start : start + t.size]
    return np.sum((batch @ w - batch[:, 0]) ** 2)


def shuffled(t, w):
    places = t.order[t.step : t.step + 5]
    t.step = (t.step + 5) % 30
    return np.sum(np.tanh(t.data[places] @ w))


def parts_of_two_axes(t, w):
    t.step += 1
    t.kept = t.data[t.step % 7 : t.step % 7 + 6 : 2, :2]
    return np.sum(t.kept @ w[:2]) ** 2


def in_a_loop(t, w):
    total = 0.0
    for k in range(5):
        total = total + np.sum(t.data[t.step : t.step + 3] @ w * k)
    t.step += 1
    return total


def of_the_argument(t, w):
    t.step += 1
    return np.sum(w[t.step % 2 : t.step % 2 + 2] ** 2)


def of_what_is_written(t, w):
    batch = t.data[t.step : t.step + 3]
    t.step += 1
    t.data[0] = t.step
    return np.sum(np.tanh(batch @ w))


def changed_in_place(t, w):
    batch = t.data[t.step : t.step + 3]
    t.step += 1
    batch *= 1.01
    return np.sum(np.tanh(batch @ w))


def part_that_is_returned(t, w):
    t.step += 1
    return t.data[t.step : t.step + 2]


# How many of 18 calls run compiled at least.
PROGRAMS = {
    batches: 9,
    shuffled: 12,
    parts_of_two_axes: 14,
    in_a_loop: 12,
    of_the_argument: 15,
    of_what_is_written: 0,
    changed_in_place: 0,
    part_that_is_returned: 14,
}


@pytest.mark.filterwarnings("ignore:.*stays on the tape")
@pytest.mark.parametrize("function", PROGRAMS)
def test_each_call_sees_what_is_there(function):
    untraced, world, other = Trainer(), Trainer(), Trainer()
    traced = srcgrad.trace(lambda w: function(world, w))
    by_grad = srcgrad.value_and_grad(srcgrad.trace(lambda w: function(other, w)))
    for number in range(18):
        for each in (untraced, world, other):
            if number == 10:
                each.data = 2.0 * each.data
            if number == 14:
                each.data = each.data.astype(np.float32)
        w = np.array([0.3, -0.2, 0.5]) * (1.0 + 0.1 * number)
        expected, found = function(untraced, w), traced(w)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        if isinstance(expected, np.ndarray):
            assert np.shares_memory(found, world.data)
        else:
            assert type(found) is type(expected)
            start = copy.copy(other)
            start.data = other.data.astype(float)
            value, gradient = by_grad(w)
            np.testing.assert_allclose(value, expected, rtol=1e-6)
            slope = slope_of(
                lambda v, start=start: function(copy.deepcopy(start), v), w
            )
            np.testing.assert_allclose(gradient, slope, rtol=1e-4, atol=1e-5)
            assert same(Seen(True)(vars(other)), Seen(True)(vars(untraced)))
        assert same(Seen(True)(vars(world)), Seen(True)(vars(untraced)))
    assert traced.stats.compiled >= PROGRAMS[function], traced.explain()


def test_which_indices_are_written_so():
    i = FollowedInt(Argument("i", 0), 4, reads=None)
    assert (
        written_index((Ellipsis, slice(None, i), None, -1))[0] == "..., :{}, None, -1"
    )
    assert written_index(slice(i, i + 2, 3))[0] == "{}:{}:3"
    assert written_index((slice(i, None), np.array([1]))) is None
    assert written_index((slice(i, None), [0])) is None
    assert is_window((0, slice(None, i)))
    assert not is_window((0, i))
    assert not is_window(slice(0, 3))
