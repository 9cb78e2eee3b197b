"""Whole arrays of any length, and those made of a length: one trace for all."""

import random

import numpy as np
import pytest

import srcgrad
from srcgrad import autograd
from srcgrad.protocols import raw_of
from tests.tracing.comparing import on_tape
from tests.tracing.counts.test_lengths import (
    LENGTHS,
    arguments,
    check_at_every_length,
    check_same,
    made_of,
    outcome,
)


def allocated(x, y, a):
    h = np.zeros(len(x))
    h[0] = x[0] * a
    for t in range(1, len(x)):
        h[t] = 0.5 * h[t - 1] + np.sin(x[t])
    return np.sum(h * h)


def rows(x, y, a):
    n = len(x)
    h = np.zeros((n, 2))
    for t in range(1, n):
        h[t, 0] = 0.5 * h[t - 1, 1] + x[t]
        h[t, 1] = h[t - 1, 0] * y[t] + a
    return np.sum(h[:, 1] ** 2) + h[-1, 0]


def like(x, y, a):
    h = np.empty_like(x)
    h[0] = x[0]
    for t in range(1, x.size):
        h[t] = a * h[t - 1] + x[t] * y[t]
    return h.sum() + h[1]


def longer(x, y, a):
    h = np.zeros(len(x) + 1)
    for t in range(len(x)):
        h[t + 1] = h[t] + a * x[t]
    return np.max(h) + h[-1]


def centred(x, y, a):
    z = (x - x.mean()) / np.sqrt(x.var() + 1.0)
    s = 0.0
    for v in z:
        s = a * s + v * v
    return s / len(z)


def differences(x, y, a):
    d = x[1:] - a * x[:-1]
    s = 0.0
    for i in range(len(d)):
        s = 0.5 * s + d[i] * y[i + 1]
    return s + np.var(y) * np.sum(d**2)


def no_loop(x, y, a):
    r = y - a * np.tanh(x)
    return np.sum(r**2) / len(r) + r @ x + np.mean(r)


def inner_part(x, y, a):
    z = np.ones(x.shape)
    z[1:-1] = x[2:] - 2.0 * x[1:-1] + x[: len(x) - 2]
    return np.sum(np.where(z > a, a * z, y)) + z[::-1][0]


def of_no_spread(x, y, a):
    return np.std(np.zeros(len(x)) * a) + np.std(x - x)


def filled(x, y, a):
    w = np.full(len(y), 2.0)
    w[1:] += y[:-1]
    s = 0.0
    for u, v in zip(w, x, strict=True):
        s = s + u * v * a
    return s * np.exp(-np.sum(x * x))


OPEN = (
    *(allocated, rows, like, longer, centred, differences, no_loop, inner_part),
    filled,
)


def given_back(x, y, a):
    h = np.zeros(len(x))
    for t in range(1, len(x)):
        h[t] = a * h[t - 1] + x[t]
    return h


def looked_at(x, y, a):
    h = x * a
    s = 0.0
    for i in range(h.shape[0]):
        s = s + (h[i] if len(h) > 6 else x[i])
    return s + np.zeros(len(y)).shape[0] * a


def of_a_constant(x, y, a):
    s = np.sum(x * a)
    if len(x) == 7:
        s = s + np.sum(np.zeros(7) * x + np.ones(7))
    return s + np.sum(np.ones(5)) * np.sum(np.ones(len(x)))


