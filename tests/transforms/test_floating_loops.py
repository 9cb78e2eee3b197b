"""Loops on Python's floats."""

import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing import loops
from tests.loop_programs import PROGRAMS


def lotka_volterra(p, start):
    x, y = start[0], start[1]
    for _ in range(40):
        dx, dy = p[0] * x - p[1] * x * y, p[2] * x * y - p[3] * y
        x, y = x + 0.01 * dx, y + 0.01 * dy
    return x * x + y


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@pytest.fixture(autouse=True)
def _always_rolled(monkeypatch):
    monkeypatch.setattr(loops, "MOST_NUMBERS", 0)


def both(function, args, settings):
    traced = srcgrad.trace(function)
    numbers = tuple(range(len(args[0])))
    ours = srcgrad.value_and_grad(traced, numbers)
    theirs = srcgrad.value_and_grad(function, numbers)
    ours(*args[0])
    assert "def forward_on_floats" in traced.source()
    assert "\n    for " in traced.source()
    for each in args:
        with np.errstate(**settings):
            yield ours(*each), theirs(*each)


P, START = np.array([1.1, 0.4, 0.1, 0.4]), np.array([10.0, 5.0])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (
            lotka_volterra,
            [(P, START), (-P, START), (P * 1e200, START), (P, START * np.inf)],
        ),
        (
            rosenbrock,
            [
                (np.linspace(0.5, 3.0, 20),),
                (np.full(20, 1e200),),
                (np.full(20, np.nan),),
            ],
        ),
    ],
)
def test_floats_in_loops_are_numpys_scalars(function, args):
    for (value, found), (expected, right) in both(function, args, {"all": "ignore"}):
        assert type(value) is type(expected)
        np.testing.assert_allclose(value, expected, 1e-12)
        for a, b in zip(found, right, strict=True):
            np.testing.assert_allclose(a, b, 1e-9)


def test_an_overflow_inside_is_numpys():
    traced = srcgrad.value_and_grad(srcgrad.trace(lotka_volterra), (0, 1))
    traced(P, START)
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        traced(P * 1e200, START)
    assert any("overflow" in str(warning.message) for warning in met)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        traced(P * 1e200, START)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_full_of_loops(name):
    function, makers = PROGRAMS[name]
    numbers = tuple(range(len(makers)))
    ours = srcgrad.value_and_grad(srcgrad.trace(function), numbers)
    theirs = srcgrad.value_and_grad(function, numbers)
    for seed in (1, 2, 1):
        random = np.random.default_rng(seed)
        args = [make(random) for make in makers]
        (value, found), (expected, right) = ours(*args), theirs(*args)
        np.testing.assert_allclose(value, expected, 1e-9)
        for a, b in zip(found, right, strict=True):
            np.testing.assert_allclose(a, b, 1e-9, 1e-9)
