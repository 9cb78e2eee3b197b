"""Integers that count in a ``while``, and are read: one trace for every count."""

import pytest

import srcgrad


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
