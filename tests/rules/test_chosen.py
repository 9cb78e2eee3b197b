"""What a choice left out has no gradient, however infinite its slope is.

In a first and in a second derivative, a tangent, a batch; on the tape and compiled.
"""

import math
import operator

import numpy as np
import pytest

import srcgrad
from srcgrad.rules.chosen import Chosen, goes_by_elements
from srcgrad.tape.variable import Variable

NAN, INF = np.nan, np.inf
X = np.array([-2.0, -1.0, -0.5, 0.0, 0.3, 1.0, 2.0, 5.0])
COLUMN = np.array([[True], [False]])

# Functions without a slope, or with an infinite one, at some of these points.
STEEP = [
    np.sqrt,
    np.log,
    np.cbrt,
    np.arcsin,
    np.arctanh,
    np.arccosh,
    np.log1p,
    np.reciprocal,
    lambda x: 1.0 / x,
    lambda x: x**0.5,
    lambda x: x**0.3,
    lambda x: x**-1.5,
    lambda x: np.power(x, 0.7),
    lambda x: np.sin(x) / x,
    lambda x: np.log(np.sqrt(x)),
    lambda x: np.exp(400.0 * x) - x,
    lambda x: np.sqrt(x) * np.log(x) + 1.0,
    lambda x: (lambda s: s * s + np.log(s))(np.sqrt(x)),
    lambda x: np.sqrt(np.sqrt(x) + np.log1p(x)),
    lambda x: np.arctan2(x, np.abs(x) - x),
]
FLAT = [np.sin, np.tanh, lambda x: 0.0 * x, lambda x: x * x, lambda x: x]
OUTER = [lambda y: y, np.sin, lambda y: 3.0 * y, np.arctan, lambda y: y * y + y]


def derivatives(function, x):
    """Of each element by itself: the first and the second."""
    first = srcgrad.elementwise_grad(function)
    with srcgrad.set_stance("tape"):
        return np.array(
            [[first(v), srcgrad.elementwise_grad(first)(v)] for v in x[:, None]]
        )[..., 0].T


def assert_same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def check(program, x, first, second):
    """Its derivatives, in each way to have them."""
    slope = srcgrad.elementwise_grad(program)
    curvature = srcgrad.elementwise_grad(slope)
    with srcgrad.set_stance("tape"):
        assert_same(slope(x), first)
        assert_same(curvature(x), second)
    for _ in range(3):
        assert_same(slope(x), first)
        assert_same(curvature(x), second)
        assert_same(srcgrad.jvp(program, (x,), (np.cos(x),))[1], first * np.cos(x))
    batched = srcgrad.vmap(srcgrad.grad(lambda x: np.sum(program(x))))
    for _ in range(2):
        assert_same(batched(np.stack([x, x])), [first, first])
    traced = srcgrad.trace(program)
    for _ in range(3):
        variable = Variable(x, requires_grad=True)
        traced(variable).sum().backward()
        assert_same(variable.grad.data, first)


@pytest.mark.seeds(6)
def test_each_element_has_the_gradient_of_what_was_chosen_for_it(seed):
    rng = np.random.default_rng(seed)
    steep = [STEEP[seed % len(STEEP)], STEEP[rng.integers(len(STEEP))]]
    flat, outer = FLAT[rng.integers(len(FLAT))], OUTER[rng.integers(len(OUTER))]
    arms = [*steep, flat]
    with np.errstate(all="ignore"):
        each = [derivatives(lambda x, arm=arm: outer(arm(x)), X) for arm in arms]
        fits = [np.all(np.isfinite(both), axis=0) for both in each]
        here, there = (fit & (rng.random(X.size) < 0.8) for fit in fits[:2])
        programs = [
            lambda x: np.where(
                here, steep[0](x), np.where(there, steep[1](x), flat(x))
            ),
            lambda x: np.where(
                ~here, np.where(~there, flat(x), steep[1](x)), steep[0](x)
            ),
            lambda x: np.select(
                [here, there], [steep[0](x), steep[1](x)], default=flat(x)
            ),
            lambda x: np.piecewise(x, [there & ~here, here], [*steep[::-1], flat]),
        ]
        expected = np.where(here, each[0], np.where(there, each[1], each[2]))
        for program in programs:
            check(lambda x, program=program: outer(program(x)), X, *expected)


