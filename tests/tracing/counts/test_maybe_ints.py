"""An integer in one arm of an ``if`` and a float in the other one: one trace."""

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import outcome


def test_an_integer_of_a_counter_times_what_may_be_one_is_an_integer():
    class Clock:
        steps = 0

    def f(x, clock):
        clock.steps += 1
        y = 1
        if x > 0.0:
            y = x * 2.0
        return repr(clock.steps * y)

    traced, clock, other = srcgrad.trace(f), Clock(), Clock()
    for x in (2.0, 1.0, -1.0, 3.0, -2.0, 0.5):
        assert traced(x, clock) == f(x, other)


def taken_or_halved(a, n, x):
    return int(a) if a > 0 else a * 0.5


def counted_or_a_float(a, n, x):
    k = 3 if x[0] > 0 else 4
    return k if a > 0 else 0.5


def joined_twice(a, n, x):
    j = 0 if a > 0 else a * 0.5
    return j if x[0] > 0 else 1.5


def a_truth_too(a, n, x):
    j = 2 if a > 0 else 0.5
    return j if x[0] > 0 else True


def a_truth_of_an_arm(a, n, x):
    j = x[1] > 0.0 and n > 1
    return (2 if a > 0 else 0.5) if x[0] > 0 else j


def grown_or_a_float(a, n, x):
    k = 1
    for v in x:
        if v > 0:
            k = k * 2
    return k if a > 0 else 0.5


def largest(a, n, x):
    return max(int(a), 0.5, x[0])


JOINS = (taken_or_halved, counted_or_a_float, joined_twice, a_truth_too)
JOINS += (a_truth_of_an_arm, grown_or_a_float, largest)
USES = {
    "given back": lambda k: k,
    "in a list": lambda k: [k, {"k": (k, 1.0)}],
    "text": lambda k: f"{k} {k % 3}",
    "range": lambda k: len(range(abs(int(k)))),
    "index": lambda k: [1.0, 2.0, 3.0, 4.0][round(abs(k)) % 4],
    "arithmetic": lambda k: (2 * k, k + 1, -k, +k, abs(k), k // 2, divmod(k, 2)),
    "with a float": lambda k: (2.0 * k, k / 3, k**2, 1.5 - k, 2.0**k),
    "kind": lambda k: (type(k), isinstance(k, int), hasattr(k, "bit_length")),
    "key": lambda k: {0: "a", 1: "b", 0.5: "c", 2: "d"}.get(k),
    "comparisons": lambda k: (k == 1, k < 0.3, k >= 2, k != 0.5, k in (1, 2)),
    "truth": lambda k: (not k, bool(k), k and 1.0, k or "none"),
    "identity": lambda k: (k is True, k is None),
    "numpy": lambda k: (np.array([k, 1]), np.float32(2.0) * k, np.asarray(k)),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("join", JOINS)
def test_it_is_what_the_arm_that_runs_has_given(join, use):
    def f(a, n, x):
        return used(join(a, n, x))

    used, rng = USES[use], np.random.default_rng(0)
    traced = srcgrad.trace(f)
    for a in (1.2, 2.2, -3.0, 5.3, -1.0, 1.2, 4.4, -0.5):
        for n in (0, 2):
            x = rng.normal(size=4)
            assert outcome(traced, a, n, x) == outcome(f, a, n, x)
