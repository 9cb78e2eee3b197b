"""What kernels say, run by Python: programs of the corpus, of scientists, generated."""

import re
from dataclasses import replace

import numpy as np
import pytest

import srcgrad
from srcgrad.native import tier
from tests.corpus.programs import PROGRAMS as CORPUS
from tests.corpus.walks import check_variables, walk, walk_by_grad
from tests.scientific.programs import scaled
from tests.test_scientific_programs import PROGRAMS, assert_close, by_grad

GIVEN = [name for name, program in CORPUS.items() if not program.draws]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", CORPUS)
def test_gradients_of_the_corpus(name, machine):
    walk_by_grad(CORPUS[name])


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", GIVEN)
def test_calls_of_the_corpus(name, machine):
    walk(CORPUS[name])


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", CORPUS)
def test_variables_of_the_corpus(name, machine):
    check_variables(CORPUS[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_scientific_programs(name, machine):
    program = PROGRAMS[name]
    function, other = srcgrad.trace(program.make()), program.make()
    for factor in (1.0, 1.0, 1.003, 1.01):
        start = scaled(program.start, factor)
        value, gradient = by_grad(function, program, start)
        with srcgrad.set_stance("tape"):
            expected, slopes = by_grad(other, program, start)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        assert_close(gradient, slopes, rtol=1e-9, atol=1e-12)


# ----- One thing each -----

X = np.linspace(0.1, 0.9, 24)
WIDE = np.linspace(-1.0, 2.0, 300)
PLACES = np.array([3, 0, 3, -1, 23, 7])


def fixed_steps(x):
    total, y = 0.0, x[0]
    for i in range(1, 20):
        y = np.sin(y) * x[i]
        total = total + y * y
    return total


def until_small(x):
    y = x * 1.0
    while np.sum(y * y) > 1e-3:
        y = y * 0.5
    return np.sum(y * x)


def matrices(x):
    A, v = x[:9].reshape(3, 3), x[9:12]
    for _ in range(8):
        v = np.tanh(A @ v) + A[1]
    return v @ v


def choosing(x):
    total = 0.0
    for i in range(24):
        total = total + x[i] ** 2 if x[i] > 0.5 else total - np.sin(x[i])
    return total


def in_nests(x):
    total = 0.0
    for i in range(6):
        for j in range(5):
            total = total + np.cos(x[i] - x[j + 3]) * x[i]
    return total


def sums(x):
    y = x[:, None] * X[None]
    return np.sum(np.sum(y, axis=0) ** 2) + np.sum(np.max(y, axis=1) * x) + np.sum(y)


def filled(x):
    out = np.zeros(24)
    for i in range(1, 24):
        out[i] = out[i - 1] * 0.5 + x[i]
    return np.sum(out * x)


def sums_of_wide_rows(x):
    y = x[:, None] * WIDE
    return np.sum(y * y) + np.sum(np.sum(y, axis=1) ** 2)


def functions_along_rows(x):
    short, long = np.exp(x[:, None] * X[:20]), np.sin(x[:, None] * WIDE)
    total = np.sum(np.sum(short, axis=1) * np.max(long, axis=1)) - np.min(long)
    return (
        total + np.sum((long + 2.0) ** 1.5 * x[:, None]) + np.max(short) + np.sum(short)
    )


def small_truths(x):
    A = x[:9].reshape(3, 3)
    return np.sum(np.where(A > A.T, A, A[0]) ** 2) + np.sum(np.maximum(A, A.T))


def between_solutions(x):
    """A loop, LAPACK, and a loop of what comes of that."""
    A = np.outer(x[:8], x[8:16]) + np.eye(8)
    total = 0.0
    for i in range(8):
        total = total + np.sin(x[i]) * A[i, i]
    y = np.linalg.solve(A, x[16:24])
    for i in range(7):
        total = total + np.exp(y[i]) * y[i + 1]
    return total


DONE = {
    "an elementwise chain": lambda x: np.sum(np.exp(-x) * np.where(x > 0.4, x, 2.0)),
    "a loop of numbers": fixed_steps,
    "a loop that a test ends": until_small,
    "small matrices": matrices,
    "an if in a loop": choosing,
    "loops in loops": in_nests,
    "reductions along axes": sums,
    "an array that is filled": filled,
    "elements by arrays": lambda x: np.sum(x[PLACES] ** 3) + np.sum(np.outer(x, x)),
    "a product": lambda x: np.sum((x.reshape(4, 6) @ x.reshape(6, 4)) ** 2),
    "products of stacks": lambda x: np.sum(
        np.sin(x.reshape(3, 2, 4) @ x.reshape(3, 4, 2)) * np.cos(x[:4].reshape(2, 2))
    ),
    "views": lambda x: np.sum(x[::-1] * x) + np.sum(x.reshape(4, 6).T[1:] ** 2),
    "sums of wide rows, and of all of them": sums_of_wide_rows,
    "functions along rows": functions_along_rows,
    "truths of small matrices": small_truths,
    "columns first": lambda x: np.sum(
        np.sin(np.ravel(np.sin(x.reshape(4, 6) * X[:6]), "F") * np.cos(x)) * X
    ),
    "linear algebra in between": between_solutions,
    "sorted in between": lambda x: np.sum(np.sort(np.exp(x) * X + x) ** 2 * np.cos(x)),
    "a cross product and a norm": lambda x: (
        np.cross(x[:3], x[3:6]) @ np.cos(5.0 * x[6:9]) / np.linalg.norm(x[:9])
    ),
    "cross products of rows": lambda x: np.sum(
        np.cross(x[:6].reshape(2, 3), x[6:9]) * np.cross(x[3:6], x[:6].reshape(2, 3))
    ),
    "joined": lambda x: np.sum(np.concatenate([x, x[2:5] * 2.0]) ** 2),
}


@pytest.mark.parametrize("name", DONE)
def test_what_is_done(name, machine):
    function = DONE[name]
    derived = srcgrad.value_and_grad(srcgrad.trace(function))
    for x in (X, X, X * 1.1, X[::-1].copy()):
        value, slopes = derived(x)
        with srcgrad.set_stance("tape"):
            expected, others = srcgrad.value_and_grad(function)(x)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        np.testing.assert_allclose(slopes, others, rtol=1e-12)
        assert type(value) is np.float64
    assert machine.runs, derived.explain()


LEFT = {
    "float32": (lambda x: np.sum(x.astype(np.float32) * x), "float32 is left to NumPy"),
    "too little": (lambda x: np.sum(np.sort(x) * X), "left to NumPy"),
    "a mask": (lambda x: np.sum(x[x > 0.5]), "left to NumPy"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_to_numpy(name, machine):
    function, why = LEFT[name]
    derived = srcgrad.grad(srcgrad.trace(function))
    for _ in range(2):
        slopes = derived(X)
    with srcgrad.set_stance("tape"):
        np.testing.assert_allclose(slopes, srcgrad.grad(function)(X))
    (told,) = re.findall(r"answered by: NumPy: (.*)", derived.explain())
    assert why in told


def test_zeros_have_the_signs_of_numpys(machine):
    @srcgrad.trace
    def f(x):
        A = x[:4].reshape(2, 2)
        return np.sum(x[:3]), A @ (A + 1.0), x @ (x + 1.0), np.outer(x, x)[0], -x

    for x in (X, X, -0.0 * X):
        for ours, theirs in zip(f(x), f.__wrapped__(x), strict=True):
            np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))
    assert machine.runs


def test_whole_numbers_that_machine_code_does_not_hold_are_pythons(machine):
    def f(x, n):
        k = 1
        for _ in range(n):
            k = k * 3**20 % 1000003
            x = x + k * 1e-7
        return x

    derived = srcgrad.value_and_grad(f)
    for n in (30, 30, 40):
        with srcgrad.set_stance("tape"):
            expected = srcgrad.value_and_grad(f)(0.5, n)
        np.testing.assert_allclose(derived(0.5, n), expected)


def test_an_error_of_lowering_is_no_error_of_the_program(machine, monkeypatch):
    def fails(*args):
        raise KeyError("a fault of ours")

    monkeypatch.setattr(tier, "planned", fails)
    monkeypatch.setattr(tier, "config", replace(tier.config, debug=False))
    derived = srcgrad.grad(lambda x: np.sum(x * x))
    for _ in range(2):
        np.testing.assert_allclose(derived(X), 2.0 * X)
    assert "srcgrad itself failed: KeyError" in derived.explain()
