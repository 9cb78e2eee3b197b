"""What two arms have left may be one array: who could tell has one arm of the `if`."""

import numpy as np

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