# Each row: a program, the point, the gradient there of the sum of what it gives.
PROGRAMS = [
    (lambda x: np.where(x > 0, np.sqrt(x), 0.0), [0.0, 1.0], [0.0, 0.5]),
    (lambda x: np.where(x == 0, 1.0, np.sin(x) / x), [0.0, np.pi], [0.0, -1 / np.pi]),
    (lambda x: np.where(x > 0, np.log(x), 0.0), [-1.0, 0.0, 2.0], [0.0, 0.0, 0.5]),
    # It was chosen: then the slope is what it is.
    (lambda x: np.where(x >= 0, np.sqrt(x), 0.0), [0.0, 4.0], [INF, 0.25]),
    (lambda x: np.where(x < 1, x * NAN, x), [0.0, 1.0], [NAN, 1.0]),
    (lambda x: np.where(x > 0, np.sqrt(x), np.sqrt(x)), [0.0], [INF]),
    # In part by another choice
    (
        lambda x: (lambda s: np.where(x > 0, s, 0.0) + np.where(x > 2, s * s, 0.0))(
            np.sqrt(x)
        ),
        [0.0, 1.0, 4.0],
        [0.0, 0.5, 1.25],
    ),
    (lambda x: np.where(x > 0, np.sqrt(x), 0.0) + np.sqrt(x), [0.0], [INF]),
    # By what ties and bounds
    (lambda x: np.maximum(np.log(x), -5.0), [0.0, 1.0], [0.0, 1.0]),
    (lambda x: np.minimum(1.0 / x, 9.0), [0.0, 1.0], [0.0, -1.0]),
    (lambda x: np.fmax(np.log(x), -5.0), [-1.0, 1.0], [0.0, 1.0]),
    (lambda x: np.clip(np.log(x), -5.0, 5.0), [0.0, 1.0], [0.0, 1.0]),
    (lambda x: np.log(x).clip(-5.0, None), [0.0, 1.0], [0.0, 1.0]),
    (lambda x: np.nan_to_num(np.log(x)), [0.0, 1.0], [0.0, 1.0]),
    # Broadcast
    (lambda x: np.where(COLUMN, np.sqrt(x), x), [1.0, 4.0], [1.5, 1.25]),
    (lambda x: np.where(COLUMN & (x > 0), np.sqrt(x), x), [0.0, 4.0], [2.0, 1.25]),
    (
        lambda x: np.where(X[:, None] > 9, X[:, None] * np.sqrt(x), 1.0),
        [0.0, 1.0],
        [0.0, 0.0],
    ),
    # Along rows
    (
        lambda x: (lambda r: np.where(r > 0, x / np.sqrt(r), 0.0))(
            np.sum(x**2, axis=1, keepdims=True)
        ),
        [[0.0, 0.0], [3.0, 4.0]],
        [[0.0, 0.0], [0.032, -0.024]],
    ),
    (
        lambda x: np.where(np.any(x, axis=1), np.sqrt(np.sum(x**2, axis=1)), 0.0),
        [[0.0, 0.0], [3.0, 4.0]],
        [[0.0, 0.0], [0.6, 0.8]],
    ),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("program", "x", "gradient"), PROGRAMS)
def test_gradient(program, x, gradient, dtype):
    x, gradient = np.array(x, dtype), np.array(gradient, dtype)

    def function(x):
        return np.sum(program(x))

    rtol = 1e-6 if dtype is np.float32 else 1e-12
    slope, traced = srcgrad.grad(function), srcgrad.trace(function)
    with np.errstate(all="ignore"):
        with srcgrad.set_stance("tape"):
            np.testing.assert_allclose(slope(x), gradient, rtol=rtol)
        for _ in range(3):
            np.testing.assert_allclose(slope(x), gradient, rtol=rtol)
            variable = Variable(x, requires_grad=True)
            traced(variable).backward()
            np.testing.assert_allclose(variable.grad.data, gradient, rtol=rtol)


@pytest.mark.parametrize("x", [0.0, np.float64(0.0), np.float32(0.0), np.array(0.0)])
def test_of_a_number(x):
    slope = srcgrad.grad(lambda x: np.where(x > 0, np.log(x) * np.sqrt(x), 0.0))
    with np.errstate(all="ignore"):
        for _ in range(3):
            assert slope(x) == 0.0
            assert srcgrad.grad(slope)(x) == 0.0


def test_in_a_loop():
    def program(x):
        for t in range(20):
            x = np.where(x > t, np.sqrt(x - t) + t + 1.0, 0.5 * x)
        return np.sum(x)

    x = np.array([0.0, 1.0, 2.5, 9.0, 30.0])
    slope = srcgrad.grad(program)
    with np.errstate(all="ignore"):
        with srcgrad.set_stance("tape"):
            expected = slope(x)
        assert np.all(np.isfinite(expected))
        for _ in range(3):
            assert_same(slope(x), expected)


# ----- The class itself -----
G = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
ODD = np.array([True, False, True])


def test_one_array_for_whoever_asks():
    chosen = Chosen(G, ODD)
    assert chosen.resolved() is chosen.resolved()
    assert chosen.over(G) is chosen
    assert chosen.over(None) is None


def test_the_sum_of_both_arms_is_chosen_everywhere():
    total = Chosen(G, ODD).plus(Chosen(10.0 * G, ODD, is_where=False))
    np.testing.assert_array_equal(total, [[1.0, 20.0, 3.0], [4.0, 50.0, 6.0]])


@pytest.mark.seeds(10)
def test_no_sum_forgets_where_something_was_chosen(seed):
    rng = np.random.default_rng(seed)
    conditions = [rng.random(s) < 0.4 for s in ((2, 3), (3,), (2, 1), ())]
    first, second = (
        Chosen(
            rng.normal(size=(2, 3)),
            conditions[rng.integers(4)],
            is_where=bool(rng.integers(2)),
        )
        for _ in range(2)
    )
    whole = first.resolved() + second.resolved()
    total = first.plus(second)
    found = total.resolved() if isinstance(total, Chosen) else total
    np.testing.assert_array_equal(found, whole)
    for shape, axis in (((3,), 0), ((1, 3), 0), ((2, 1), 1), ((), (0, 1))):
        narrow = first.narrowed(shape).resolved()
        assert narrow.shape == shape
        wide = np.sum(first.resolved(), axis=axis).reshape(shape)
        np.testing.assert_allclose(narrow, wide)


def test_what_goes_by_elements():
    for function in (np.exp, np.add, np.where, np.real, operator.pow, math.exp):
        assert goes_by_elements(function)
    for function in (np.matmul, operator.matmul, np.sum, np.cumsum, operator.getitem):
        assert not goes_by_elements(function)
