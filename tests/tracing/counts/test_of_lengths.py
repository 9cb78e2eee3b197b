"""Whole arrays of any length, and those made of a length: one trace for all."""

import random

import numpy as np
import pytest

import srcgrad
from srcgrad.protocols import raw_of
from tests.tracing.comparing import on_tape
from tests.tracing.counts.test_lengths import (
    arguments,
    check_same,
    made_of,
    outcome,
)

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
