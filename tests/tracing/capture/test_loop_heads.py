"""Loops that end by a test: one trace for every count, and never a guess.

A program is a few lines before a loop, those of its body, and a sum of what is left
over; it runs with many tolerances, and so counts, in a random order.
"""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from tests.one_liners import execute

HEADERS = (
    ("while s > tol:", ""),
    ("while s * np.sum(x) > tol:", ""),
    ("while True:", "if s < tol: break"),
    ("for _ in range(9):", "if s < tol: break"),
    ("for _ in range(40):", "if s * s < tol * 2.0: break"),
    ("while s > tol and s < 50.0:", ""),
    ("while not s < tol:", "if s > 40.0: break"),
    ("while s > tol:", "if s < 2.0 * tol: return np.sum(a) + s"),
    ("for i in range(40):", "if s < tol: break"),
    ("while s > tol and k < 7:", "k += 1"),
    ("while k <= m and s > tol:", "k = k + 2"),
    ("while s > tol and k < 4 and np.sum(b) < 9.0:", "k += 1"),
    ("while s * s > tol and 5 > k:", "k += 1; t = s + k"),
    ("while s > tol:", "k += 1; if k > 5: raise ValueError('no end')"),
    ("while j < 6:", "j += 1; if s < tol: break"),
    ("while True:", "if s < tol or k >= m: break; k += 1"),
    ("while s > tol or j < 3:", "j += 1"),
    ("while j < 3 or s > tol:", "j += 1"),
    ("while k < 4 and (s := s * 1.1) > tol:", "k += 1"),
    ("while k < m and s > tol:", "m = m - 1; k += 1"),
    *[("for _ in range(thing.times):", "")] * 6,
    *[("for _ in range(1, thing.times + 1):", "")] * 2,
    ("for _ in range(thing.times - 1, -1, -1):", ""),
    ("for _ in range(thing.times):", "if s < tol: break"),
    ("for _ in range(thing.times - 2, thing.times):", ""),
    *[("for i in range(thing.times):", "")] * 6,
    *[("for i in range(1, thing.times + 1):", "")] * 2,
    *[("for i in range(thing.times - 1, -1, -1):", "")] * 2,
    *[("for i in range(thing.times):", "")] * 2,
    ("for i in range(2, thing.times, 3):", ""),
    ("for i in range(thing.times):", "if s < tol: break"),
    ("for i in range(thing.times):", "if i > 5: break"),
    ("for i in range(30):", "if s < tol: break"),
    ("for i in range(30):", "if s < tol: return np.sum(a) + i"),
    ("for i in range(12):", "if s < tol: return np.sum(a) * w[i]"),
)
# A loop inside another one begins again, with what the one before has left.
AROUND = (
    "",
    "",
    "",
    "for o in range(2):",
    "for o in range(2):|j = k = 0; s = s + x[0]",
)
# What a loop does, beside that `s` gets smaller. What Python keeps of the number of
# iterations in one way or another must not be taken for the same each time.
LINES = (
    "a = a * 0.8 + x * 0.01",
    "a, b = b, np.sin(a) * 0.9",
    "a, b = b, a",
    "a, b, c = b, c, a * 0.5 + b",
    "c = b; b = a",
    "old = a; a = np.cos(old) * 0.5",
    "last = s * 1.0",
    "k += 1",
    "k = k + 1; a = a / k",
    "i = 7",
    "sign = -sign",
    "sign = -sign; a = a * sign",
    "if first: a = a * 2.0; first = False",
    "if first: first = False",
    "hs.append(s)",
    "hs.append(0)",
    "hs[0] = hs[0] + 1",
    "pair = pair[1], pair[0]",
    "pair = (a, s)",
    "seen['n'] += 1",
    "seen = {'n': seen['n'] + 1}",
    "count()",
    "k = next(numbers)",
    "if o and first: a = a * 3.0",
    "m = m + 1",
    "a = a * 0.5 if k < 3 else a",
    "k += len([v for v in numbers if v < 3])",
    "thing.k += 1",
    "thing.times += 1",
    "a = a * 0.9 + thing.times * 0.01",
    "made[len(made)]",
    "queue.rotate()",
    "text = text + 'a'",
    "f = lambda v, g=f: g(v) + 1.0",
    "f = lambda v: v * s",
    "a = f(a) * 0.1",
    "if k > 3: a = a * 0.5",
    "y[0] = s",
    "y += s",
    "a[1] = s",
    "a = a.astype(np.float32) if k == 3 else a",
    "if a is b: s = s * 0.9",
    "k = len(text)",
    "k = 3",
    "c = 0.0",
    "if s < 1.0: b = b * 0.9",
    "if k == 5: raise ValueError(k)",
    "t = b * 1.0; b = t * 0.5",
    "while np.sum(b * b) > 0.3: b = b * 0.5",
    "for _ in range(3): b = np.sin(b)",
    *["a = a * 0.9 + w[i] * 0.01"] * 3,
    *["a = a + 0.1 / (i + 1)"] * 3,
    "a = a + w[thing.times - 1 - i] * 0.01",
    "a = a + w[-i] * w[2 - 2 * i] * 0.1",
    "a = a + w[j] * 0.1; j = i + 1",
    "a = a * 0.99 ** i + np.sin(i) / w[i]",
    "a = a + i * 0.1 - v[i, 1]; v = v * 1.1",
    "b = b + v[i] * i",
    "j = i",
    "t = i * 0.1; a = a + np.cos(t)",
    "i += 1",
    "if i > 3: a = a * 0.5",
    "if j > 3: a = a * 0.5",
    "f = lambda v: v * i",
    "hs.append(i)",
    "text = text + str(i)[-1]",
    "thing.k = i",
    "z[i] = s",
    "z[i] += a[0] * z[i - 1]",
    "z[i] = z[i - 1] * 0.5 + s",
    "for _ in range(i): b = b * 0.9",
    "for m in range(i): b = b + w[m] * 0.1",
    "b = b * x[i % 3]",
    "b = b * [1.0, 0.5, 2.0][i % 3]",
    "a = a * x[:i].sum()",
    # What only some counts have a gradient of.
    "a = a * p",
    "c = c + q",
    # Arrays that each iteration makes anew, and by which names they go.
    "c = b; b = np.copy(a); b[1] = s",
    "old = b[1:]; b = np.copy(a) * 0.9",
    "if first: c = b",
    "p, q = q, p * 0.9",
    "c = p; p = q * 0.5",
)
SMALLER = ("s = s * 0.5", "s = s * 0.7 - 0.01", "s = s / x[0]", "s = s * p * 0.7")
AFTER = (
    *("s", "np.sum(a)", "np.sum(b * b)", "np.sum(c)", "k * s", "last", "np.sum(old)"),
    *("sum(hs)", "len(hs) * s", "pair[0] * s", "seen['n'] * s", "thing.k * s"),
    *("len(made) * s", "queue[0] * s"),
    *("len(text) * s", "f(s)", "sign * s", "np.sum(y)", "i * s", "first * s", "i", "j"),
    *("j * s", "np.sum(z)", "z[i] + z[-1]", "w[i]", "np.sum(v * v)", "s / (i + 1)"),
    *("state() * s", "np.sum(t)", "next(numbers) * s"),
)
START = """
    class_ = type(thing)
    a, b, c, s, y, f = x, x * 0.5, x * 0.1, x[0] * x[1], x * 0.0, np.sin
    k, sign, first, hs, pair, seen, text = 0, 1.0, True, [0], (1, 2), {'n': 0}, ''
    j, m, o, n, made, queue = 0, 5, 0, 0, defaultdict(int), deque([1.0, 2.0, 3.0])
    numbers = iter(range(100))
    w, v, z = np.tile(x, 11), np.outer(np.tile(x, 11), x), np.tile(x, 11) * 0.0

    def count():
        nonlocal n
        n += 1

    def state():
        return n
"""


