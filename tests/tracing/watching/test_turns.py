"""Loops that end by a test: one trace for every count, and never a guess.

A program is a few lines before a loop, those of its body, and a sum of what is left
over; it runs with many tolerances, and so counts, in a random order.
"""

import itertools
import linecache

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd

NUMBERS = itertools.count()
OUTSIDE = {"k": 0}

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
    filename = f"<generated turns {next(NUMBERS)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    namespace = {}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"], text


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


@pytest.mark.seeds(14)
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


def newton(a):
    x = 0.5 * a + 0.5
    err = abs(x * x - a)
    while err > 1e-10:
        x = 0.5 * (x + a / x)
        err = abs(x * x - a)
    return x


def newton_with_break(a):
    x = a * 1.0
    for _ in range(30):
        step = (x * x * x - a) / (3.0 * x * x)
        x = x - step
        if abs(step) < 1e-12:
            break
    return x


def misses(x, a):
    return x * x - a


def handed_on(a):
    x = np.ones(2) * a
    while True:
        miss = misses(x, a)
        if miss @ miss < 1e-20:
            break
        x = x - miss / (2.0 * x)
    return x[0]


def secant(a):
    x0, x1 = a * 0.5, a + 1.0
    while abs(x1 - x0) > 1e-9:
        f0, f1 = x0 * x0 - a, x1 * x1 - a
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
    return x1


def fixed_point(a):
    x = np.cos(a)
    while True:
        new = np.cos(x) * 0.5 + a * 0.3
        if abs(new - x) < 1e-10:
            return x
        x = new


def from_infinity(a):
    err, x = np.inf, a * 0.5 + 0.5
    while err > 1e-10:
        old = x
        x = 0.5 * (x + a / x)
        err = abs(x - old)
    return x


def in_the_middle(a):
    x = np.array([2.0, 3.0]) * a
    y, s = x + 0.5, a * 1.0
    for _ in range(60):
        y = y * 0.5
        s = s / 1.5
        if np.sum(y) + s < 1e-2:
            break
        x = np.sin(x) * y + s
    return np.sum(x) + np.sum(y) * s


def newton_with_limit(a):
    x, k = a * 0.5, 0
    step = x
    while abs(step) > 1e-12 and k < 8:
        step = (x * x * x - a) / (3.0 * x * x)
        x = x - step
        k += 1
    return x


def newton_or_error(a):
    x, k = a * 0.5, 0
    while abs(x * x - a) > 1e-9:
        k += 1
        if k > 40:
            raise RuntimeError("no convergence")
        x = 0.5 * (x + a / x)
    return x


COUNTS = (2.0, 3.0, 50.0, 1e3, 0.5, 7.0)


@pytest.mark.parametrize(
    "function",
    [
        *(newton, newton_with_break, secant, fixed_point, from_infinity),
        *(in_the_middle, newton_with_limit, newton_or_error, handed_on),
    ],
)
def test_one_trace_for_every_count(function):
    traced = srcgrad.trace(function)
    for a in COUNTS:
        ours, theirs = (Variable(np.float64(a), requires_grad=True) for _ in range(2))
        value, expected = traced(ours), function(theirs)
        assert value.data == expected.data
        value.backward()
        expected.backward()
        np.testing.assert_allclose(ours.grad.data, theirs.grad.data, 1e-12)
    assert (traced.stats.traces, traced.stats.misses) == (1, 0)


def test_no_iteration_at_all():
    traced = srcgrad.trace(newton)
    assert [traced(a) for a in (9.0, 1.0)] == [newton(9.0), 1.0]
    assert traced.stats.compiled == 1


def test_a_maximum_that_is_reached_is_a_miss():
    traced = srcgrad.trace(newton_with_break)
    for a in (2.0, 1e20, 1e30, 3.0):
        assert traced(a) == newton_with_break(a)
    assert traced.stats.misses == 1


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


def exchanged(s):
    a, b = 1.5 * s, 0.5 * s
    for _ in range(40):
        if s < 1.0:
            break
        a, b = b, a
        s = s / 2.0
    return s * b


def test_names_that_change_places_are_seen():
    traced = srcgrad.trace(exchanged)
    for s in (20.0, 40.0, 80.0, 0.5, 20.0, 160.0):
        assert traced(s) == exchanged(s)
    assert traced.stats.traces > 1


def left_or_not(x):
    a, b = x, 0.5 * x
    for _ in range(9):
        a, b = b, np.sin(a + b) * 0.6
        if np.abs(b) < 0.05:
            break
    return 3.0 * a + b


def left_with_its_number(x):
    for k in range(12):  # noqa: B007 (it is read when the loop has ended)
        step = x * 0.3
        x = x - step
        if step < 0.1:
            break
    return x * k + step


def left_by_what_is_known(x):
    ok = False
    for _ in range(9):
        x = x * 0.5
        ok = bool(x < 0.01)
        if ok:
            break
    return x if ok else -x


def left_by_one_of_two(x):
    def is_small(y):
        if y > 0.2:
            return False
        return y < 0.1 * y + 0.001

    for _ in range(9):
        x = x * 0.5
        if is_small(x):
            break
    return 2.0 * x


@pytest.mark.parametrize(
    ("function", "traces"),
    [
        (left_or_not, 2),
        (left_with_its_number, 2),
        (left_by_what_is_known, 5),
        (left_by_one_of_two, 5),
    ],
)
def test_a_for_that_is_left_or_comes_to_its_end(function, traces):
    values = 1.5, 900.0, 2.0, 40.0, 0.7, 1e4
    for order in (values, values[::-1]):
        traced = srcgrad.trace(function)
        for value in order:
            ours, theirs = (Variable(np.float64(value), True) for _ in range(2))
            out, expected = traced(ours), function(theirs)
            assert out.data == expected.data
            out.backward()
            expected.backward()
            np.testing.assert_allclose(ours.grad.data, theirs.grad.data, 1e-12)
        assert traced.stats.traces <= traces


def test_more_than_a_thousand_iterations_are_any_number_of_them():
    def decayed(x, rate):
        while x > 1e-3:
            x = x * rate
        return x

    traced = srcgrad.trace(decayed)
    for rate in (0.994, 0.995, 0.5, 0.996):
        assert traced(5.0, rate) == decayed(5.0, rate)
    assert traced.stats.traces == 1


def test_a_limit_that_python_counts_ends_it_too():
    for values in ((2.0, 1e12, 1e30, 3.0), (1e30, 2.0, 1e12)):
        traced = srcgrad.trace(newton_with_limit)
        assert [traced(a) for a in values] == [newton_with_limit(a) for a in values]
        assert (traced.stats.traces, traced.stats.misses) == (1, 0)


def test_a_limit_at_which_something_else_comes_is_a_miss():
    traced = srcgrad.trace(newton_or_error)
    for _ in range(2):
        assert traced(2.0) == newton_or_error(2.0)
        with pytest.raises(RuntimeError, match="no convergence"):
            traced(-1.0)
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
