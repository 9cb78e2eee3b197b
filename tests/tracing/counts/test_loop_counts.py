"""Integers that count in a ``while``, and are read: one trace for every count."""

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten

W = np.linspace(0.1, 2.0, 50)
STARTS = (100.0, 8.0, 1e5, 0.01, 3.0, 1.0, 1e12, 1e24, 8.0)


def times_the_count(x):
    k = 0
    while x > 1.0:
        x = x * 0.5
        k += 1
    return x * k


def given_back(x):
    k, j = 0, 3
    while x > 0.1:
        x = x * 0.5
        k = k + 1
        j += 2
    return x, k, {"j": [j, k + 1]}


def looked_up(x):
    k, s = 0, x * 1.0
    while s > 0.1:
        s = s * 0.5 + W[k] * 0.01 / (k + 1)
        k += 1
    return s + k * W[-k]


def series(x):
    s, term, k = x * 0.0, x / x, 0
    while abs(term) > 1e-9 / x:
        k += 1
        s = s + (-1) ** k * term
        term = term / ((2 * k) * (2 * k + 1))
    return s


def limited(x):
    k = 0
    while x > 0.1 and k < 20:
        k += 1
        x = x * 0.5 - 0.1 / k
    return x * k


def zeros_without_a_sign(x):
    s, k = 0.0, 0
    for n in range(-3, 3):
        s = s + np.arctan2(x * (n * (n - 1)), -1.0)
    while x > 0.1:
        s = s + np.arctan2(-k * x, -1.0) + np.arctan2((k - 3) * (k * 2) * x, -1.0)
        s = s + np.copysign(1.0, 0 * k * x)
        x = x * 0.5
        k += 1
    return s


def closed_over(x):
    k = 0

    def count():
        return k

    while x > 0.1:
        x = x * 0.5
        k += 1
    return x * count()


def one_after_another(x):
    k = 0
    for tol in (1.0, 0.5, 0.1):
        while x > tol:
            x = x * 0.5
            k += 1
        x = x + 1.0 * k
    return x, k


def an_error(x):
    k = 0
    while x > 0.1:
        x = x * 0.5
        k += 1
        if k > 60:
            raise ValueError(f"after {k}")
    return x


def collected(x):
    k, found = 0, []
    while x > 0.1:
        x = x * 0.5
        if k % 3 == 1:
            found.append(k)
        k += 1
    return x * len(found), k


def descended(x):
    for k in range(100):
        g = 2.0 * (x - 3.0)
        if abs(g) < 1e-3:
            break
        x = x - 0.4 / (1 + 0.01 * k) * g
    return x


def descended_and_counted(x):
    k = 0
    for k in range(100):
        g = 2.0 * (x - 3.0)
        if abs(g) < 1e-3:
            break
        x = x - 0.4 / (1 + k) * g
    return x, k


def returned_inside(x):
    for k in range(3, 90):
        x = x * 0.5 + 0.1 / (k + 1)
        if x < 0.05:
            return x * k
    return x


def looked_up_in_a_list_of_its_own(x):
    c = np.arange(1.0, 99.0)
    for k in range(90):
        x = x * 0.5 + 0.1 / c[k]
        if x < 0.05:
            break
    return x + c[k]


def outcome(function, *args):
    try:
        leaves, structure = flatten(function(*args))
    except (IndexError, ValueError) as error:
        return type(error), str(error), []
    return structure, [*map(type, leaves)], leaves


@pytest.mark.parametrize(
    ("function", "traces"),
    [
        (times_the_count, 1),
        (given_back, 1),
        (looked_up, 2),
        (series, 1),
        (limited, 1),
        (zeros_without_a_sign, 1),
        (closed_over, 1),
        (an_error, 1),
        (descended, 1),
        (descended_and_counted, 2),
        (returned_inside, 2),
        (looked_up_in_a_list_of_its_own, None),
        (one_after_another, None),
        (collected, None),
    ],
)
def test_one_trace_for_every_count(function, traces):
    traced = srcgrad.trace(function)
    for x in STARTS:
        assert outcome(traced, x) == outcome(function, x), x
    assert traces in (traced.stats.traces, None)


