"""Loops of any count inside loops of any count: one trace for all, or a miss."""

import numpy as np
import pytest

import srcgrad

PROGRAMS = {}
# More, fewer than have been recorded, none, or one, too many for the array.
COUNTS = [(5, 6), (6, 4), (7, 8), (4, 9), (8, 3), (3, 1), (5, 0), (0, 3)]
COUNTS += [(1, 5), (2, 2), (9, 5), (20, 20), (6, 6), (4, 7)]


def program(traces):
    """``traces``: how many serve all counts; None: that is not said."""

    def add(function):
        PROGRAMS[function.__name__] = function, traces
        return function

    return add


# ----- As users write them -----


@program(1)
def products(x, n, m):
    s = x[0]
    for i in range(n):
        for j in range(m):
            s = s + np.sin(x[i] * s + x[j])
    return s


@program(1)
def newton_for_each(x, n, m):
    total = x[1]
    for i in range(n):
        a = x[i] ** 2 + 1.0
        y = a + m
        while abs(y * y - a) > 1e-10:
            y = 0.5 * (y + a / y)
        total = total + y
    return total


@program(None)
def table(x, n, m):
    D = np.full((n + 1, m + 1), 0.5)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - x[j - 1]) ** 2
            D[i, j] = cost + np.log(np.exp(D[i - 1, j]) + np.exp(D[i, j - 1]))
    return D[n, m]


@program(None)
def pairs(x, n, m):
    s = x[2]
    for i in range(n):
        for j in range(i + 1, n):
            s = s + (x[i] - x[j]) ** 2 / (j - i + m)
    return s


@program(2)
def below(x, n, m):
    s = x[2]
    for i in range(n):
        for j in range(i):
            s = s * 0.5 + x[i] * x[j] + m
    return s


@program(1)
def up_to_the_end(x, n, m):
    s = x[2] * m
    for i in range(n):
        for j in range(n - i):
            s = s + x[i + j] * x[j]
    return s


@program(1)
def options(x, n, m):
    v = x.copy()
    for i in range(n, 0, -1):
        for j in range(i):
            v[j] = 0.4 * v[j + 1] + 0.5 * v[j]
    return v[0] * m


@program(1)
def three_deep(x, n, m):
    s = x[0]
    for i in range(n):
        for j in range(i + 1):
            t = x[j]
            for k in range(m):
                t = t * 0.9 + x[k] * x[i]
            s = s + t
    return s


# ----- What Python sees of them -----


@program(None)
def a_flag_in_one_iteration(x, n, m):
    s, flag = x[0], False
    for i in range(n):
        for j in range(m):
            s = s * (0.5 if flag else 2.0) + x[j]
        flag = i == 3
    return s


@program(None)
def the_last_of_each(x, n, m):
    s, last = x[0], x[1]
    for i in range(n):
        for j in range(m):
            last = x[j] * x[i]
        s = s + last
    return s, last


@program(None)
def the_index_after_it(x, n, m):
    s, j = x[0], 2
    for i in range(n):
        for j in range(m):  # noqa: B007 -- it is read
            s = s + x[i]
        s = s * x[j]
    return s


@program(None)
def a_list_that_grows(x, n, m):
    s, seen = x[0], []
    for i in range(n):
        for j in range(m):
            seen.append(x[i] * x[j])
        s = s + len(seen)
    return s + sum(seen)


@program(None)
def the_one_before(x, n, m):
    a, b = x[0], x[1]
    for _ in range(n):
        for j in range(m):
            a, b = b, np.sin(a + x[j])
    return a * b


@program(None)
def broken_off(x, n, m):
    s = x[0]
    for i in range(n):
        for j in range(m):
            if s > 3.0:
                break
            s = s + x[j] ** 2
        s = s * 0.5 + x[i]
    return s


@program(None)
def counted_up(x, n, m):
    s, k = x[0], 0
    for i in range(n):
        for j in range(m):
            k += 1
            s = s + x[j] / k
        s = s + x[i]
    return s


@program(None)
def a_number_at_first(x, n, m):
    total = 0.0
    for i in range(n):
        inner = 0.0
        for j in range(m):
            inner += x[i] * x[j]
        total += inner * inner
    return total


@program(None)
def two_inside(x, n, m):
    s, t = x[0], x[1]
    for i in range(n):
        for j in range(m):
            s = s + x[j] * t
        for j in range(m):
            t = t * 0.5 + x[j] + x[i] * s * 0.01
    return s * t


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_trace_for_every_count(name):
    function, traces = PROGRAMS[name]
    gradient = srcgrad.value_and_grad(function, has_aux=name == "the_last_of_each")
    x = np.random.default_rng(1).uniform(-1.0, 1.0, 12)
    for counts in COUNTS:
        found = _outcome(gradient, x, *counts)
        with srcgrad.set_stance("tape"):
            expected = _outcome(gradient, x, *counts)
        if isinstance(expected, str):
            assert found == expected, counts
            continue
        for ours, theirs in zip(found, expected, strict=True):
            assert type(ours) is type(theirs), counts
            np.testing.assert_allclose(ours, theirs, 1e-12, 1e-12, err_msg=str(counts))
    if traces is not None:
        assert gradient.stats.traces == traces


def _outcome(function, x, n, m):
    try:
        value, dx = function(x, n, m)
    except Exception as error:
        return repr(error)
    return (*value, dx) if isinstance(value, tuple) else (value, dx)
