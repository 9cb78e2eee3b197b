"""Loops in loops, of counts that are known: generated, and as people write them."""

import re

import numpy as np
import pytest

import srcgrad
from tests import one_liners
from tests.transforms.test_transforms_programs import programs

N = 60


PROGRAMS = {p.name: p for p in programs() if p.module == "known_counts"}


@pytest.mark.parametrize(
    "name", sorted(PROGRAMS.keys() - {"ragged", "cholesky by columns"})
)
def test_the_source_is_no_longer_for_more_iterations(name):
    function, lengths = PROGRAMS[name].namespace()["f"], []
    for n in (20, 26):
        traced = srcgrad.grad(srcgrad.trace(function))
        for _ in range(2):
            traced(np.linspace(0.5, 1.0, N), n)
        lengths.append(len(traced.source().splitlines()))
    assert lengths[1] <= lengths[0] < 400, traced.source()


def test_a_last_iteration_that_goes_another_way_stands_behind_the_loop():
    """The last column of a triangle has no rows below it."""
    function = PROGRAMS["cholesky by columns"].namespace()["f"]
    traced = srcgrad.grad(srcgrad.trace(function))
    for x in (np.linspace(0.5, 1.0, N), np.linspace(1.0, 0.3, N)):
        np.testing.assert_allclose(traced(x, 20), srcgrad.grad(function)(x, 20))
    # Its own loop is of numbers, and short: it is written down by iterations.
    assert len(traced.source().splitlines()) < 400, traced.source()
    assert "    for j in range(1, 19):" in traced.source()


def test_inner_loops_run_over_integers():
    traced = srcgrad.grad(PROGRAMS["pairs"].namespace()["f"])
    for _ in range(2):
        traced(np.linspace(0.5, 1.0, N), 40)
    headers = re.findall(r"^ +for j\w* in (range.*):", traced.source(), re.MULTILINE)
    assert headers == ["range(1, int(sub) + 1)", "range(39 - i)"], traced.source()


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
    return one_liners.function("program(x, n)", lines)


@pytest.mark.usefixtures("short_loops_too")
@pytest.mark.seeds(2)
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
