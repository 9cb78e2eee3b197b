"""Checkpoints in loops: what each iteration keeps, and what is held at the most."""

import numpy as np
import pytest

import srcgrad
from srcgrad.emit import spares
from tests.memory import peak_in_arrays

SIZE = 1 << 14


def layer(x):
    return np.tanh(np.sin(x) * 1.1) * np.cos(x)


def steps(x):
    for _ in range(12):
        x = np.tanh(np.sin(x) * 1.1)
    return x


def in_a_loop(layer, steps):
    def f(x):
        for _ in range(30):
            x = layer(x)
        return np.sum(x)

    return f


def a_loop_in_it(layer, steps):
    def f(x):
        for _ in range(10):
            x = steps(x)
        return np.sum(x)

    return f


def before_a_loop(layer, steps):
    def f(x):
        y = steps(x)
        for _ in range(10):
            y = np.sin(y) + x
        return np.sum(y)

    return f


def with_branches(layer, steps):
    def f(x):
        for _ in range(30):
            x = layer(x)
            if np.sum(x) > 0.0:
                x = x * 0.9
        return np.sum(x)

    return f


def until(layer, steps):
    def f(x):
        count = 0
        while np.mean(x * x) > 1e-3 and count < 40:
            x = layer(x) * 0.8
            count += 1
        return np.sum(x)

    return f


PROGRAMS = pytest.mark.parametrize(
    "program", [in_a_loop, a_loop_in_it, before_a_loop, with_branches, until]
)


@PROGRAMS
def test_generated_code_holds_little_more_than_the_tape(program, monkeypatch):
    monkeypatch.setattr(spares, "SPARE", 1 << 62)  # what is left is not seen here
    f = program(srcgrad.checkpoint(layer), srcgrad.checkpoint(steps))
    gradient = srcgrad.grad(f)
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=SIZE)
        with srcgrad.set_stance("tape"):
            expected, on_tape = (
                gradient(x),
                peak_in_arrays(SIZE, lambda x=x: gradient(x)),
            )
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-12)
    assert gradient.stats.compiled
    compiled = peak_in_arrays(SIZE, lambda: gradient(x))
    assert compiled < 1.2 * on_tape
    plain = srcgrad.grad(program(layer, steps))
    for _ in range(3):
        plain(x)
    assert compiled < 0.85 * peak_in_arrays(SIZE, lambda: plain(x))


@PROGRAMS
def test_second_derivatives(program):
    f = program(srcgrad.checkpoint(layer), srcgrad.checkpoint(steps))
    plain = program(layer, steps)
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=5)
        found = srcgrad.hvp(f, x, np.cos(x))
        np.testing.assert_allclose(found, srcgrad.hvp(plain, x, np.cos(x)), rtol=1e-9)


def test_each_iteration_keeps_what_the_call_was_given():
    f = in_a_loop(srcgrad.checkpoint(layer), None)
    traced = srcgrad.trace(f)
    for _ in range(2):
        traced(srcgrad.Variable(np.ones(3), requires_grad=True))
    code = "".join(line for line in traced.source().splitlines() if "#" not in line)
    assert code.count(".append(") == 1
    assert code.count("np.sin(") == code.count("np.tanh(") == 2