def halves(x, y, a):
    n = len(x)
    return np.sum(x[: n // 2]) * a + np.sum(x[::2]) + np.sum(np.ones(n // 2))


def first_of_a_part(x, y, a):
    z = x[1:] * a
    return z[2] + z[-1] + np.sum(x[:3] * y[-3:])


def counted(x, y, a):
    return np.sum(x - a) + np.sum(np.broadcast_to(a, x.shape)) + np.prod(y.shape)


def mean_of_pairs(x, y, a):
    return a * np.mean(np.outer(x, x)) + np.mean(x[:, None] * y)


def variance_of_pairs(x, y, a):
    return a * np.var(x[:, None] - y)


def columns_of_pairs(x, y, a):
    pairs = np.outer(x, y)
    return a * np.sum(pairs) / pairs.shape[1]


def number_of_pairs(x, y, a):
    pairs = x[:, None] * x
    return a * np.sum(pairs) / pairs.size


def ones_like_pairs(x, y, a):
    return a * np.sum(np.ones_like(np.outer(x, y))) * x.mean()


PAIRS = (mean_of_pairs, variance_of_pairs, columns_of_pairs, number_of_pairs)
PAIRS += (ones_like_pairs,)
OTHERS = (
    of_no_spread,
    given_back,
    looked_at,
    of_a_constant,
    halves,
    first_of_a_part,
    counted,
)


@pytest.mark.parametrize("function", [*OPEN, *OTHERS, *PAIRS])
def test_a_traced_function_is_the_untraced_one_at_every_length(function):
    traced = srcgrad.trace(function)
    with np.errstate(all="ignore"):
        for n in (*LENGTHS, 17, 3):
            expected = on_tape(outcome)(function, *arguments(n))
            check_same(outcome(traced, *arguments(n)), expected, n)
        if function is not given_back:
            check_at_every_length(function, 17, 3)


@pytest.mark.parametrize("function", OPEN)
def test_one_trace_is_for_all_lengths(function):
    gradient = srcgrad.value_and_grad(function, argnums=(0, 2))
    for n in (5, 6, 7, 8, 20, 9, 30):
        gradient(*arguments(n))
    assert gradient.stats.traces == 1
    assert "is for any `len(" in gradient.explain()


ALIKE = (
    *("np.zeros_like(x)", "np.full_like(x, 3)", "np.full_like(x, 3, dtype=None)"),
    *("np.ones_like(x[1:], dtype=int)", "np.zeros_like(x > 0)", "np.full(len(x), 3)"),
    *("np.zeros_like(x > 0, dtype=None)", "np.full(len(x), 3, dtype=float)"),
)


@pytest.mark.parametrize("as_argument", [srcgrad.Variable, np.array])
def test_what_is_made_like_an_array_is_of_its_kind_and_dtype(as_argument):
    function = eval(f"lambda x: [{', '.join(ALIKE)}]", {"np": np})
    traced, other = srcgrad.trace(function), srcgrad.trace(function)
    for n in (5, 6, 7, 8):
        x = as_argument(np.arange(n) - 2.0)
        found, expected = traced(x), on_tape(other)(x)
        assert list(map(type, found)) == list(map(type, expected))
        check_same([*map(raw_of, found)], [*map(raw_of, expected)], n)


def test_an_array_of_any_length_is_given_back():
    traced = srcgrad.trace(given_back)
    for n in (5, 6, 7, 8, 20):
        x, y, a = (srcgrad.Variable(each, requires_grad=True) for each in arguments(n))
        out = traced(x, y, a)
        out.backward(np.arange(float(n)))
        expected = on_tape(outcome)(given_back, *arguments(n))
        np.testing.assert_allclose(out.data, expected[0])
        assert x.grad.shape == (n,)
    assert traced.stats.traces == 3


@pytest.mark.parametrize("function", [no_loop, differences, centred, allocated])
def test_second_derivatives_are_of_the_length_of_the_call(function):
    traced = srcgrad.trace(function)
    for n in (5, 6, 7, 8, 20, 9):
        found = []
        for run in (traced, on_tape(traced)):
            x, y, a = (
                srcgrad.Variable(each, requires_grad=True) for each in arguments(n)
            )
            (g,) = autograd.grad(run(x, y, a), [x], create_graph=True)
            found.append([g.data, autograd.grad(np.sum(g * g), [x])[0].data])
        check_same(*found, n)


# ----- Random programs -----

WHOLES = (
    *("x", "y", "x * a", "x - x.mean()", "x[::-1]", "np.tanh(y)", "x + y", "h", "z"),
    *("np.cumsum(x)", "np.where(x > y, x, a)", "np.maximum(x, y)", "x / (1.0 + y * y)"),
)
PARTS = ("[1:]", "[:-1]", "[1:-1]", "[:n - 1]", "[2:]", "[:2]", "[-2:]", "[1:n]")
NUMBERS = (
    *("np.sum({})", "{}.sum()", "np.max({})", "{}[0]", "{}[-1]", "{}.mean()"),
    *("np.std({})", "len({})", "{}[1]", "{} @ {}", "{}.shape[0]"),
)
SHAPES = ("n", "n + 1", "n - 1", "(n, 2)", "len(y)", "x.shape", "(n,)")


def random_program(rng):
    """The source of a function of two vectors and a number."""

    def whole():
        text = rng.choice(WHOLES)
        if rng.random() < 0.3:
            return f"({text}){rng.choice(PARTS)}"
        return f"({text})"

    def number():
        text = rng.choice(NUMBERS)
        one = whole()
        return text.format(*[one] * text.count("{}"))

    lines = ["n = len(x)", f"z = {whole().replace('z', 'y').replace('h', 'x')}"]
    maker = rng.choice(("np.zeros", "np.ones", "np.empty"))
    shape = rng.choice(SHAPES)
    is_wide = "2" in shape
    lines.append(f"h = {maker}({shape})")
    if maker == "np.empty":
        lines.append("h[:] = a")
    if is_wide:
        lines.append("h[:, 0] = x")
        lines.append("h = h[:, 0] + h[:, 1]")
    for _ in range(rng.choice((0, 1, 1))):
        start = rng.choice(("1, ", "", "2, "))
        stop = rng.choice(("n", "len(h)", "n - 1", "len(z)"))
        lines.append(f"for t in range({start}{stop}):")
        index = rng.choice(("t", "t - 1", "-1 - t"))
        kind = rng.choice(("=", "+="))
        lines.append(f"    h[{index}] {kind} 0.3 * h[t - 1] + x[t] * a")
    if rng.random() < 0.4:
        lines.append(f"h[{rng.choice(('1:', ':-1', '0', '-1'))}] *= {number()}")
    lines.append("s = a * 1.0")
    if rng.random() < 0.4:
        lines += [f"for v in {whole()}:", "    s = 0.5 * s + v * v"]
    lines.append(f"s = s + {number()} * {number()} - {number()}")
    lines.append(f"return {rng.choice(('s', 's', 's * h', 'h', 'z * s'))}")
    body = "".join(f"    {each}\n" for each in lines)
    return f"import numpy as np\n\ndef program(x, y, a):\n{body}"


@pytest.mark.seeds(12)
def test_random_programs_do_the_same_at_every_length(seed):
    rng = random.Random(seed)
    source = random_program(rng)
    function = made_of(source, f"/tmp/program_of_whole_arrays_{seed}.py")
    traced, other = srcgrad.trace(function), srcgrad.trace(function)
    gradient = srcgrad.value_and_grad(srcgrad.trace(lambda *g: np.sum(function(*g))))
    with np.errstate(all="ignore"):
        for n in (5, 6, 7, *(rng.randint(0, 12) for _ in range(4))):
            given = arguments(n, n if rng.random() < 0.8 else rng.randint(1, 9))
            expected = on_tape(outcome)(other, *given)
            check_same(outcome(traced, *given), expected, source, n)
            expected = on_tape(outcome)(gradient, *given)
            check_same(outcome(gradient, *given), expected, source, n)
