"""Loops whose counts are known, others in each iteration of the loop around."""

import itertools
import linecache
import re

import numpy as np
import pytest

import srcgrad
from tests.differences import slope_of

NUMBERS = itertools.count()
N = 60


# ----- As users write them -----


def pairs(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            s = s + np.exp(-((x[i] - x[j]) ** 2))
    return s


def binomial_tree(x, n):
    u, r = 1.02 + 0.01 * x[1], 0.0005
    p = (np.exp(r) - 1.0 / u) / (u - 1.0 / u)
    v = np.maximum((100.0 + x[0]) * u ** np.arange(n, -n - 1.0, -2.0) - 100.0, 0.0)
    for k in range(n):
        for j in range(n - k):
            v[j] = np.exp(-r) * (p * v[j] + (1.0 - p) * v[j + 1])
    return v[0]


def substitution(x, n):
    U, b, z = np.outer(x[:n], x[:n]) + 3.0 * np.eye(n), np.cos(x[:n]), np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s = s - U[i, j] * z[j]
        z[i] = s / U[i, i]
    return np.sum(z * z)


def cholesky(x, n):
    A, L = np.outer(x[:n], x[:n]) + 3.0 * np.eye(n), np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s = s - L[i, k] * L[j, k]
            if i == j:
                L[i, j] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return np.sum(L**3)


def cholesky_by_columns(x, n):
    A, L = np.outer(x[:n], x[:n]) + 3.0 * np.eye(n), np.zeros((n, n))
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s = s - L[j, k] ** 2
        L[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s = s - L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    return np.sum(L**3)


def ragged(x, n):
    s, at = x[0], 0
    for length in [3, 1, 4, 1, 5, 9, 2, 6][: n // 2]:
        t = 0.0
        for _ in range(length):
            t = t + x[at] ** 2
            at += 1
        s = s + np.sqrt(t) * s
    return s


def forces(x, n):
    f = np.zeros(n)
    for i in range(n):
        for j in range(i):
            d = x[i] - x[j]
            force = d / (d * d + 0.1)
            f[i] += force
            f[j] -= force
    return np.sum(f * f)


def edit_distance(x, n):
    """Where the indices are the same, iterations do the same as elsewhere."""
    y, D = np.sin(3.0 * x), np.zeros((n + 1, n + 1))
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            a = D[i - 1, j] + 0.3
            b = D[i, j - 1] + 0.2
            c = D[i - 1, j - 1] + abs(x[i - 1] - y[j - 1])
            if a < b and a < c:
                D[i, j] = a + x[0] * D[i, j - 1]
            elif b < c:
                D[i, j] = b
            else:
                D[i, j] = c * x[i]
    return D[n, n]


PROGRAMS = [pairs, binomial_tree, substitution, cholesky, cholesky_by_columns]
PROGRAMS += [forces, edit_distance, ragged]


@pytest.mark.parametrize("function", PROGRAMS)
def test_a_traced_function_is_the_untraced_one(function):
    rng = np.random.default_rng(0)
    traced = srcgrad.value_and_grad(srcgrad.trace(function))
    for n in (12, 12, 9, 12, 4, 3, 2, 1, 0, 13):
        x = rng.uniform(0.5, 1.0, N)
        try:
            value = function(x, n)
        except ZeroDivisionError:
            continue
        found, gradient = traced(x, n)
        np.testing.assert_allclose(found, value, 1e-12)
        expected = slope_of(lambda x, n=n: function(x, n), x)
        np.testing.assert_allclose(gradient, expected, 1e-4, 1e-6)


@pytest.mark.parametrize("function", PROGRAMS[:-1])
def test_the_source_is_no_longer_for_more_iterations(function):
    lengths = []
    for n in (20, 40):
        traced = srcgrad.grad(srcgrad.trace(function))
        for _ in range(2):
            traced(np.linspace(0.5, 1.0, N), n)
        lengths.append(len(traced.source().splitlines()))
    assert lengths[1] <= lengths[0] < 400, traced.source()


def test_inner_loops_run_over_integers():
    traced = srcgrad.grad(srcgrad.trace(pairs))
    for _ in range(2):
        traced(np.linspace(0.5, 1.0, N), 40)
    headers = re.findall(r"for j in (range.*):", traced.source())
    assert headers == ["range(39)", "range(39 - i_1)"]


# ----- Of any kind -----

OUTER = ("range({n})", "range({n} - 1, -1, -1)", "range(1, {n})")
INNER = ("range({i})", "range({i} + 1, {n})", "range({n} - {i})", "range({i}, -1, -1)")
LINES = (
    "s = s + x[{i}] * x[{j}]",
    "s = s * 0.9 + np.sin(h[{j}])",
    "h[{j}] = h[{i}] * 0.5 + s * 0.1",
    "h[{i}] = h[{i}] + x[{j}] * 0.1",
    "T[{i}, {j}] = s * 0.3 + T[{j}, {i}]",
    "t = T[{i}, {j}] + x[0]",
    "s = s + t * 0.1",
    "s = s / ({j} + 2.0) + {i}",
    "a, b = b, np.tanh(a + s)",
    "if x[{j}] > 0.2: s = s - x[{i}]",
    "if {i} == {j}: s = s * 0.5",
    "s = s + a * c",
    "c = np.cos(h[{j}]) * c",
    "w = w * 0.8 + x[{j} : {j} + 3]",
)


def program(random):
    """The lines of a function of ``x`` and ``n``."""
    lines = [
        "s, t, a, b, c = 0.0, x[1], x[2], x[3], 1.0",
        "h, T = x * 0.5, np.zeros((20, 20))",
    ]
    lines.append("w = x[:3] * 1.0")
    for _ in range(random.integers(1, 3)):
        names, depth = "ijk", random.integers(2, 4)
        for level in range(depth):
            header = OUTER if not level else INNER
            around = names[max(level - 1, 0)]
            text = random.choice(header).format(n="n", i=around)
            indent = "    " * level
            if level and random.random() < 0.4:
                lines.append(indent + line(random, names[:level]))
            lines.append(f"{indent}for {names[level]} in {text}:")
        for _ in range(random.integers(1, 4)):
            lines.append("    " * depth + line(random, names[:depth]))
        for level in range(depth - 1, 0, -1):
            if random.random() < 0.4:
                lines.append("    " * level + line(random, names[:level]))
    return [*lines, "return s + np.sum(h) + np.sum(T * T) + a * b + np.sum(w) * c + t"]


def line(random, names):
    i, j = random.choice([*names], 2)
    return str(random.choice(LINES)).format(i=i, j=j)


def load(lines):
    text = "import numpy as np\n\ndef program(x, n):\n"
    text += "".join(f"    {line}\n" for line in lines)
    filename = f"<generated triangles {next(NUMBERS)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    namespace = {}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"]


@pytest.mark.usefixtures("short_loops_too")
@pytest.mark.seeds(20)
def test_random_triangles(seed):
    random = np.random.default_rng(seed)
    lines = program(random)
    function = load(lines)
    traced = srcgrad.value_and_grad(srcgrad.trace(load(lines)))
    plain = srcgrad.value_and_grad(function).untraced
    for n in (6, 6, 7, 6, 5, 3, 9, 2, 1, 0):
        x = random.uniform(-1.0, 1.0, 20)
        value, gradient = plain((x, n), {})
        found, slope = traced(x.copy(), n)
        text = "\n".join([*lines, str(n)])
        np.testing.assert_allclose(found, value, 1e-10, 1e-12, err_msg=text)
        np.testing.assert_allclose(slope, gradient, 1e-8, 1e-10, err_msg=text)