class Thing:
    k = 0


def program(random):
    """The lines of a function of ``x``, ``tol``, ``thing``, ``p`` and ``q``."""
    pick = random.choice
    header, leaves = HEADERS[random.integers(len(HEADERS))]
    lines = [pick(LINES) for _ in range(random.integers(0, 4))]
    lines.insert(random.integers(0, len(lines) + 1), pick(SMALLER))
    for leave in leaves.split("; ")[:: pick([1, -1])] if leaves else ():
        lines.insert(random.integers(0, len(lines) + 1), leave)
    used = " ".join([*lines, *random.choice(AFTER, size=2, replace=False)])
    start = [line[4:] for line in START.splitlines() if line]
    start = [
        line
        for line in start
        if ("numbers" not in line or "numbers" in used)
        and ("np.tile" not in line or "[" in used)
        and "class_" not in line
    ]
    body = [part for line in lines for part in split(line)]
    after = used[len(" ".join(lines)) :].strip()
    result = " + ".join(f"({part})" for part in after_parts(after))
    loop = [header, *(f"    {part}" for part in body)]
    outer, _, first = pick(AROUND).partition("|")
    if outer:
        loop = [outer, *(f"    {each}" for each in [*split(first), *loop] if each)]
    later = pick(("", "a = a * (x + 1.0)", "b = b - x; b = b * c"))
    return [*start, *loop, *filter(None, split(later)), f"return {result}"]


