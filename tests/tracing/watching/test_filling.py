"""Lists that loops fill which end by a test: one trace, whatever number of items."""

import warnings
from types import FunctionType

import numpy as np
import pytest

import srcgrad


def as_an_array(x):
    seen, s = [], np.sum(x * x)
    while s > 0.3:
        seen.append(s)
        s = s * 0.8
    return np.sum(np.sin(np.array(seen))) + s


def of_vectors(x):
    path = [x]
    while np.sum(x * x) > 0.3:
        x = x * 0.8 + 0.01 * np.sin(x)
        path.append(x)
    path = np.array(path)
    return np.sum(path[:, 0] * path[:, 1]) + np.mean(path)


def two_lists(x):
    times, values, t, s = [0.0], [x[0]], 0.0, x[0]
    h = 0.01 * (1.0 + x[1] ** 2)
    while t < 0.3:
        s, t = s - h * s * x[2], t + h
        times.append(t)
        values.append(s)
    times, values = np.array(times), np.array(values)
    middle = 0.5 * (values[1:] + values[:-1])
    return np.sum(middle * (times[1:] - times[:-1])) + values[0]


def by_the_last(x):
    h = [np.sum(x * x)]
    while h[-1] > 0.3:
        h.append(h[-1] * 0.8 + 1e-5 * x[0] ** 2 * np.exp(-h[-1]))
    return np.sum(np.array(h) ** 2) + h[-1]


def until_a_break(x):
    losses, w = [], x
    for _ in range(200):
        loss = np.sum((w - 1.0) ** 2)
        losses.append(loss)
        w = w - 0.2 * (w - 1.0)
        if loss < 0.01:
            break
    return losses[0] - losses[-1] + np.sum(np.log(np.array(losses) + 1.0))


def for_ever(x):
    h, s = [x[0]], np.sum(x * x) + 1.0
    while True:
        new = s * 0.7
        h.append(new * x[1])
        if abs(new - s) < 0.05:
            break
        s = new
    return np.mean(np.array(h))


def never_read(x):
    h, s = [], np.sum(x * x) + 1.0
    while s > 0.1:
        h.append(s)
        s = s * 0.6
    return s * x[0]


def as_python_does(x):
    h, s = [], np.sum(x * x) + 1.0
    while s > 0.1:
        s = s * 0.6
        h.append(s * x[1])
    total = sum(h) + max(h) * len(h) + h[0] - h[-1]
    for v in h:
        total = total + v * v
    return total + sum(v * s for v in h)


def side_by_side(x):
    first, second, s = [], [], np.sum(x * x) + 1.0
    while s > 0.1:
        s = s * 0.6
        first.append(s)
        second.append(x[0] * s)
    total = np.dot(first, second)
    for a, b in zip(first, second, strict=True):
        total = total + a * b
    return total


OPEN = (
    *(as_an_array, of_vectors, two_lists, by_the_last, until_a_break, for_ever),
    *(never_read, as_python_does, side_by_side),
)


def seen_by_others(x):
    h, s = [], np.sum(x * x) + 1.0
    while s > 0.1:
        s = s * 0.6
        h.append(s)
    return first_and_count(h)


def first_and_count(items):
    return items[0] * len(items)


def appended_to_later(x):
    h, s = [], np.sum(x * x) + 1.0
    while s > 0.1:
        s = s * 0.6
        h.append(s)
    h.append(x[0] ** 3)
    return sum(h)


def changed_later(x):
    h, s = [], np.sum(x * x) + 1.0
    while s > 0.1:
        s = s * 0.6
        h.append(s)
    h[0] = x[1] * 3.0
    other = h
    other.append(x[2])
    return sum(h) + np.sum(h)


def written_into(x):
    h, a = [], np.copy(x)
    while np.sum(a * a) > 0.3:
        a *= 0.8
        h.append(a)
    return np.sum(np.array(h) ** 2)


def of_other_shapes(x):
    h, s = [x], np.sum(x * x) + 1.0
    while s > 0.1:
        s = s * 0.6
        h.append(s)
    return h[-1] * h[0][1] + len(h)


def by_a_number_of_pythons(x):
    t, s = [0.0], np.sum(x * x)
    while s > 0.3 and t[-1] < 0.35:
        t.append(t[-1] + 0.1)
        s = s * 0.9
    return s * t[-1]


def a_far_one(x):
    h, s = [], np.sum(x * x) + 1.0
    while s > 0.1:
        s = s * 0.6
        h.append(s)
    return h[3] if len(h) > 3 else x[0]


def made_to_be_changed(x):
    h, s = [], np.sum(x * x) + 1.0
    while s > 0.1:
        s = s * 0.6
        h.append(s)
    h = np.array(h)
    h[0] = x[0]
    h *= 2.0
    return np.sum(h) + h[-1]


OTHERS = (
    *(seen_by_others, appended_to_later, changed_later, written_into),
    *(of_other_shapes, by_a_number_of_pythons, a_far_one, made_to_be_changed),
)

# How long the loops are differs: not at all, once, twice, more often.
SIZES = (1.0, 2.0, 0.7, 4.0, 0.2, 0.05, 3.0, 0.35, 1.5, 0.45, 2.5, 0.9)


def arguments():
    return [np.array([0.71, -0.4, 0.52]) * size for size in SIZES]


def outcome(run, x):
    try:
        return run(x)
    except Exception as error:
        return type(error)


def assert_same(ours, theirs):
    if isinstance(theirs, type):
        assert ours is theirs
        return
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, 1e-9, 1e-12)


@pytest.mark.parametrize("function", [*OPEN, *OTHERS])
def test_what_is_filled_is_what_python_fills(function):
    gradient = srcgrad.value_and_grad(function)
    traced = srcgrad.trace(function)

    def on_variables(x):
        x = srcgrad.Variable(x, requires_grad=True)
        out = traced(x)
        out.backward()
        return out.data, x.grad.data

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "(?s).*srcgrad itself failed")
        for x in arguments() * 2:
            with srcgrad.set_stance("tape"):
                expected = outcome(gradient, x)
            value = outcome(function, x)
            if not isinstance(value, type):
                np.testing.assert_allclose(expected[0], value, 1e-12)
            assert_same(outcome(gradient, x), expected)
            with srcgrad.set_stance("tape"):
                expected = outcome(on_variables, x)
            assert_same(outcome(on_variables, x), expected)


@pytest.mark.parametrize("function", OPEN)
def test_one_trace_is_for_all_counts_from_two_on(function):
    many = [x for x in arguments() if np.sum(x * x) > 2.0]
    function = FunctionType(function.__code__, globals())  # which has no traces
    gradient = srcgrad.value_and_grad(function)
    traced = srcgrad.trace(function)
    for x in many:
        gradient(x)
        traced(srcgrad.Variable(x, requires_grad=True)).backward()
    assert gradient.stats.traces == traced.stats.traces == 1


@pytest.mark.parametrize("function", OPEN)
def test_second_derivatives(function):
    hessian, gradient = srcgrad.hessian(function), srcgrad.grad(function)
    for x in arguments()[:4]:
        steps = 1e-5 * np.eye(3)
        rows = [(gradient(x + step) - gradient(x - step)) / 2e-5 for step in steps]
        np.testing.assert_allclose(hessian(x), rows, 1e-4, 1e-4)


def test_what_is_written_is_what_one_would_write():
    gradient = srcgrad.grad(as_an_array)
    for x in arguments()[:3]:
        gradient(x)
    source = gradient.source()
    assert "ss.append(s)" in source
    assert "np.array(ss)" in source
    assert "zip(reversed(range(len(ss))), reversed(ss), strict=True)" in source
