"""The traces of functions that are not decorated: one object's own, and not copied."""

import copy
import functools
import pickle

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.own_traces import NAME, OwnTraces, remembered, target_of


def f(x):
    return np.sum(x * x)


class Model:
    def loss(self, x):
        return np.sum(x)


def test_they_are_found_again():
    assert target_of(f).traced is target_of(f).traced
    a, b = target_of(Model().loss), target_of(Model().loss)
    assert a.traced is b.traced
    assert type(a.bound[0]) is Model
    partial = target_of(functools.partial(f, x=1.0))
    assert partial.traced is target_of(f).traced
    assert partial.keywords == {"x": 1.0}


def test_a_decorated_function_has_its_own():
    traced = srcgrad.trace(f)
    assert target_of(traced).traced is traced


def test_what_has_no_source_in_python_has_none():
    assert target_of(np.sum) is None
    assert target_of(dict) is None


def test_they_are_not_copied():
    target_of(f)
    assert pickle.loads(pickle.dumps(f)) is f
    own = getattr(f, NAME)
    assert copy.deepcopy(own).traced is None
    assert type(pickle.loads(pickle.dumps(own))) is OwnTraces


def test_transforms_are_remembered():
    def g(x):
        return x * x

    made = remembered(g, srcgrad.grad)
    target_of(g)
    assert remembered(g, srcgrad.grad) is not made
    assert remembered(g, srcgrad.grad) is remembered(g, srcgrad.grad)
    assert remembered(g, srcgrad.grad, 0) is not remembered(g, srcgrad.grad)
    wrapper = functools.wraps(g)(lambda x: g(x))
    assert remembered(wrapper, srcgrad.grad).__wrapped__ is wrapper


class Wrapped:
    @srcgrad.trace
    def traced(self, x):
        return np.sum(x**2)

    @srcgrad.checkpoint
    def checkpointed(self, x):
        return np.sum(x**2)


@srcgrad.custom_vjp
def custom(x):
    return np.sum(x**2)


custom.defvjp(
    lambda x: (np.sum(x**2), x),  # Python 3.10 tells lambdas apart by their lines
    lambda x, g: (2.0 * g * x,),
)


@pytest.mark.parametrize(
    "function",
    [
        Wrapped().traced,
        Wrapped().checkpointed,
        functools.partial(srcgrad.trace(lambda scale, x: scale * np.sum(x**2)), 1.0),
        srcgrad.checkpoint(f),
        custom,
        copy.copy(custom),
        functools.partial(custom),
    ],
)
def test_what_wraps_a_function_compiles_too(function):
    x = np.arange(3.0)
    slope = srcgrad.grad(function)
    for _ in range(3):
        np.testing.assert_array_equal(slope(x), 2 * x)
    assert "def forward(" in slope.source()
