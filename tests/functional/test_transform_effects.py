"""Transforms that compile mean what they mean on the tape: effects, errors, the world.

Each function is made anew with its world, and called in turn on the tape and as users
call it; results, errors, what it has printed and what it has changed are the same.
"""

import contextlib
import copy
import io
import types

import numpy as np
import pytest

import srcgrad

X = np.array([1.0, 2.0, 3.0])
CALLS = [X, 2.0 * X, X, X[:2], -X, 3.0 * X, X, 0.5 * X, X[:2], X[:2]]


def logs():
    log = []

    def f(x):
        log.append(len(x))
        return np.sum(x * x)

    return f, log


def counts():
    world = types.SimpleNamespace(n=0)

    def f(x):
        world.n += 1
        return np.sum(x) * world.n

    return f, world


def prints():
    def f(x):
        print("sum", float(np.sum(x)))
        return np.sum(x**2)

    return f, None


def caches():
    cache = {}

    def f(x):
        if len(x) not in cache:
            cache[len(x)] = np.arange(len(x)) * 1.0
        return np.sum(x * cache[len(x)])

    return f, cache


def draws():
    rng = np.random.default_rng(0)
    return lambda x: np.sum(x * rng.normal(size=x.shape)), rng.bit_generator


def raises():
    def f(x):
        if x[0] > 2.5:
            raise ValueError("too large")
        return np.sum(np.exp(x))

    return f, None


def writes():
    def f(x):
        y = x.copy()
        y[0] = 5.0
        y *= 2.0
        return np.sum(y * x)

    return f, None


def rebinds():
    held = [np.zeros(1)]

    def f(x):
        held[0] = held[0] + 1.0
        return np.sum(x * held[0])

    return f, held


def steps():
    numbers = iter(range(100))
    return lambda x: np.sum(x) * next(numbers), numbers


def catches():
    def f(x):
        try:
            return np.sum(x) * 12.0 / (4 // len(x) - 1)
        except ZeroDivisionError:
            return np.sum(x) * 3.0

    return f, None


TRANSFORMS = {
    "grad": srcgrad.grad,
    "value_and_grad": srcgrad.value_and_grad,
    "jvp": lambda f: lambda x: srcgrad.jvp(f, (x,), (x,)),
    "hvp": lambda f: lambda x: srcgrad.hvp(f, x, x),
    "linearize": lambda f: lambda x: srcgrad.linearize(f, x)[1](x),
    "vjp": lambda f: lambda x: srcgrad.vjp(f, x)[1](1.0),
    "jacobian": srcgrad.jacobian,
}


def story(make, transform, stance):
    """Everything that comes of some calls."""
    function, world = make()
    transformed, results = transform(function), []
    with srcgrad.set_stance(stance), contextlib.redirect_stdout(io.StringIO()) as said:
        for x in CALLS:
            try:
                result = repr(transformed(x.copy()))
            except Exception as error:
                result = type(error), str(error)
            results.append((result, repr(copy.copy(world)), said.getvalue()))
    return results


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize(
    "make",
    [logs, counts, prints, caches, draws, raises, writes, rebinds, steps, catches],
    ids=lambda make: make.__name__,
)
def test_calls_in_turn_are_those_of_the_tape(make, name):
    transform = TRANSFORMS[name]
    ours, theirs = (story(make, transform, s) for s in ("default", "tape"))
    for mine, other in zip(ours, theirs, strict=True):
        # The generator's own text has an address.
        assert mine[0] == other[0]
        if make not in (draws, steps):
            assert mine[1:] == other[1:]
