"""Python's ``min`` and ``max`` of numbers are an ``if`` a number, and give its kind."""

import numpy as np
import pytest

import srcgrad


def of_floats(a, b):
    return max(a * 2.0, b) - min(a, b, 1.0)


def of_a_list(a, b):
    return max([a, b, a * b]) + min((a, b))


def with_a_float(a, b):
    return max(a - b, 0.0) * b


@pytest.mark.parametrize("function", [of_floats, of_a_list, with_a_float])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_what_python_gives(function, kind):
    traced = srcgrad.trace(function)
    ours = srcgrad.value_and_grad(traced, argnums=(0, 1))
    for pair in [(1.0, 2.0), (2.0, 1.0), (-1.0, -1.0), (0.5, np.nan), (np.nan, 0.5)]:
        a, b = map(kind, pair)
        assert repr(traced(a, b)) == repr(function(a, b))
        with srcgrad.set_stance("tape"):
            expected = ours(a, b)
        assert repr(ours(a, b)) == repr(expected)


def test_what_has_a_key_or_other_things_stays_as_it_is():
    def f(x):
        return max(x[0], x[1], key=lambda v: -v) + len(max("ab", "c")) + max(3, 2)

    traced = srcgrad.trace(f)
    for x in ([1.0, 2.0], [2.0, 1.0], [3.0, 4.0]):
        assert traced(np.array(x)) == f(np.array(x))


def of_an_array(x, s):
    return max(x) * s + min(x[0], s) - min(x)


def of_many(x, s):
    return max([v * s for v in x]) + min(*x, s, 0.5)


def of_a_generator(x, s):
    return max(max(abs(v), s) for v in x)


def until_the_largest_is_small(x, s):
    while max(x) > 0.5:
        x = x * 0.8
    return np.sum(x) * s


def in_an_arm(x, s):
    y = max(x) * 2.0 if s > 1.0 else min(x)
    return y * s


def nearest(x, s):
    i = min(range(len(x)), key=lambda i: abs(x[i] - s))
    return x[i] * s + min(x, key=lambda v: (v - s) ** 2)


def with_a_default(x, s):
    return max([], default=s) + max(x, default=s) * max([s, x[0]], default=None)


def of_both_kinds(x, s):
    return max(x[0], *x.tolist(), float(s), 0.25)


def order_statistics(x, s):
    y = sorted(x)
    return y[0] * s + (y[len(y) // 2] - y[-1]) ** 2


def ranked(x, s):
    y = sorted((v * s for v in x), reverse=True)
    return sum(v * (k + 1.0) for k, v in enumerate(y))


def tied(x, s):
    y = sorted([x[0] * s, x[0] * s, x[1]], reverse=True)
    return y[0] + 2.0 * y[1] + 3.0 * y[2]


ONE_TRACE = [of_an_array, of_many, of_a_generator, until_the_largest_is_small]
ONE_TRACE += [nearest, with_a_default, of_both_kinds, order_statistics, ranked, tied]


def points(rng):
    for _ in range(6):
        yield rng.normal(size=12), rng.uniform(0.1, 2.0)
    yield np.ones(12), 1.0
    x = rng.normal(size=12)
    x[[2, 5, 6]] = 0.0, -0.0, 0.0
    yield x, 0.5


@pytest.mark.parametrize("program", [*ONE_TRACE, in_an_arm], ids=lambda f: f.__name__)
def test_of_many_numbers_the_first_of_the_best_is_found(program):
    rng = np.random.default_rng(0)
    traced, special = srcgrad.trace(program), np.arange(12.0)
    special[3] = np.nan
    for x, s in (*points(rng), (special, 1.0), (special[::-1].copy(), 0.3)):
        assert repr(traced(x, s)) == repr(program(x, s))
        found = srcgrad.value_and_grad(traced, argnums=(0, 1))(x, s)
        with srcgrad.set_stance("tape"):
            expected = srcgrad.value_and_grad(program, argnums=(0, 1))(x, s)
        for ours, theirs in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(ours, theirs, 1e-12)


@pytest.mark.parametrize("program", ONE_TRACE, ids=lambda f: f.__name__)
def test_which_is_best_is_no_condition(program):
    rng, gradient = np.random.default_rng(0), srcgrad.grad(program)
    for x, s in points(rng):
        gradient(x, s)
    with srcgrad.set_stance("fail_on_miss"):
        for x, s in points(rng):
            gradient(x, s)
