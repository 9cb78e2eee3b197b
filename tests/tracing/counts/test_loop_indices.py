"""``for i in range(n)`` where ``i`` is read: one trace for every ``n``, or a miss."""

import numpy as np
import pytest

import srcgrad

PROGRAMS = {}
# More, fewer than have been recorded, none, too many for some arrays.
COUNTS = (7, 12, 9, 8, 0, 1, 2, 30, -3, 12, 31, 50)


def program(traces):
    """``traces``: how many serve all counts, but for the first two of these."""

    def add(function):
        PROGRAMS[function.__name__] = function, traces
        return function

    return add


# ----- As users write them -----


@program(2)
def horner(c, x, n):
    s = 0.0
    for k in range(n):
        s = s * x + c[k]
    return s


@program(1)
def horner_from_above(c, x, n):
    s = c[n] * x
    for k in range(n - 1, -1, -1):
        s = s * x + c[k]
    return s


@program(2)
def exponential_series(c, x, n):
    term, s = 1.0, 1.0
    for k in range(n):
        term = term * x / (k + 1)
        s = s + term
    return s * c[0]


@program(1)
def set_anew(c, x, n):
    r, s = c[0] * 2.0, c[1] * x
    for k in range(n):
        r = r * 0.5 + c[k]
        r = np.sin(c[k])
        s = s * 0.5 + r
    return r + s


@program(2)
def continued_fraction(c, x, n):
    s = 0.0
    for k in range(n, 0, -1):
        s = k * x / (2 * k + 1 + s)
    return s + c[1]


@program(2)
def euler(c, x, n):
    dt, y = 0.05, x
    for i in range(n):
        t = i * dt
        y = y + dt * (np.sin(t) * c[2] - y * y)
    return y


@program(2)
def autoregression(c, x, n):
    s = 0.0
    for i in range(1, n):
        e = c[i] - x * c[i - 1]
        s = s + e * e
    return s


@program(4)
def swapped(c, x, n):
    t = x * 1.0
    for _ in range(n):
        t = np.tanh(t)
        x, t = t, x
    return t * x + c[0]


@program(1)
def descent(c, x, n):
    for k in range(n):
        c = c - 0.3 / (1 + k) * (c - x + np.cos(c))
    return np.sum(c * c)


@program(1)
def moving_average(c, x, n):
    m = c[0] * 1.0
    for t in range(n):
        m = x * c[t] + (1.0 - x) * m
    return m


@program(2)
def running_mean(c, x, n):
    m = 0.0
    for k in range(n):
        m = m + (c[k] * x - m) / (k + 1)
    return m


@program(2)
def from_both_ends(c, x, n):
    s = 0.0
    for i in range(n):
        s = s * x + c[n - 1 - i] * c[-i]
    return s


@program(1)
def rows(c, x, n):
    W = np.outer(c, c[:3])
    h = c[:3] * x
    for t in range(n):
        h = np.tanh(W[t] * h + W[t, 1] * W[t - 1])
    return np.sum(h)


@program(2)
def read_afterwards(c, x, n):
    s, i = x * x, 0
    for i in range(n):
        s = s + c[i] * x
    return s * i + c[i]


@program(1)
def every_third(c, x, n):
    s = x * c[0]
    for i in range(1, n, 3):
        j = 2 * i - 1
        s = np.sin(s + c[j]) * 0.9**i
    return s


@program(1)
def in_a_function(c, x, n):
    def step(s, k):
        return s + c[k] / (k + 1) ** 2

    s = x * c[0]
    for k in range(n):
        s = step(s, k)
    return s


@program(1)
def one_in_another(c, x, n):
    s = x * c[0]
    for i in range(3):
        for k in range(n):
            s = s * x + c[k] * c[i]
    return s


@program(1)
def sine(c, x, n):
    term, s = x, x
    for k in range(1, n):
        term = -term * x * x / ((2 * k) * (2 * k + 1))
        s = s + term
    return s * c[0]


@program(2)
def alternating(c, x, n):
    s = 0.0
    for k in range(n):
        s = s + (-1) ** k * x**k / (2 * k + 1)
    return s * c[0]


