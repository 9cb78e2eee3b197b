"""The function behind a callable, and what is passed to it already."""

import functools
from types import MethodType

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten
from srcgrad.tracing.environment.callables import is_ours, taken_apart


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
        (len, "written in Python, but got <built-in function len>: .*that calls it"),
        (srcgrad.trace(function), "is traced already"),
        (functools.partial(srcgrad.trace(function), 1.0), "is traced already"),
        (staticmethod(function), "put @trace below @staticmethod"),
        (3, "written in Python"),
    ],
)
def test_what_can_not(given, message):
    with pytest.raises(TypeError, match=message):
        taken_apart(given)


class Energy:
    def __init__(self):
        self.weights = np.array([1.0, 2.0, 3.0])

    def __call__(self, x):
        return np.sum(self.weights * np.sin(x) * x)


energy = Energy()
OWN_GRADIENT = srcgrad.custom_vjp(lambda x: np.sum(np.sin(x)))
OWN_GRADIENT.defvjp(lambda x: (np.sum(np.sin(x)), x), lambda x, g: (2.0 * g * x,))


def scaled_energy(x, scale=2.0):
    return np.sum(scale * np.sin(x) * x)


@pytest.mark.parametrize(
    "transform",
    [
        srcgrad.grad(scaled_energy),
        srcgrad.value_and_grad(energy),
        srcgrad.hessian(energy.__call__),
        srcgrad.vmap(srcgrad.grad(np.tanh)),
        srcgrad.jacobian(lambda x: np.cumprod(x)),
        srcgrad.checkpoint(scaled_energy),
        srcgrad.grad(srcgrad.trace(scaled_energy)),
        functools.partial(srcgrad.grad(scaled_energy), scale=3.0),
        OWN_GRADIENT,
    ],
)
def test_a_transform_is_traced_as_a_function_that_calls_it(transform):
    traced = srcgrad.trace(transform)
    x = np.array([0.5, 1.5, -2.0])
    for given in (x, 2.0 * x, -x):
        pairs = zip(arrays(traced(given)), arrays(transform(given)), strict=True)
        for found, expected in pairs:
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert traced.stats.compiled == 2, traced.explain()
    variables = [srcgrad.Variable(x, requires_grad=True) for _ in range(2)]
    for function, variable in zip((traced, transform), variables, strict=True):
        np.sum(arrays(function(variable))[-1]).backward()
    np.testing.assert_allclose(variables[0].grad.data, variables[1].grad.data)


def arrays(result):
    return [leaf for leaf in flatten(result)[0] if not callable(leaf)]


WEIGHTS = np.array([1.0, 2.0, 3.0])
scaled = functools.partial(scaled_energy, scale=WEIGHTS)
of_scaled, of_energy = srcgrad.grad(scaled), srcgrad.vmap(energy)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: of_scaled(x),
        lambda x: of_energy(np.outer(x, x)),
        lambda x: srcgrad.jvp(energy, (x,), (x,))[1],
        lambda x: srcgrad.grad(functools.partial(scaled_energy, scale=3.0))(x),
        lambda x: srcgrad.hvp(functools.partial(energy), x, x),
        lambda x: srcgrad.grad(srcgrad.grad(lambda t: energy(t * x)))(1.0),
    ],
)
def test_a_traced_function_transforms_partials_and_objects(function, monkeypatch):
    def scaled_energy_of(x):
        return np.sum(function(x))

    traced = srcgrad.trace(scaled_energy_of)
    x = np.array([0.5, 1.5, -2.0])
    for given in (x, 2.0 * x):
        np.testing.assert_allclose(traced(given), scaled_energy_of(given))
    monkeypatch.setattr(energy, "weights", energy.weights + 1.0)
    monkeypatch.setitem(scaled.keywords, "scale", WEIGHTS + 1.0)
    np.testing.assert_allclose(traced(x), scaled_energy_of(x))
    assert traced.stats.compiled == 2, traced.explain()


def test_it_is_called_after_the_function_that_it_is_of():
    traced = srcgrad.trace(srcgrad.grad(scaled_energy))
    for _ in range(2):
        traced(np.ones(3))
    assert traced.__name__ == "scaled_energy"
    assert "scaled_energy, traced at test_callables.py" in traced.source()
    assert "def forward(x):" in traced.source()


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


def test_what_follows_the_tracer_is_ours():
    assert is_ours(srcgrad.trace(lambda x: x))
    assert is_ours(srcgrad.grad(lambda x: x))
    assert not is_ours(np.tanh)
