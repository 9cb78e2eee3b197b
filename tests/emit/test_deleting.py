"""``del`` of large arrays: where it lowers what is held, and nowhere else."""

import numpy as np
import pytest

import srcgrad
from srcgrad.emit import deleting
from tests.memory import peak_in_arrays

SIZE = 1 << 15  # numbers, in each of the large arrays


def chain(x):
    for _ in range(3):
        y = np.sin(x) * x
        z = np.cos(y) * y
        x = np.exp(-z) * z
    return np.sum(x)


def views(x):
    y = np.sin(x).reshape(2, -1)
    a, b = y[0], y.T
    z = np.exp(a) * a
    w = np.cos(b) * b
    v = np.tanh(w[:, 1]) * z
    return np.sum(np.sqrt(v * v + 1.0) * z)


def arms(x):
    y = np.sin(x) * x
    h = np.cos(y) * y
    if h[0] > 0.0:
        z = np.exp(h) * h
        y = np.sin(z) * z
    w = np.cos(y) * y * h
    return np.sum(np.tanh(w) * w)


def loops(x):
    for k in range(30):
        y = np.sin(x) * x
        z = np.exp(-y) * y
        x = np.cos(z) * z if k % 3 == 0 else np.tanh(z) + x
    return np.sum(x)


def written(x):
    y = np.zeros(len(x))
    for k in range(8):
        y[k::8] = np.sin(x[k::8])
    h = y * x
    y += np.cos(h) * h
    y[3] = 0.0
    return np.sum(y * np.exp(-y))


EACH = pytest.mark.parametrize("f", [chain, views, arms, loops, written])


def of_all(f, x):
    """Values, first and second derivatives."""
    direction = np.cos(x)
    traced, arg = srcgrad.trace(f), srcgrad.Variable(x, requires_grad=True)
    traced(arg).backward()
    return (
        *srcgrad.value_and_grad(f)(x),
        *srcgrad.jvp(f, (x,), (direction,)),
        srcgrad.hvp(f, x, direction),
        arg.grad.data,
    )


@EACH
def test_nothing_changes_if_all_is_let_go_of(f, monkeypatch):
    """As if each array was large."""
    monkeypatch.setattr(deleting, "CONCERN", 1)
    monkeypatch.setattr(deleting, "SLACK", 1 << 60)
    for seed in range(4):
        x = np.random.default_rng(seed).normal(size=16)
        with srcgrad.set_stance("tape"):
            expected = of_all(f, x)
        for ours, theirs in zip(of_all(f, x), expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    assert "\n    del " in srcgrad.source(f) or "\n        del " in srcgrad.source(f)


def test_a_gradient_holds_little_more_than_on_the_tape():
    def f(x):
        for _ in range(3):
            y = np.sin(x) * x
            z = np.cos(y) * y
            x = np.exp(-z) * z
        return np.sum(x)

    gradient, x = srcgrad.grad(f), np.linspace(0.0, 1.0, SIZE)
    with srcgrad.set_stance("tape"):
        on_tape = peak_in_arrays(SIZE, lambda: gradient(x))
    for _ in range(3):
        gradient(x)
    assert gradient.stats.compiled == 1
    assert peak_in_arrays(SIZE, lambda: gradient(x)) < on_tape + 3


def test_of_small_arrays_nothing_is_said():
    for _ in range(2):
        srcgrad.grad(chain)(np.ones(100))
    assert "del " not in srcgrad.grad(chain).source()
