"""Programs on Python's floats."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.serving import trace as tracing
from tests.programs import PROGRAMS


def halves_of(function, *args, monkeypatch):
    """What becomes of a program: its halves before and after."""
    found = []

    def scalarized(partition):
        found.append((partition, original(partition)))
        return found[-1][1]

    original = tracing.scalarized
    monkeypatch.setattr(tracing, "scalarized", scalarized)
    srcgrad.trace(function)(*args)
    monkeypatch.setattr(tracing, "scalarized", original)
    return found[-1]


def overlapping(v):
    return v[:2], v[1:]


def variable(value):
    return Variable(np.array(value) if np.ndim(value) else value, requires_grad=True)


X = [0.5, 1.5, -0.5]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum((x[1:] - x[:-1]) ** 2),  # written with arrays
        lambda x: x[0] * 2.0,  # too little to gain
        lambda x: x[0] * np.sinh(x[1]) * np.exp(x[2]) * np.sin(x[0]) / x[1] * x[2],
        lambda x: (x[:2], x[0] * np.exp(x[1]) * np.sin(x[2]) * np.cos(x[0])),
        lambda x: overlapping(np.stack([np.exp(x[0]), np.sin(x[1]), np.cos(x[2])])),
    ],
)
def test_what_gains_nothing_or_shows_memory_stays(function, monkeypatch):
    before, after = halves_of(function, variable(X), monkeypatch=monkeypatch)
    assert after is before


def gains(x):
    r = np.exp(x[0]) * np.sin(x[1]) / x[2]
    return np.sqrt(r * r + np.cos(x[0])) * np.log(x[1]) - x[2] * r


def test_saved_is_the_same_on_both_ways(monkeypatch):
    before, after = halves_of(gains, variable(X), monkeypatch=monkeypatch)
    after.lint()
    assert after.unboxed.saved != after.saved
    kinds = [[value.kind for value in h.saved] for h in (before, after, after.unboxed)]
    assert set(kinds[0]) == {"scalar"}
    assert kinds[1] == kinds[2]
    assert set(kinds[1]) == {"float"}


def spread(x, order):
    h = x[0] * np.exp(x[1]) * np.sin(x[2]) * np.cos(x[0]) / (1.0 + x[1] * x[2])
    return np.array([h, h * x[0], np.sin(h) * x[1] + x[2], h - x[0] * x[1]])[order]


@pytest.mark.parametrize("order", [slice(None, None, -1), slice(None, None, 2)])
def test_views_lie_in_memory_as_they_do_without_floats(order):
    traced, x = srcgrad.trace(spread), np.array(X)
    for _ in range(3):
        assert traced(x, order).strides == spread(x, order).strides


def test_kinds_are_as_without_floats():
    traced = srcgrad.trace(gains)
    for _ in range(2):
        x = variable(X)
        y = traced(x)
        y.backward()
        assert type(y.data) is np.float64
        assert type(x.grad.data) is np.ndarray
        assert x.grad.shape == (3,)
    value, gradient = srcgrad.value_and_grad(traced)(np.array(X))
    assert type(value) is np.float64
    assert type(gradient) is np.ndarray


def second(function, x):
    y = function(x)
    (dx,) = srcgrad.autograd.grad([y], [x], create_graph=True)
    (ddx,) = srcgrad.autograd.grad([(dx * dx).sum()], [x])
    return dx.data, ddx.data


@pytest.mark.parametrize("name", ["rosenbrock_by_elements", "reprojection"])
def test_what_is_saved_serves_second_derivatives(name):
    program = PROGRAMS[name].function
    rest = [np.array([0.3, -0.2, 3.0]), np.array([0.1, 0.2, 2.5]), 1.5, np.ones(2)]
    rest = rest if name == "reprojection" else []
    size = 3 if rest else 5

    def of_first(x):
        return program(x, *rest)

    def of_first_traced(x):
        return traced(x, *rest)

    traced = srcgrad.trace(program)
    start = np.linspace(-0.5, 0.7, size)
    traced(variable(start), *rest)
    for ours, theirs in zip(
        second(of_first_traced, variable(start)),
        second(lambda x: srcgrad.trace(of_first)(x), variable(start)),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, 1e-12)


def test_an_argument_that_changes_before_the_way_back_is_an_error():
    traced = srcgrad.trace(lambda a, b: np.exp(a) * np.sin(b) / b * np.cos(a * b) + a)
    for _ in range(2):
        a, b = (Variable(np.array(v), requires_grad=True) for v in (0.5, 1.5))
        y = traced(a, b)
        with srcgrad.no_grad():
            a += 1.0
        with pytest.raises(RuntimeError, match=r"in place|changed"):
            y.backward()


def test_parts_of_the_way_back_read_what_is_saved():
    @srcgrad.trace
    def two(x):
        r = np.exp(x[0]) * np.sin(x[1]) / x[2]
        return r * np.sqrt(x[1]), np.cos(r) * x[0] - x[2] * r

    for _ in range(2):
        x = variable(X)
        for result in two(x):
            result.backward(retain_graph=True)
        y = variable(X)
        srcgrad.autograd.backward(list(two.__wrapped__(y)), [1.0, 1.0])
        np.testing.assert_allclose(x.grad.data, y.grad.data, 1e-12)


def test_a_branch_is_taken_by_the_same_numbers():
    @srcgrad.trace
    def huber(r, delta):
        size = abs(r)
        if size <= delta:
            return 0.5 * r * r
        return delta * (size - 0.5 * delta) / (1.0 + size * delta) - size

    for r in (0.5, 3.0, -0.5, 0.25, -4.0, np.nan, np.inf):
        found, gradient = srcgrad.value_and_grad(huber)(r, 1.0)
        with np.errstate(all="ignore"):
            expected, wanted = srcgrad.value_and_grad(huber.__wrapped__)(r, 1.0)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(gradient, wanted)
