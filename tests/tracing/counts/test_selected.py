"""What a mask selects is one trace for any count, where Python does not see that."""

import numpy as np

import srcgrad
from srcgrad.steps import Value
from srcgrad.tracing.counts.selected import Selected
from srcgrad.transforms.loops.equal_axes import Axes


def squares(x):
    return np.sum(x[x > 0] ** 2)


def selecting(count, rng):
    """What a mask selects so many of."""
    x = -np.abs(rng.normal(size=7)) - 0.01
    x[rng.permutation(7)[:count]] *= -1
    return x


def test_explain_says_what_is_left_of_the_guard():
    gradient = srcgrad.grad(squares)
    for _ in range(3):
        gradient(selecting(3, np.random.default_rng(0)))
    assert "count of" in str(gradient.explain())
    assert "len(part) < 2" in gradient.source()


def test_what_has_been_taken_back_is_let_go():
    selected, value = Selected(), Value((3,), np.dtype(float))
    selected.add(value)
    selected.close(Axes(), {}, (), ())
    assert not selected
