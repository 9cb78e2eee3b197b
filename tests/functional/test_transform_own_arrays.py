"""Arrays that a function has made, and written into, handed to transforms in it."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

X = np.array([0.3, -0.7, 1.1])
Pair = namedtuple("Pair", "a b")


def made(x):
    h = np.zeros(3)
    for i in range(3):
        h[i] = x[i] * x[i - 1]
    return h


def energy(tree):
    a, b = tree.values() if isinstance(tree, dict) else tree
    return np.sum(np.sin(a) * b)


def first(tree):
    return tree["a"] if isinstance(tree, dict) else tree[0]


CONTAINERS = {
    "list": lambda a, b: [a, b],
    "dict": lambda a, b: {"a": a, "b": b},
    "ordered": lambda a, b: OrderedDict(a=a, b=b),
    "named": Pair,
}
PROGRAMS = {
    "jvp": lambda t: srcgrad.jvp(energy, (t,), (t,))[1],
    "linearize": lambda t: srcgrad.linearize(energy, t)[1](t),
    "vjp": lambda t: np.sum(first(srcgrad.vjp(energy, t)[1](1.0)[0]) ** 2),
    "hvp": lambda t: np.sum(first(srcgrad.hvp(energy, t, t)) ** 2),
    "grad": lambda t: np.sum(first(srcgrad.grad(energy)(t)) ** 2),
    "checkpoint": lambda t: srcgrad.checkpoint(energy)(t),
    "vmap": lambda t: np.sum(srcgrad.vmap(energy)(t) ** 2),
    "flatten": lambda t: np.sum(srcgrad.flatten(t)[0] ** 3),
    "stop_gradient": lambda t: first(srcgrad.stop_gradient(t)) @ np.cos(first(t)),
}


def differences(f):
    return np.array([(f(X + s) - f(X - s)) / 2e-6 for s in 1e-6 * np.eye(3)])


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_differentiated(name, container):
    pack = CONTAINERS[container]

    def program(x):
        return PROGRAMS[name](pack(made(x), x))

    stopped = made(X)
    f = program if name != "stop_gradient" else lambda x: stopped @ np.cos(made(x))
    expected = differences(f)
    for _ in range(3):
        np.testing.assert_allclose(srcgrad.grad(program)(X), expected, 1e-6, 1e-7)
    traced = srcgrad.trace(program)
    for _ in range(2):
        x = Variable(X, requires_grad=True)
        traced(x).backward()
        np.testing.assert_allclose(x.grad.data, expected, 1e-6, 1e-7)


def test_a_named_tuple_is_one_argument_of_hvp():
    pair = Pair(X, X)
    found = srcgrad.hvp(energy, pair, pair)
    assert type(found) is Pair
    np.testing.assert_allclose(found.b, np.cos(X) * X)


def quotient(x):
    return np.sum(np.divide(1.0, x, out=np.zeros(3), where=x > 0.0) ** 2)


@pytest.mark.parametrize("wrap", [lambda f: f, srcgrad.trace], ids=["plain", "traced"])
def test_an_array_made_in_the_call_that_writes_into_it(wrap):
    function = srcgrad.grad(wrap(quotient))
    for x in (X, -X, X):
        slopes = np.divide(-2.0, x**3, out=np.zeros(3), where=x > 0.0)
        np.testing.assert_allclose(function(x), slopes)
