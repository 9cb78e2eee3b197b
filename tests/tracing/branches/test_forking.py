"""Both arms of an `if` are recorded, and nothing is done twice."""

from typing import Any

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten
from tests import branch_programs

X = np.array([0.5, -1.5, 2.0, -0.2, 3.0, -4.0, 0.1, 1.0, -2.5, 0.3, 1.2, -0.7])
calls = []


def huber(x, d):
    total = 0.0
    for i in range(12):
        a = abs(x[i])
        if a <= d:  # noqa: SIM108
            total = total + 0.5 * a * a
        else:
            total = total + d * (a - 0.5 * d)
    return total


def clipped(u, low, high):
    if u > high:
        u = high * 1.0
    elif not u >= low:
        u = low * 1.0
    return u * u


def tells(x):
    calls.append(1)
    return x * 2.0


def calls_in_an_arm(x):
    y = x * 3.0
    if x > 0.0:  # noqa: SIM108
        y = tells(x)
    else:
        y = np.exp(y)
    return y * y


def takes_from_an_iterator(x, rows):
    row = iter(rows)
    y = x * 1.0
    if x > 0.0:  # noqa: SIM108
        y = x * sum(row)
    else:
        y = x * 5.0
    return y + sum(row)


def would_fail(x):
    if x > 0.0:  # noqa: SIM108
        y = x / 2.0
    else:
        y = x / 0
    return y


def rejects_steps(x):
    """The length of a step is a Python float that depends on the tests."""
    y, h = x[0] * 1.0, 0.1
    for i in range(12):
        new = y - h * (y * y - x[i])
        if abs(new - y) < 0.1:
            y = new
            h = h * 1.2
        else:
            h = h * 0.5
    return y


def halved(x):
    """The other arm at its end would go on for ever."""
    if x < 1.0:
        return x * x
    return 2.0 * halved(x / 2.0)


def reads_what_it_bound_before(x):
    """Of a name that is bound in an arm, and read there before, the arm is no scope."""
    s = x[0] * 1.0
    for i in range(6):
        if x[i] > 0.0:
            if i > 2:
                s = s + kept  # noqa: F821
            kept = x[i] * s  # noqa: F841
    return s


@pytest.mark.parametrize(
    ("function", "points", "traces"),
    [
        (rejects_steps, [(X,), (-X,), (0.1 * X,), (X[::-1],)], 1),
        (halved, [(0.3,), (1.5,), (5.0,), (0.2,), (1.1,)], 3),
        (reads_what_it_bound_before, [(np.ones(6),), (2.0 * np.ones(6),)], 1),
        (huber, [(X, 1.0), (-X, 0.4), (X * 5, 0.1), (X / 9, 3.0)], 1),
        (clipped, [(0.3, -1.0, 1.0), (3.0, -1.0, 1.0), (-2.0, -1.0, 1.0)], 1),
        (calls_in_an_arm, [(0.3,), (-0.2,), (0.3,), (-0.2,)], 2),
        (takes_from_an_iterator, [(0.3, (1.0, 2.0)), (-1.0, (1.0, 2.0))] * 2, 2),
        (would_fail, [(0.3,), (0.4,)], 1),
    ],
)
def test_values_and_gradients_are_the_tapes(function, points, traces):
    traced = srcgrad.trace(function)
    ours = srcgrad.value_and_grad(traced)
    for point in points:
        args = [np.float64(a) if type(a) is float else a for a in point]
        before = len(calls)
        value, gradient = ours(*args)
        count = len(calls) - before
        x = srcgrad.Variable(args[0], requires_grad=True)
        out = function(x, *args[1:])
        expected = np.zeros(x.shape)
        if isinstance(out, srcgrad.Variable):
            out.backward()
            out, expected = out.data, x.grad.data
        assert np.allclose(value, out)
        assert np.allclose(gradient, expected)
        assert count == len(calls) - before - count
    assert traced.stats.traces <= traces


