"""Lists that loops of any count fill: one trace, as long as nobody sees the list."""

import numpy as np
import pytest

import srcgrad
from tests.tracing.counts.test_lengths import arguments, check_at_every_length


def states(x, y, a):
    s, out = 0.0, []
    for v in x:
        s = a * s + v
        out.append(s)
    return np.sum(np.array(out) * y)


def from_a_start(x, y, a):
    h = np.array([1.0, 0.5]) * a
    out = [h]
    for t in range(1, len(x)):
        h = np.tanh(h * x[t] + y[t - 1])
        out.append(h)
    return np.sum(np.stack(out)[:, 0] * x) + np.var(np.array(out))


def by_the_last(x, y, a):
    out = [a * 1.0]
    for u, v in zip(x, y, strict=True):
        out.append(out[-1] * u + v)
    return np.sum(out) + out[-1]


def two_lists(x, y, a):
    first, second = [], []
    second = []
    third = []
    for i in range(len(x)):
        third.append(x[i] * a)
        second.append(np.sin(y[i]) + i)
    return np.array(second) @ np.asarray(third) + len(first)


OPEN = (states, from_a_start, by_the_last)


def changed_later(x, y, a):
    h, out = x[:2] * a, []
    for v in x:
        h = h + v
        out.append(h)
        h *= 0.5
    return np.sum(np.array(out))


def own_rows(x, y, a):
    h, out = np.zeros(2), []
    for v in x:
        h[0] = h[0] + v * a
        out.append(h)
    return np.sum(np.array(out) * 2.0) + np.sum(h)


def through_the_last(x, y, a):
    h = np.ones(2) * a
    out = [h]
    for v in x:
        last = out[-1]
        last[0] = last[0] * 0.5
        h = last * v
        out.append(h)
    return np.sum(np.stack(out))


def how_many(x, y, a):
    out = []
    for v in x:
        out.append(v * a)
    return sum(out) / len(out)


def of_integers(x, y, a):
    out = []
    for i in range(len(x)):
        out.append(i)
    return np.array(out) @ x * a + np.array(out).dtype.itemsize


def of_two_kinds(x, y, a):
    s, out = 0, []
    for v in x:
        out.append(s)
        s = s + v * a
    return np.sum(np.array(out))


def another_shape_at_the_end(x, y, a):
    s, out = a * 1.0, []
    for i in range(len(x)):
        if i == 4:
            s = np.array([s, s]).sum(keepdims=True)
        out.append(s * x[i])
    return np.sum(out[-1])


def both_ways(x, y, a):
    out = []
    for v in x:
        out.append(v * a)
    out = np.array(out)
    return np.sum(out)


def known_by_two_names(x, y, a):
    out = []
    other = out
    for v in x:
        out.append(v * a)
    return np.sum(np.array(out)) + len(other)


OTHERS = (
    *(
        two_lists,
        changed_later,
        own_rows,
        through_the_last,
        how_many,
        of_integers,
        of_two_kinds,
    ),
    *(another_shape_at_the_end, both_ways, known_by_two_names),
)


@pytest.mark.parametrize("function", [*OPEN, *OTHERS])
def test_a_traced_function_is_the_untraced_one_at_every_length(function):
    with np.errstate(all="ignore"):
        check_at_every_length(function, 17, 3)


@pytest.mark.parametrize("function", OPEN)
def test_one_trace_is_for_all_lengths(function):
    gradient = srcgrad.value_and_grad(function, argnums=(0, 2))
    for n in (5, 6, 7, 8, 20, 9, 30):
        gradient(*arguments(n))
    assert gradient.stats.traces == 1
    assert gradient.stats.compiled == 3
