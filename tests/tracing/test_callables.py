"""The function behind a callable, and what is passed to it already."""

import functools
from types import MethodType

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.callables import taken_apart


class Model:
    def __call__(self, x):
        return x

    def method(self, x):
        return x


def function(x, y=1.0, *, z=2.0):
    return x


MODEL = Model()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (function, (function, (), {})),
        (MODEL.method, (Model.method, (MODEL,), {})),
        (MODEL, (Model.__call__, (MODEL,), {})),
        (functools.partial(function, 1.0, z=3.0), (function, (1.0,), {"z": 3.0})),
        (functools.partial(MODEL.method, 1.0), (Model.method, (MODEL, 1.0), {})),
    ],
)
def test_what_can_be_traced(given, expected):
    assert taken_apart(given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Model, "not the class Model"),
        (np.sin, "written in Python"),
        (len, "written in Python"),
        (srcgrad.grad(function), "written in Python, but got <grad of .*that calls it"),
        (srcgrad.trace(function), "is traced already"),
        (functools.partial(srcgrad.trace(function), 1.0), "is traced already"),
        (staticmethod(function), "put @trace below @staticmethod"),
        (3, "written in Python"),
    ],
)
def test_what_can_not(given, message):
    with pytest.raises(TypeError, match=message):
        taken_apart(given)


async def coroutine(x):
    return x


def generator(x):
    yield x


def test_coroutines_and_generators():
    with pytest.raises(TypeError, match="is a coroutine"):
        taken_apart(coroutine)
    with pytest.raises(TypeError, match="is a generator"):
        taken_apart(generator)


class Scaled:
    """A decorator of methods, as users write them."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        return 3.0 * self.function(*args)

    def __get__(self, instance, owner=None):
        return self if instance is None else MethodType(self, instance)


class Loss:
    def __init__(self):
        self.function = None  # which is not the decorator's

    @Scaled
    def scaled(self, x):
        return np.sum(x**2)


def test_a_bound_method_may_be_of_a_callable_object():
    loss = Loss()
    called, bound, _ = taken_apart(loss.scaled)
    assert called is Scaled.__call__
    assert bound == (vars(Loss)["scaled"], loss)
    slope, traced = srcgrad.grad(loss.scaled), srcgrad.trace(loss.scaled)
    for _ in range(3):
        assert slope(2.0) == 12.0
        assert traced(2.0) == 12.0