GRADIENTS = (
    times_the_count,
    looked_up,
    series,
    zeros_without_a_sign,
    limited,
    descended,
    returned_inside,
)


@pytest.mark.parametrize("function", GRADIENTS)
def test_its_gradient_is_the_tapes(function):
    slope = srcgrad.value_and_grad(function)
    for x in STARTS:
        with srcgrad.set_stance("tape"):
            *expected, numbers = outcome(slope, x)
        *found, ours = outcome(slope, x)
        assert found == expected
        assert ours == pytest.approx(numbers, 1e-12)


def newton(a, tol, n):
    x, k = 0.5 * a + 0.5, 0
    while k < n and abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
        k += 1
    return x, k


def test_a_count_is_aux():
    slope = srcgrad.value_and_grad(newton, has_aux=True)
    for tol in (1e-3, 1e-9, 1e-5, 10.0, 1e-14, 0.9):
        for n in (30, 25, 2, 3, 40, 0):
            with srcgrad.set_stance("tape"):
                expected = slope(3.0, tol, n)
            found = slope(3.0, tol, n)
            assert found == expected
            assert type(found[0][1]) is int


# ----- Integers beyond what a float holds exactly -----


def doubled_and_one_more(x, a):
    k = 0
    for v in x:
        k = k + k + (1 if v > a else 0)
    return k


def twice_and_one_more(x, a):
    k = 0
    for v in x:
        k = 2 * k + (1 if v > a else 0)
    return k, x[k % 2], x[0] * k, k > 2**60


def doubled_in_an_arm(x, a):
    k = 3
    for v in x:
        if v > a:
            k = k + k
    return k


def fibonacci(x, a):
    k, j = 1, 1
    for v in x:
        if v > a:
            k, j = j, k + j
    return k, j


def both_ways(x, a):
    k, j = 1, 1
    for v in x:
        if v > a:
            k = k + j
        else:
            j = j + k
    return k - j


def by_a_test(x, a):
    k, j, s = 1, 1, 0.0
    while s < len(x):
        s += abs(a) + 0.5
        k, j = j, k + j
    return k


def tripled(x, a):
    k, m = 1, 0
    while m < len(x):
        m += 1
        k = max(k, 1) * 3
    return k % 1000


def halved_and_tripled(x, a):
    k, s = 8, 0.0
    while s < len(x):
        s += abs(a) + 0.5
        k = (k // 2) * 3 + (1 if s > a else 0)
    return k


def numpys(x, a):
    k = np.int64(3)
    for v in x:
        if v > a:
            k = k * 2 + 1
    return k


LARGE = (
    *(doubled_and_one_more, twice_and_one_more, doubled_in_an_arm, fibonacci),
    *(both_ways, by_a_test, tripled, halved_and_tripled, numpys),
)


@pytest.mark.parametrize("lengths", [(5, 6, 7, 65, 8, 90), (3, 90, 4, 80), (2, 3, 99)])
@pytest.mark.parametrize("function", LARGE)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_they_are_exact_at_any_size(function, lengths):
    traced, rng = srcgrad.trace(function), np.random.default_rng(0)
    for a in (0.1, -9.0, 0.3):
        for n in lengths:
            x = rng.normal(size=n)
            assert repr(traced(x, a)) == repr(function(x, a))


@pytest.mark.filterwarnings("ignore:f stays on the tape")
def test_what_is_changed_outside_may_be_large():
    class Clock:
        ticks = 0

    def f(x, clock):
        k, s = 0, x
        while s > 0.1:
            s = s * 0.5
            k += clock.ticks
        clock.ticks += 1
        return s, k

    traced, clock, other = srcgrad.trace(f), Clock(), Clock()
    for start in (0, 0, 0, 0, 2**52, 2**53 - 2, 2**53, 2**60):
        clock.ticks = other.ticks = max(start, clock.ticks)
        for x in (5.0, 30.0, 7.0):
            assert traced(x, clock) == f(x, other)
