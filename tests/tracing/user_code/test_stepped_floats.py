"""Floats of Python's that a loop changes: one trace for any number of steps."""

import gast
import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.user_code.stepped_floats import stepped_in


def halved(x, end):
    step, slope = 1.0, 4.0 * (x - 1.0) ** 3
    while np.sum((x - step * slope) ** 4) > np.sum(x**4) - step * end:
        step *= 0.5
    return np.sum(x - step * slope) + step


def until_the_end(x, end):
    t, dt, y = 0.0, 0.05, x[0]
    while t < end:
        y = y - dt * y * np.sin(t)
        t += dt
    return y * t


def in_a_for(x, end):
    weight, y = 1.0, x * 1.0
    for _ in range(60):
        y = y - 0.1 * weight * y
        weight = weight / 1.1
        if np.sum(y * y) < 0.2 * end:
            break
    return np.sum(y) * weight


def read_by_python(x, end):
    t, y = 0.25, x[0]
    while t < end:
        t += 0.25
        y = y * 0.9 + round(t, 1)
    return y * t + (1.0 if isinstance(t, float) else 0.0)


@pytest.mark.parametrize("function", [halved, until_the_end, in_a_for])
def test_one_trace_is_for_any_number_of_steps(function):
    gradient = srcgrad.value_and_grad(function, argnums=(0, 1))
    rng = np.random.default_rng(0)
    for _ in range(12):
        args = rng.normal(size=3) * 2.0, rng.uniform(1.0, 2.0)
        value, slopes = gradient(*args)
        assert value == pytest.approx(function(*args), rel=1e-12)
        with srcgrad.set_stance("tape"):
            expected = gradient(*args)[1]
        for ours, theirs in zip(slopes, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, 1e-9, 1e-12)
    assert gradient.stats.traces == 1


def test_python_sees_the_float_that_it_was():
    traced = srcgrad.trace(read_by_python)
    rng = np.random.default_rng(1)
    for _ in range(12):
        args = rng.normal(size=3), rng.uniform(0.5, 2.0)
        ours, theirs = traced(*args), read_by_python(*args)
        assert type(ours) is type(theirs)
        assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("t += 0.1", ("t",)),
        ("t = t * c", ("t",)),
        ("if x > 1: t /= 2.0", ("t",)),
        ("t //= 2.0", ()),
        ("t = c - t", ()),
        ("t += 0.1\n    t = 0.0", ()),
        ("for t in c: t += 1.0", ()),
        ("u += 0.1", ()),
        ("t, u = t + 1.0, u", ()),
    ],
)
def test_which_names_are_stepped(body, names):
    text = f"def f(x, c):\n  t = 0.0\n  while x > t:\n    {body}\n    x = x * 0.5"
    loop = gast.parse(text).body[0].body[1]
    found = stepped_in(loop, {"t"})
    assert (() if found is None else found.names) == names


def test_a_loop_without_a_test_steps_nothing():
    loop = gast.parse("for k in x: t += 0.1").body[0]
    assert stepped_in(loop, {"t"}) is None