# ----- Written into -----


@program(2)
def running_sums(c, x, n):
    h, s = np.zeros(31), 0.0
    for t in range(n):
        s = s + c[t] * x
        h[t] = s
    return np.sum(h * h)


@program(1)
def recurrence(c, x, n):
    y = c * x
    for i in range(1, n):
        y[i] += 0.5 * y[i - 1]
        y[-i] *= c[i] + 0.1 * i
    return np.sum(y * y)


@program(1)
def states_in_rows(c, x, n):
    H = np.zeros((31, 3))
    H[0] = c[:3] * x
    for t in range(1, n):
        H[t] = np.tanh(H[t - 1] * c[t]) + 0.1 * t
        H[t, 1] += c[t]
    return np.sum(H[n - 1]) + np.sum(H * H)


@program(1)
def sums_in_a_while(c, x, n):
    h, k = c * 1.0, 0
    while k < n:
        h[k] = h[k - 1] * x
        k += 1
    return np.sum(h) * k


@program(9)
def plain_numbers(c, x, n):
    h = np.zeros(31)
    h[n - 1] = 1.5
    for i in range(n):
        h[n - 1 - i] = 1.0
        h[i] = 0.5
    return np.sum(h * c) * h[n - 1] * x


@program(9)
def exchanged(c, x, n):
    a, b = np.zeros(31), np.ones(31) * x
    for i in range(n):
        a[i] = c[i] + b[i - 1]
        a, b = b, a
    return np.sum(a * c) + np.sum(b)


@program(2)
def zeros_without_a_sign(c, x, n):
    s = x * x
    for i in range(n):
        s = s + np.arctan2(x * ((i - 3) * i), -1.0) * c[i]
    return s


@program(2)
def branches(c, x, n):
    s = x * x
    for i in range(n):
        if i == 8:
            s = s * 2.0
        s = s + c[i]
    return s


# ----- Python looks at the number -----


@program(9)
def slices(c, x, n):
    s = x * x
    for i in range(n):
        s = s + np.sum(c[:i])
    return s


@program(9)
def left_early(c, x, n):
    s = x * x
    for i in range(n):
        if s > 3.0:
            break
        s = s + c[i]
    return s * i


def outcome(function, n, stance):
    c = np.random.default_rng(n % 7).uniform(0.2, 0.9, 31)
    with srcgrad.set_stance(stance), np.errstate(all="ignore"):
        try:
            return srcgrad.value_and_grad(function, argnums=(0, 1))(c, 0.7, n)
        except (IndexError, NameError) as error:
            return type(error), str(error)


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_trace_for_every_count(name):
    function, traces = PROGRAMS[name]
    for n in COUNTS:
        found = outcome(function, n, "default")
        expected = outcome(function, n, "tape")
        if isinstance(expected[0], type):
            assert found == expected, n
            continue
        assert type(found[0]) is type(expected[0]), n
        pairs = zip((found[0], *found[1]), (expected[0], *expected[1]), strict=True)
        for ours, theirs in pairs:
            np.testing.assert_allclose(ours, theirs, 1e-12, 1e-12, err_msg=str(n))
    made = srcgrad.source(function).count("def outside(")
    assert made == traces if traces < 9 else made > 2


def test_a_loop_that_ends_by_itself_after_a_walk_back_is_not_refused():
    def f(x):
        x = srcgrad.grad(lambda y: np.sum(y**2))(x)
        for i in range(6):
            if x[0] > 1.0:
                x = x * 1.1
            x = x * (i * 0.5 + 1.0)
            if np.sum(x) > 3.0:
                break
        return x

    for scale in (0.1, 0.2, 1.0, 0.1, 3.0, 0.2):
        x = np.array([1.0, 2.0]) * scale
        for _ in range(2):
            _, tangent = srcgrad.jvp(f, (x,), (x,))
        with srcgrad.set_stance("tape"):
            expected = srcgrad.jvp(f, (x,), (x,))[1]
        np.testing.assert_allclose(tangent, expected)