def split(line):
    """One statement a line; what stands behind a colon stays there."""
    return [line] if line.startswith(("if ", "while ", "for ")) else line.split("; ")


def after_parts(text):
    for part in sorted(AFTER, key=len, reverse=True):
        if text.startswith(part) and text[len(part) + 1 :] in AFTER:
            return part, text[len(part) + 1 :]
    raise AssertionError(text)


def load(lines):
    text = "import numpy as np\nfrom collections import defaultdict, deque\n\n"
    text += "def program(x, tol, thing, p, q):\n"
    text += "".join(f"    {line}\n" for line in lines)
    return execute(text, "loop heads", {})["program"], text


def outcome(function, x, tol, times):
    """Value, gradients and effects of a call, or the kind of its error."""
    variables = [Variable(v, requires_grad=True) for v in (x.copy(), 0.8, 0.6)]
    thing = Thing()
    thing.times = times
    plain, first, second = [], [], []
    try:
        with np.errstate(all="ignore"):
            value = function(variables[0], tol, thing, *variables[1:])
            if getattr(value, "requires_grad", False):
                plain = autograd.grad(
                    value, variables, retain_graph=True, allow_unused=True
                )
                first = autograd.grad(
                    value, variables, create_graph=True, allow_unused=True
                )
            if first and first[0] is not None and first[0].requires_grad:
                second = autograd.grad(
                    np.sum(first[0] * first[0]), variables, allow_unused=True
                )
    except ERRORS as error:
        return type(error), (thing.k, thing.times)
    return [data_of(each) for each in (value, *plain, *first, *second, variables[0])], (
        thing.k,
        thing.times,
    )


def data_of(item):
    return item.data if isinstance(item, Variable) else item


def assert_same(ours, theirs, text):
    (found, effect), (expected, effects) = ours, theirs
    assert effect == effects, text
    if isinstance(expected, type) or isinstance(found, type):
        assert found == expected, text
        return
    for a, b in zip(found, expected, strict=True):
        assert (a is None) == (b is None), text
        if a is not None:
            assert np.result_type(a) == np.result_type(b), text
            np.testing.assert_allclose(a, b, 1e-9, 1e-9, err_msg=text)


ERRORS = ValueError, IndexError, TypeError, RuntimeError, NameError, StopIteration
TIMES = (0, 1, 2, 3, 4, 5, 7, 9, 30)
ENDLESS = "not s", "while True"  # with a nan
TOLERANCES = (1e-2, 0.5, 3.0, 0.1, 0.02, np.nan, 0.9)


@pytest.mark.seeds(6)
def test_any_count_is_as_on_the_tape(seed):
    random = np.random.default_rng(seed)
    function, text = load(program(random))
    traced = srcgrad.trace(function)
    for tol in random.permutation(TOLERANCES):
        times = int(random.choice(TIMES))
        x = random.uniform(1.1, 2.0, 3)
        if np.isnan(tol) and any(each in text for each in ENDLESS):
            continue  # it never ends
        tol = float(tol)
        expected = outcome(function, x, tol, times)
        assert_same(outcome(traced, x, tol, times), expected, f"{text}{tol} {times}")


# ----- One trace for every count -----


def test_what_comes_of_no_iteration_is_not_changed():
    def scaled(x, tol):
        h = x
        while np.sum(h) > tol:
            h = np.sin(h) * 0.5
        h = h * (x + 1.0)
        return np.sum(h * h)

    traced, x = srcgrad.trace(scaled), np.array([1.0, 2.0, 3.0])
    for tol in (0.01, 100.0, 0.05):
        assert traced(x, tol) == scaled(x, tol)
        assert x.tolist() == [1.0, 2.0, 3.0]
    assert traced.stats.traces == 1


def test_more_than_a_thousand_iterations_are_any_number_of_them():
    def decayed(x, rate):
        while x > 1e-3:
            x = x * rate
        return x

    traced = srcgrad.trace(decayed)
    for rate in (0.994, 0.995, 0.5, 0.996):
        assert traced(5.0, rate) == decayed(5.0, rate)
    assert traced.stats.traces == 1


def again(x, tol):
    a, first = x[2] * 1.5, True
    for number in range(2):
        err = x[number]
        while err > tol:
            if number and first:
                a = a * 3.0
            first = False
            err = err * 0.5
            a = a + err
    return a


def test_a_loop_that_runs_again_begins_with_what_it_has_left():
    traced = srcgrad.trace(again)
    for x in ([30.0, 20.0, 1.0], [0.0, 20.0, 1.0], [40.0, 0.0, 2.0], [0.0, 0.0, 1.0]):
        x = np.array(x)
        assert traced(x, 1.0) == again(x, 1.0)
