"""Lengths of arguments that change: one trace for all, or each its own; no guess."""

import linecache
import random

import numpy as np
import pytest

import srcgrad
from srcgrad import autograd
from srcgrad.pytree import flatten
from srcgrad.tracing.serving import cache
from tests.tracing.comparing import on_tape

LENGTHS = (5, 6, 7, 8, 2, 3, 9, 1, 0, 4)


def squares(x, y, a):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] ** 2 * a
    return s


def line(x, y, a):
    if len(x) != len(y):
        raise ValueError("of unequal length")
    s, n = 0.0, x.shape[0]
    for i in range(n):
        s = s + (y[i] - a * x[i]) ** 2
    return s / n


def by_rows(x, y, a):
    s = 0.0
    for i in range(len(x)):
        r = x[i] * y[i] - a
        s = s + np.sqrt(r * r + 1.0)
    return s


def arguments(n, m=None):
    rng = np.random.default_rng(n)
    return rng.normal(size=n), rng.normal(size=n if m is None else m), np.array(0.5)


def differentiated(function, *given):
    """The result, and the gradients; or the error."""
    variables = [srcgrad.Variable(each, requires_grad=True) for each in given]
    try:
        out = function(*variables)
        if isinstance(out, srcgrad.Variable):
            out.backward()
    except Exception as error:
        return [type(error).__name__, str(error)]
    # A loop that does not run has no gradient on the tape, and zeros in a loop.
    grads = [
        np.zeros(np.shape(v.data)) if v.grad is None else v.grad.data for v in variables
    ]
    return [srcgrad.Variable(out).data, *grads]


def outcome(function, *given):
    try:
        return flatten(function(*given))[0]
    except Exception as error:
        return [type(error).__name__, str(error)]


def check_same(found, expected, *told):
    assert len(found) == len(expected), told
    for ours, theirs in zip(found, expected, strict=True):
        if isinstance(theirs, str):
            assert ours == theirs, told
        else:
            np.testing.assert_allclose(
                ours, theirs, rtol=1e-9, atol=1e-12, strict=True, err_msg=str(told)
            )


def test_a_length_that_comes_again_and_again_gets_its_own_trace(monkeypatch):
    monkeypatch.setattr(cache, "OFTEN", 3)
    traced = srcgrad.trace(squares)
    traced._back_off.tracing.grant(9)
    for n in (5, 6, 7, 8, 9, *[11] * 6, 12):
        x = arguments(n)[0]
        np.testing.assert_allclose(traced(x, x, 2.0), 2.0 * np.sum(x * x))
    assert traced.stats.traces == 4
    assert "for x: float64[11]" in traced.source()


def test_arrays_that_were_as_long_as_each_other_have_to_be():
    traced, other = srcgrad.trace(line), srcgrad.trace(by_rows)
    for n in LENGTHS[:4]:
        other(*arguments(n))
        traced(*arguments(n))
    with pytest.raises(ValueError, match="unequal"):
        traced(*arguments(4, 6))
    assert float(other(*arguments(4, 6))) == float(on_tape(other)(*arguments(4, 6)))
    with pytest.raises(IndexError):
        other(*arguments(6, 4))


def test_what_is_saved_of_an_array_is_its_length():
    traced = srcgrad.trace(squares)
    for n in (5, 6, 7, 8):
        x, y, a = (srcgrad.Variable(each, requires_grad=True) for each in arguments(n))
        given = x * 1.0
        out = traced(given, y, a)
        given[0] = 7.0
        out.backward()
        np.testing.assert_allclose(x.grad.data, x.data)
        again = srcgrad.Variable(x.data, requires_grad=True)
        (g,) = autograd.grad(traced(again, y, a), [again], create_graph=True)
        (h,) = autograd.grad(np.sum(g * g), [again])
        np.testing.assert_allclose(h.data, 2.0 * x.data)


# ----- Random programs -----

HEADS = (
    *("for i in range(n)", "for i in range(1, n)", "for i in range(n - 1)"),
    *("for i in range(n - 1, -1, -1)", "for i in range(0, n, 2)"),
    *("for i in range(len(y))", "for i, u in enumerate(x)", "for i in range(3)"),
    "for i, (u, w) in enumerate(zip(x, y), 1)",
)
PARTS = (
    *("x[i]", "x[i - 1]", "y[i]", "x[-1]", "x[0]", "a", "s", "h", "y[-1 - i]", "x[1]"),
    *("x[i + 1]", "i / n", "y[i // 2]", "x[n - 1 - i]", "float(i)", "2.5", "y[i]"),
)


