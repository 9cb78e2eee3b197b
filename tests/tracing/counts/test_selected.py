"""What a mask selects is one trace for any count, where Python does not see that."""

import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad.steps import Value
from srcgrad.tracing.counts.selected import Selected
from srcgrad.transforms.loops.axes import Axes

Y = np.linspace(-1.0, 2.0, 7)
M = np.random.default_rng(5).normal(size=(7, 3))


def model(x):
    return np.sin(x) * x


def squares(x):
    return np.sum(x[x > 0] ** 2)


def mean(x):
    return x[x > 0].mean() * x[0]


def variance(x):
    return np.var(x[x > 0], ddof=1)


def misfit(x):
    m = x > 0
    return np.sum((Y[m] - model(x[m])) ** 2)


def masks_made_twice(x):
    return np.sum((Y[x > 0] - model(x[x > 0])) ** 2)


def inliers(x):
    r = x - Y
    ok = np.abs(r) < 1
    return np.sum(r[ok] ** 2) + np.sum(np.abs(r[~ok]))


def filled(x):
    out = np.zeros(7)
    m = x > 0
    out[m] = np.sqrt(x[m])
    out[~m] = -x[~m]
    return np.sum(out * Y)


def centred(x):
    s = x[x > 0]
    return np.sum((s - s.mean()) ** 2)


def of_two_axes(x):
    return np.sum((M * x[:, None])[x > 0] ** 2) + np.mean(M[x > 0])


def by_all_axes(x):
    z = M * x[:, None]
    return np.sum(z[z > 0] ** 2)


def products(x):
    s = x[x > 0]
    return s @ s + np.max(s) + np.sum(np.outer(s, s))


def of_any_count(x):
    return x[x > 0] * 2.0


def written_into(x):
    y = x * 2
    y[y > 0] += y[y > 0] ** 2
    return np.sum(y)


def seen(x):
    s = x[x > 0]
    return np.sum(s) / len(s) if len(s) > 3 else np.sum(s**2)


def seen_in_a_closure(x):
    s = x[x > 0]
    found = [lambda: s.size]
    return np.sum(s) * found[0]()


def shapes_seen(x):
    s = x[x > 0]
    return np.sum(s * np.ones(s.shape)) + np.sum(s * np.arange(len(s)))


def gone_along(x):
    return sum(v * v for v in x[x > 0])


def counted(x):
    s = x[x > 0]
    return np.sum(s) / len(s) + s[0] * s[-1] * s.size + np.sum(s * np.ones(s.shape))


def in_pairs(x):
    s, total = x[x > 0], 0.0
    for v, w in zip(s, s * x[0], strict=True):
        total = total + v * w
    return total


def by_number(x):
    s, total = x[x > 0], 0.0
    for i, v in enumerate(s):
        total = total + (v * i if v > 1.0 else v)
    for i in range(1, len(s)):
        total = total + (s[i] - s[i - 1]) ** 2
    return total


def collected(x):
    s = x[x > 0]
    squares, halves = [], np.zeros(len(s))
    for i in range(len(s)):
        squares.append(s[i] ** 2)
        halves[i] = s[i] * 0.5
    return np.sum(np.array(squares) * halves)


def up_to_a_large_one(x):
    total = 0.0
    for v in x[x > 0]:
        if v > 1.5:
            break
        total = total + v
    return total


def of_few(x):
    s = x[x > 0]
    return s[1] * s[-2] + s[2] if len(s) > 2 else np.sum(x)


def two_masks_in_vain(x):
    _ = x[x > 0] * x[x > -0.3]  # an error, unless they select as much
    return np.sum(x**3)


def two_masks_tried(x):
    try:
        return np.sum(x[x > 0] * x[x > -0.3])
    except ValueError:
        return np.sum(x)


def broadcast(x):
    return np.sum(x[x > 0] * Y[:1]) + np.sum(x[x > 0][:, None] * Y[:3])


def pairs_of_selected(x):
    s, t = x[x > 0], x[x > -0.5]
    return np.mean(s[:, None] * t) + np.var(s[:, None] - Y) + np.mean(np.outer(Y, s))


def spread(x):
    return np.std(x[x > 0]) + np.sum(np.sort(x[x > 0]) * 1.5)


ONE_TRACE = [squares, mean, variance, misfit, masks_made_twice, inliers, filled]
ONE_TRACE += [centred, of_two_axes, by_all_axes, products, written_into]
ONE_TRACE += [counted, in_pairs, by_number, collected, gone_along]
LOOKS = [
    of_few,
    up_to_a_large_one,
    seen,
    seen_in_a_closure,
    shapes_seen,
    two_masks_in_vain,
]
LOOKS += [two_masks_tried, broadcast, spread, pairs_of_selected]


def selecting(count, rng):
    """What a mask selects so many of."""
    x = -np.abs(rng.normal(size=7)) - 0.01
    x[rng.permutation(7)[:count]] *= -1
    return x


def outcome(function, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return srcgrad_free(function(x))
        except Exception as error:
            return type(error), str(error)


def srcgrad_free(found):
    pair = found if isinstance(found, tuple) else (found,)
    return [np.array(getattr(each, "value", each)) for each in pair]


def second(function):
    """A gradient, and the derivative of what it is along Y."""

    def run(x):
        v = srcgrad.Variable(x.copy(), requires_grad=True)
        out = np.sum(function(v))
        (g,) = srcgrad.autograd.grad(out, [v], create_graph=True)
        (h,) = srcgrad.autograd.grad(np.sum(g * Y), [v])
        return out, g, h

    return run


def behind_a_loop(function):
    """Values and gradients of it, where a loop of any count has run before."""

    def run(x):
        s = np.abs(x[0]) + 1.0
        while s > 0.05:
            s = s * 0.7
        return function(x) * s

    return srcgrad.value_and_grad(run)


@pytest.mark.seeds(2)
@pytest.mark.parametrize("program", [*ONE_TRACE, *LOOKS], ids=lambda f: f.__name__)
def test_a_trace_is_what_the_tape_is_for_any_count(program, seed):
    rng = np.random.default_rng(seed)
    forms = srcgrad.value_and_grad, lambda f: second(srcgrad.trace(f)), behind_a_loop
    pairs = [(form(program), form(program)) for form in forms]
    for count in (*rng.integers(2, 6, size=3), *rng.permutation(8)):
        x = selecting(count, rng)
        for traced, plain in pairs:
            found = outcome(traced, x)
            with srcgrad.set_stance("tape"):
                expected = outcome(plain, x)
            if isinstance(expected, tuple):
                assert found == expected
                continue
            for one, other in zip(found, expected, strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "program", [*ONE_TRACE, of_any_count], ids=lambda f: f.__name__
)
def test_a_trace_is_for_any_count_from_two_on(program):
    rng = np.random.default_rng(0)
    traced = srcgrad.trace(program)
    for count in (5, 5):
        traced(selecting(count, rng))
    with srcgrad.set_stance("fail_on_miss"):
        for count in (2, 3, 4):
            x = selecting(count, rng)
            np.testing.assert_allclose(traced(x), program(x), rtol=1e-12)


def test_explain_says_what_is_left_of_the_guard():
    gradient = srcgrad.grad(squares)
    for _ in range(3):
        gradient(selecting(3, np.random.default_rng(0)))
    assert "count of" in str(gradient.explain())
    assert "len(part) < 2" in gradient.source()


def test_what_has_been_taken_back_is_let_go():
    selected, value = Selected(), Value((3,), np.dtype(float))
    selected.add(value)
    selected.close(Axes(), {}, (), ())
    assert not selected
