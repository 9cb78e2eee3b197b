"""The function behind a callable, and what is passed to it already."""

import functools

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