# Loops inside, which may be as long as the number of the outer one says.
INNER = (
    *("for j in range(i)", "for j in range(i + 1)", "for j in range(n - i)"),
    *("for j in range(i + 1, n)", "for j in range(len(y))", "for v in y"),
    *("for j in range(i, 0, -1)", "for j in range(3)", "for j, v in enumerate(x)"),
)
INSIDE = ("x[j]", "s", "h", "a", "x[i]", "y[j - i]", "x[i - j]", "x[i] * x[j]", "j * a")
SUMMED = ("sum(v * a for v in x)", "sum([u * y[i] for u in y])", "sum(x[:i])")
SUMMED = (
    *SUMMED,
    "sum(x[j] * s for j in range(i))",
    "np.max(np.array([v * s for v in y]))",
)


def inner(rng, part):
    """What may stand at the end of a loop: another one."""
    head = rng.choice(INNER)
    own = [each for each in INSIDE if "j" in head or "j" not in each]
    own += ["v"] if " v " in head or ", v" in head else []
    terms = [f"0.1 * {rng.choice(own)} * {rng.choice(own)}" for _ in "ab"]
    yield [f"{head}:", f"    s = s * 0.9 + np.sin({terms[0]})"]
    yield ["r = 0.0", f"{head}:", f"    r += {terms[0]}", "s = s - r * 0.2"]
    yield [f"{head}:", f"    h = h * 0.5 + {terms[0]}", f"    s = s + {terms[1]} * h"]
    yield [f"s = s * 0.5 + 0.1 * {rng.choice(SUMMED)}"]


def indented(lines):
    return [f"    {line}" for line in lines]


def random_program(rng):
    """The source of a function of two vectors and a number."""

    def part(depth):
        if depth and rng.random() < 0.6:
            return f"({part(depth - 1)} {rng.choice('+-*')} {part(depth - 1)})"
        return rng.choice([*PARTS, *extra])

    lines = [f"n = {rng.choice(['len(x)', 'x.shape[0]', 'y.size'])}"]
    lines.append(f"s, h = {rng.choice(['0.0', 'a * 1.0', 'x[0]', 'x[2]'])}, a * 0.5")
    for _ in range(rng.choice((1, 1, 2))):
        head = rng.choice(HEADS)
        extra = [name for name in "uw" if name in head]
        lines.append(f"{head}:")
        if rng.random() < 0.2:
            lines.append(f"    unused = {rng.choice('xy')}[i + {rng.choice('012')}]")
        lines.append(f"    h = np.tanh({part(2)})")
        if rng.random() < 0.25:
            lines += [f"    if {part(0)} > 0.1:", f"        s = s + {part(1)}"]
        lines.append(f"    s = s - 0.3 * {part(2)}")
        lines += rng.choice([[], [], *map(indented, inner(rng, part))])
    ends = ("s", "s + h", "s / n", "s * i", "s + np.sum(x)", "s + x[1:][0]")
    lines.append(f"return {rng.choice(ends)}")
    body = "".join(f"    {each}\n" for each in lines)
    return f"import numpy as np\n\ndef program(x, y, a):\n{body}"


def made_of(source, name):
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    namespace = {"__name__": name}
    exec(compile(source, name, "exec"), namespace)
    return namespace["program"]


@pytest.mark.seeds(6)
def test_random_programs_do_the_same_at_every_length(seed):
    rng = random.Random(seed)
    source = random_program(rng)
    function = made_of(source, f"/tmp/program_of_lengths_{seed}.py")
    traced, other = srcgrad.trace(function), srcgrad.trace(function)
    with np.errstate(all="ignore"):
        for n in (5, 6, 7, *(rng.randint(0, 9) for _ in range(5))):
            given = arguments(n, n if rng.random() < 0.8 else rng.randint(1, 9))
            expected = on_tape(differentiated)(other, *given)
            check_same(differentiated(traced, *given), expected, source, n)
