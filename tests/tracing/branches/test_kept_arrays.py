"""What two arms have left may be one array: who could tell has one arm of the `if`."""

import numpy as np
import pytest

import srcgrad


def test_what_a_loop_may_keep_to_its_end_is_not_written_into():
    def kept(a, n):
        a = a * 1.0
        for _ in range(8):
            if np.sum(a) < n:
                s = a[0] * 2.0
            else:
                a = a * 0.5 + 1.0
                s = n
            n = n + s
        a = 1.0 * a
        a[0] = 5.0 * n
        return np.sum(a) * n

    ours, rng = srcgrad.value_and_grad(kept, argnums=(0, 1)), np.random.default_rng(0)
    for _ in range(6):
        a, n = rng.normal(size=3), 3.0 + rng.normal()
        before = a.copy()
        value, _ = ours(a, n)
        np.testing.assert_equal(a, before)
        np.testing.assert_allclose(value, kept(a, n))


def test_steps_are_taken_or_tried_again_from_constants():
    def stepped(p):
        t, y, h = 0.0, np.array([2.0, 0.0]), 0.8
        while t < 1.5:
            slope = np.array([y[1], -y[0]]) * p
            tried = y + h * slope
            if np.max(np.abs(h * slope)) <= 0.3:
                t, y = t + h, tried
                h = 1.5 * h
            else:
                h = h * 0.5
        return y @ y

    ours, rng = srcgrad.trace(stepped), np.random.default_rng(0)
    slope = srcgrad.value_and_grad(ours)
    for _ in range(8):
        p = rng.uniform(0.3, 1.5, 2)
        value, gradient = slope(p)
        with srcgrad.set_stance("tape"):
            expected = srcgrad.grad(stepped)(p)
        np.testing.assert_allclose(value, stepped(p), rtol=1e-12)
        np.testing.assert_allclose(gradient, expected, rtol=1e-9)
    assert (ours.stats.traces, ours.stats.misses) == (1, 0)


def _negated(a, t):
    for _ in range(40):
        t = t * 0.9
        if t < 0.0:
            a = -a
    return a


def _left_at_once(a, t):
    for _ in range(60):
        if t > 50.0:
            break
        t, a = t * 1.1, a * 1.01
    return a


def _the_new_one(x, loop):
    c = x * 1.0
    a = loop(c, np.sum(c))
    a += 1.0
    return np.sum(a * c)


def _the_old_one(x, loop):
    c = x * 1.0
    a = loop(c, np.sum(c))
    c += 1.0
    return np.sum(a * c)


def _an_element(x, loop):
    c = x * 1.0
    a = loop(c, np.sum(c))
    a[0] = 5.0
    return np.sum(a * c)


def _an_item(x, loop):
    c, found = x * 1.0, []
    t = np.sum(c)
    for _ in range(40):
        t = t * 0.9
        found.append(c if t > 0.0 else -c)
    found[3] += 1.0
    return np.sum(c * found[5])


def _the_best(x, loop):
    v = x * 1.0
    best, top = v * 1.0, np.sum(v) * 0.0 - 1e9
    for k in range(40):
        s = np.sum(np.sin(v * k))
        if s > top:
            top, best = s, v
        v[0] += 0.1
    return np.sum(best * v) + top


@pytest.mark.parametrize("loop", [_negated, _left_at_once])
@pytest.mark.parametrize(
    "written", [_the_new_one, _the_old_one, _an_element, _an_item, _the_best]
)
def test_what_a_loop_may_give_back_as_it_was_is_written_into(written, loop):
    def f(x):
        return written(x, loop)

    x = np.linspace(0.2, 0.9, 4)
    traced, derived = srcgrad.trace(f), srcgrad.value_and_grad(f)
    for factor in (1.0, 1.0, 100.0, 100.0, 0.5, 1.0):
        value, slopes = derived(factor * x)
        np.testing.assert_allclose(value, f(factor * x))
        np.testing.assert_allclose(traced(factor * x), value)
        with srcgrad.set_stance("tape"):
            np.testing.assert_allclose(slopes, derived(factor * x)[1])


def test_an_argument_that_a_loop_may_keep_is_written_into():
    def f(a):
        a = _negated(a, np.sum(a))
        a += 1.0
        return np.sum(a)

    traced = srcgrad.trace(f)
    for factor in (1.0, 1.0, -1.0, 1.0):
        ours, theirs = factor * np.ones(4), factor * np.ones(4)
        assert traced(ours) == f(theirs)
        np.testing.assert_array_equal(ours, theirs)