# By `x` there is a gradient through one arm alone.
ONE_SIDED = (
    lambda x, y: x if y > 0.5 else y,
    lambda x, y: x * x if y > 0.5 else 1.0,
    lambda x, y: y * y if y < 0.5 else x * x if y < 1.5 else x**3,
)
AROUND = {
    "traced": lambda f: srcgrad.trace(srcgrad.grad(f)),
    "inside": lambda f: srcgrad.trace(lambda x, y: np.sin(x) * srcgrad.grad(f)(x, y)),
    "nested": lambda f: srcgrad.grad(lambda x, y: np.sin(x) * srcgrad.grad(f)(x, y)),
    "vjp": lambda f: lambda x, y: srcgrad.vjp(f, x, y)[1](1.0)[0],
    "jvp": lambda f: srcgrad.trace(
        lambda x, y: x * srcgrad.jvp(f, (x, y), (1.0, 0.0))[1]
    ),
}


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize("function", ONE_SIDED)
@pytest.mark.parametrize("around", AROUND)
def test_a_transform_inside_walks_back_from_the_arm_that_runs(around, function, kind):
    """Recorded where its result has no gradient, it is right where there is one."""
    ours, theirs = (AROUND[around](function) for _ in range(2))
    for point in [(2.0, 0.1), (1.3, 0.2), (3.7, 2.0), (1.5, 0.3), (2.5, 1.1)]:
        x, y = map(kind, point)
        with srcgrad.set_stance("tape"):
            expected = theirs(x, y)
        found = ours(x, y)
        assert type(found) is type(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_loop_has_its_if():
    ours = srcgrad.value_and_grad(srcgrad.trace(huber))
    ours(X, 1.0)
    source = srcgrad.source(ours)
    # On Python's floats, and on NumPy's scalars.
    for part in source.split("def forward(x, d):"):
        assert part.count("    for ") == 1
        assert part.count("        if a <= d") == 1
        assert part.count("        else:") == 1


@pytest.mark.parametrize("program", branch_programs.ONE_TRACE)
@pytest.mark.parametrize(("is_transform", "kind"), [(False, np.float64), (True, float)])
def test_a_program_has_one_trace_whatever_arms_run(program, is_transform, kind):
    """Values and gradients are those of the untraced program, of the same kinds."""
    rng = np.random.default_rng(0)
    draw = branch_programs.ONE_TRACE[program]
    traced, function = srcgrad.trace(program), program
    ours: Any = traced
    if is_transform:
        numbers = tuple(range(len(draw(rng))))
        ours, function = (
            srcgrad.value_and_grad(f, argnums=numbers) for f in (traced, program)
        )
    for _ in range(12):
        args = [kind(a) if type(a) is float else a for a in draw(rng)]
        given = [np.copy(a) if np.ndim(a) else a for a in args]
        found = flatten(ours(*args))[0]
        with srcgrad.set_stance("tape"):
            expected = flatten(function(*args))[0]
        assert [type(a) for a in found] == [type(a) for a in expected]
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
        np.testing.assert_equal(args, given)
    assert (traced.stats.traces, traced.stats.tape) == (1, 1)


def test_with_one_arm_of_each_if_loops_are_loops():
    def f(x, c):
        for _ in range(50):
            if abs(x * x - c) < 1e-12:
                break
            x = 0.5 * (x + c / x) if x > 1e-3 else np.sqrt(c) + 1e-6
        return x

    traced = srcgrad.trace(f)
    ours = srcgrad.value_and_grad(traced)
    for c in (2.0, 1e3, 3.0, 1e6, 5e2):
        value, _ = ours(np.float64(1.0), np.float64(c))
        assert value == f(np.float64(1.0), np.float64(c))
    assert traced.stats.traces == 1


def test_of_a_slope_that_is_flat_in_one_arm_the_slope_is_that_of_the_arm():
    def root_or_line(x, y):
        return 2.0 * x / y if x > y else np.sqrt(x)

    def of_slope(x, y):
        return np.sin(srcgrad.grad(root_or_line)(x, y))

    slope = srcgrad.grad(of_slope)
    for x, y in [(1.0, 0.5), (1.0, 3.0), (0.5, 0.1), (0.5, 1.0), (0.5, 0.1)]:
        with srcgrad.set_stance("tape"):
            expected = slope(x, y)
        assert slope(x, y) == pytest.approx(expected)


def test_which_number_an_arm_has_left_is_told_as_untraced():
    def picked(x, y):
        a, b = x[0], y[0]
        larger = a if a > b else b
        return larger * 2.0, larger is a, larger is b

    traced = srcgrad.trace(picked)
    for given in [(2.0, 1.0), (2.0, 1.0), (1.0, 2.0), (1.0, 2.0)]:
        x, y = (srcgrad.Variable(np.array([v]), requires_grad=True) for v in given)
        assert traced(x, y)[1:] == picked(x, y)[1:]
    assert "which number it is that an `if` has left" in traced.explain()


def test_an_element_that_is_one_arms_result_is_not_the_element():
    @srcgrad.trace
    def chosen(x, n):
        return (x[0] if x[2] > n else x[1]), (x[0] if x[3] > n else x[1])

    rng = np.random.default_rng(0)
    for _ in range(20):
        x, n = rng.normal(size=4), rng.normal()
        first, second = ((x[0] if item > n else x[1]) for item in x[2:])
        assert chosen(x, n) == (first, second)
