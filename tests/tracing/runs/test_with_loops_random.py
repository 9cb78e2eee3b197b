"""Random programs full of loops: generated code, transforms and the tape agree.

A program is a few lines before a loop, the lines of its body, and a sum of what is left
over. Each line is one of the things that a loop can do: carry, index, collect, change
in place, alias, shadow, do something else in one iteration.
"""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from tests import one_liners

# What `w` and `u` are.
OTHERS = 0.8, 0.6


pytestmark = pytest.mark.usefixtures("short_loops_too")


BEFORE = (
    "a, b, s, y = x * 1.0, x * 0.5, x[0], np.zeros(n + 2)",
    "a, b, s, y = x * 0.7, np.sin(x), 0.0, x[0] * np.ones(n + 2)",
    "a, b, s, y = x[:3] * 1.0, x[1:4], 1.0, np.concatenate([x, x, x])[: n + 2] * 1.0",
    "a, b, s, y = np.cos(x), x * 1.0, x[1] * x[2], np.ones(n + 2)",
)
# With the index `i`, of `n`; every value stays of moderate size.
LINES = (
    "a = np.tanh(a * 0.9 + {i} * 0.1)",
    "a, b = b, np.sin(a) * 0.9",
    "a = np.sin(a) * b",
    "s = s * 0.5 + np.sum(a * b) * 0.1",
    "s = s + x[{i} % 4] * 0.1",
    "s = 0.3 * s + y[{i}] * y[{i} + 1]",
    "s = s * (1.0 / ({i} + 1))",
    "y[{i}] = s * 0.5",
    "y[{i} + 1] += y[{i}] * 0.3",
    "y[{i}] *= 0.5",
    "y[n - {i}] = np.sin(y[{i}]) + x[0]",
    "b = a",
    "z = a",
    "z = y * 0.5 + s",
    "c = a * s",
    "a = c * 0.5 + a * 0.1 if {i} else a",
    "hs.append(a * 1.0)",
    "hs.append(s)",
    "hs.append(y[{i}] + s)",
    "a = hs[-1] * a * 0.5",
    "a[0] = s",
    "z = a; a = a * 0.5 + b; z[1] = s",
    "s = s + np.copysign(0.1, ({i} - 3) * {i} * x[0])",
    "b = b.copy(); b[1] = a[0] * 0.9",
    "if {i} == 3: a = a * 2.0",
    "if {i} % 2: s = s * 0.7",
    "if s > 2.0: s = s - 1.0",
    "s = s + 0.1 * y[{i}] if y[{i}] > y[{i} - 1] else s * 0.7 + 0.2 * y[{i} - 1]",
    "t = y[{i}] - s; s = s - y[{i}] if t > 0.0 and y[{i}] < y[{i} + 1] else s * 0.9",
    "if {i} == 5: continue",
    "if {i} == 7: break",
    "if {i} == 6: a = a.astype(np.float32)",
    "t = s + 1.0; s = np.cos(t)",
    "y = y + x[1]",
    "y = np.concatenate([y[1:], y[:1]])",
    "x = x * 0.9",
    "w = x[{i} % 2 : {i} % 2 + 3]; s = s + np.sum(w * w) * 0.1",
    "g = lambda v: v * 0.5 + s; a = g(a)",
    "s = s + sum([v * 0.1 for v in a])",
    # What only some counts have a gradient of.
    "s = s + w * 0.1",
    "b = b * u",
    "w, u = u, w * 0.9",
    "w = u * 0.5",
)
HEADERS = (
    *("for i in range(n):", "for i in range(n):", "for i in range(n)[::-1]:"),
    *(
        "for _ in range(n):",
        "for _ in range(1, n + 2):",
        "for _ in range(n - 1, -1, -1):",
    ),
)
INNER = (
    "for j in range({m}):",
    "for _ in range(n):",
    "for _ in range(n - {m}):",
    "for j, v in enumerate(a):",
    "for j in range(i):",
    "for j in range(n - i):",
    "for j in range(i + 1, n):",
    "for j in range(i, -1, -1):",
    "for j, v in enumerate(a[: i % 3 + 1]):",
)
AFTER = (
    *(
        "np.sum(a)",
        "np.sum(b * b)",
        "s",
        "np.sum(y * y)",
        "np.sum(z)",
        "np.sum(x * a[0])",
    ),
    *("sum([np.sum(h) for h in hs], 0.0)", "np.sum(hs[len(hs) // 2])", "i * s"),
)


def program(random):
    """The lines of a function of ``x``, ``n``, ``w`` and ``u``."""
    pick = random.choice
    lines = [pick(BEFORE), "z, hs, i, j, c = a, [s], 0, 0, a"]
    for _ in range(random.integers(1, 3)):
        lines.append(pick(HEADERS))
        for _ in range(random.integers(1, 5)):
            if random.random() < 0.2:
                lines.append("    " + pick(INNER).format(m=random.integers(0, 6)))
                indent, index = "        ", pick(["i", "j"])
            else:
                indent, index = "    ", "i"
            for part in pick(LINES).format(i=index).split("; "):
                lines.append(indent + part)
    parts = random.choice(AFTER, size=3, replace=False)
    return [*lines, f"return {' + '.join(parts)}"]


def load(lines):
    return one_liners.function("program(x, n, w, u)", lines)


def outcome(call):
    """What a call gives, or the kind of its error."""
    try:
        with np.errstate(all="ignore"):
            return call()
    except (ValueError, IndexError, TypeError, RuntimeError) as error:
        return type(error)


def derivatives(function, x, n):
    """Value, gradients, and those of the square of the first, with Variables."""
    variables = [Variable(v, requires_grad=True) for v in (x.copy(), *OTHERS)]
    value = function(variables[0], n, *variables[1:])
    found = autograd.grad(value, variables, create_graph=True, allow_unused=True)
    if found[0] is not None and found[0].requires_grad:
        square = np.sum(found[0] * found[0])
        found += autograd.grad(square, variables, allow_unused=True)
    return [value.data, *(None if g is None else g.data for g in found)]


def assert_same(ours, theirs, text):
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours == theirs, text
        return
    for a, b in zip(ours, theirs, strict=True):
        assert (a is None) == (b is None), text
        if a is None:
            continue
        assert np.result_type(a) == np.result_type(b), text
        is_single = np.result_type(a) == np.float32 or "float32" in text
        np.testing.assert_allclose(
            a, b, rtol=1e-3 if is_single else 1e-8, atol=1e-4 if is_single else 1e-9
        )


@pytest.mark.seeds(10)
def test_random_loops(seed):
    random = np.random.default_rng(seed)
    lines = program(random)
    text = "\n".join(lines)
    function = load(lines)
    traced = srcgrad.trace(function)
    plain = srcgrad.value_and_grad(load(lines)).untraced
    ours = srcgrad.value_and_grad(srcgrad.trace(load(lines)))
    for n in (6, 9, 5, 6, 0, 9, 1):
        x = random.uniform(-1.0, 1.0, 4)
        copy = x.copy()
        expected = outcome(lambda x=copy, n=n: plain((x, n, *OTHERS), {}))
        other = x.copy()
        assert_same(outcome(lambda x=other, n=n: ours(x, n, *OTHERS)), expected, text)
        np.testing.assert_array_equal(other, copy)
        with srcgrad.set_stance("tape"):
            expected = outcome(lambda x=x, n=n: derivatives(traced, x, n))
        found = outcome(lambda x=x, n=n: derivatives(traced, x, n))
        assert_same(found, expected, text)
