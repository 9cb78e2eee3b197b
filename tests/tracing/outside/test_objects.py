"""Objects of the user's classes: made inside, with operators, with classes above."""

import functools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside.objects import Twins, has_twin, is_looked_into
from tests.differences import slope_of
from tests.tracing.comparing import outcome

X = np.array([0.5, 1.0, 1.5])


class Vector:
    """Everything by operators."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (self.x, self.y)[index]

    def __iter__(self):
        yield self.x
        yield self.y

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return 7

    @property
    def norm(self):
        return np.sqrt(self.x**2 + self.y**2)

    @classmethod
    def unit(cls):
        return cls(1.0, 0.0)


@dataclass(frozen=True)
class Settings:
    steps: int = 3
    rate: float = 0.5

    @property
    def twice(self):
        return 2.0 * self.rate


@dataclass
class Body:
    position: np.ndarray
    velocity: np.ndarray
    path: list = field(default_factory=list)

    def __post_init__(self):
        self.energy = 0.0

    def move(self, dt):
        self.velocity = self.velocity - dt * self.position
        self.position = self.position + dt * self.velocity
        self.path.append(self.position[0])
        self.energy += np.sum(self.velocity**2)


class Spring:
    stiffest = 10.0

    def __init__(self, k):
        self.k = k

    def force(self, x):
        return -self.k * x


class Damped(Spring):
    scale = 2.0
    __slots__ = ("tag",)

    def __init__(self, k, c):
        super().__init__(k)
        self.__c = c
        self.tag = "damped"

    def force(self, x):
        return super().force(x) - self.__c * x**2 * self.scale

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.last = details[0]

    @functools.cached_property
    def inverse(self):
        return 1.0 / self.k


class Lazy:
    def __init__(self, table):
        self.table = table

    def __getattr__(self, name):
        return self.table[name] * 2.0


settings, arrow, spring = Settings(), Vector(1.0, 2.0), Damped(1.5, 0.2)


def adds_vectors(x):
    v = Vector(x[0], x[1]) + 2.0 * Vector(x[1], x[2]) * settings.rate
    a, b = v
    return v.norm * settings.twice + v[0] * len(v) + a * b + Vector.unit()[0]


def moves_a_body(x):
    body = Body(x * 1.0, np.zeros(3))
    for _ in range(settings.steps):
        body.move(0.1)
    return body.energy + sum(body.path) + body.position @ body.velocity


def calls_classes_above(x):
    own = Damped(x[0], x[1])
    return own.force(2.0) + np.sum(spring.force(x)) + own.inverse * own.stiffest


def asks_objects_outside(x):
    total = arrow[0] * x[0] + sum(arrow) * x[1]
    if len(arrow) == 2 and arrow == Vector(1.0, 2.0):
        total = total + (arrow * x[2]).norm
    return total * (2.0 if hasattr(spring, "k") and not hasattr(spring, "w") else 1.0)


def uses_with(x):
    with Damped(x[0], 0.1) as own:
        force = own.force(x)
    return np.sum(force) + (own.last is None) * x[1]


def has_a_fallback(x):
    lazy = Lazy({"a": x[0], "b": x[1]})
    return lazy.a * lazy.b


def asks_for_kinds(x):
    v = Vector(x[0], x[1])
    known = type(v) is Vector and isinstance(v, Vector) and v.__class__ is Vector
    return v.norm * (3.0 if known else 1.0)


def catches_errors(x):
    try:
        factor = np.linalg.cholesky(np.eye(3) * x[0])
        value = np.sum(np.log(np.diag(factor)))
    except np.linalg.LinAlgError:
        value = x[1] * 5.0
    else:
        value = value * 2.0
    finally:
        value = value + x[2]
    return value


def matches(x):
    from math import pi

    out = 0.0
    for mode in ("a", "b", 3, (1, 2), None):
        match mode:
            case "a" | 3:
                out = out + x[0] * pi
            case (first, second):
                out = out + x[1] * first * second
            case None if settings.steps > 2:
                out = out + x[2]
            case other:
                out = out + len(other)
    return out


def makes_generators(x):
    def pairs(n):
        for i in range(n):
            yield i, x[i]

    weights = dict.fromkeys(("a", "b"), 0.0)
    for i, value in pairs(3):
        weights["a"] += i * value
    double = functools.partial(np.multiply, 2.0)
    one_hot = np.eye(3)[np.array([0, 1, 1])]
    return weights["a"] + np.sum(double(x)) + np.sum(one_hot @ x)


def decorates(x):
    def twice(function):
        def changed(*args):
            return function(*args) * 2.0

        return changed

    @twice
    @twice
    def energy(y):
        return np.sum(y * y) * math.e

    return energy(x)


PROGRAMS = [adds_vectors, moves_a_body, calls_classes_above, asks_objects_outside]
PROGRAMS += [uses_with, has_a_fallback, asks_for_kinds, catches_errors, matches]
PROGRAMS += [makes_generators, decorates]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(function):
    traced = srcgrad.trace(function)
    for factor in (1.0, 1.1, 0.9):
        x = X * factor
        found, expected = traced(x), function(x)
        assert type(found) is type(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        gradient = srcgrad.grad(traced)(x)
        np.testing.assert_allclose(gradient, slope_of(function, x), rtol=1e-6)
    assert traced.stats.compiled == 4, traced.explain()


def test_a_caught_error_is_a_trace_of_its_own():
    traced = srcgrad.trace(catches_errors)
    for x in (X, X, -X, X, -X, X):
        assert outcome(traced, x) == outcome(catches_errors, x)
    assert traced.stats.compiled == 4


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [
        (Vector, "__add__", lambda self, other: other),
        (Vector, "__getitem__", lambda self, index: self.y * 3.0),
        (Vector, "norm", property(lambda self: self.x)),
        (Vector, "__init__", lambda self, x, y: setattr(self, "x", y)),
        (Vector, "unit", classmethod(lambda cls: cls(5.0, 5.0))),
        (Settings, "twice", property(lambda self: 7.0)),
        (settings, "rate", 0.25),
    ],
    ids=lambda item: getattr(item, "__name__", None),
)
def test_a_class_that_changes_is_noticed(monkeypatch, owner, name, value):
    traced = srcgrad.trace(adds_vectors)
    for _ in range(2):
        assert outcome(traced, X) == outcome(adds_vectors, X)
    if owner is settings:
        object.__setattr__(settings, name, value)
    else:
        monkeypatch.setattr(owner, name, value)
    try:
        for _ in range(2):
            ours, theirs = outcome(traced, X), outcome(adds_vectors, X)
            assert ours[0][0] == theirs[0][0]
            if not isinstance(ours[0][0], type):
                assert ours == theirs
    finally:
        object.__setattr__(settings, "rate", 0.5)


def test_methods_above_that_change_are_noticed(monkeypatch):
    traced = srcgrad.trace(calls_classes_above)
    for _ in range(2):
        assert traced(X) == calls_classes_above(X)
    monkeypatch.setattr(Spring, "force", lambda self, x: x * 9.0)
    assert traced(X) == calls_classes_above(X)
    monkeypatch.setattr(Spring, "stiffest", 3.0)
    assert traced(X) == calls_classes_above(X)
    monkeypatch.setattr(spring, "k", 4.0)
    assert traced(X) == calls_classes_above(X)


def test_objects_with_operators_may_be_arguments():
    def scaled(v, x):
        return (v * x).norm + v[1] * len(v)

    traced = srcgrad.trace(scaled)
    for k in range(1, 5):
        v = Vector(float(k), 2.0)
        assert outcome(traced, v, 3.0)[0] == outcome(scaled, v, 3.0)[0]
    assert traced.stats.compiled == 3


def test_objects_that_are_kept_are_of_the_users_class():
    log = []

    def keeps(x):
        v = Vector(x[0], x[1])
        log.append(v)
        log.append(Body(x, x * 2.0, [1, x[0]]))
        return v.norm

    traced = srcgrad.trace(keeps)
    for k in range(1, 4):
        traced(X * k)
        vector, body = log[-2:]
        assert type(vector) is Vector
        assert type(body) is Body
        assert (vector.x, body.path) == (0.5 * k, [1, 0.5 * k])
        np.testing.assert_array_equal(body.velocity, X * k * 2.0)
        assert vars(body).keys() == vars(Body(1, 2)).keys()
    assert len(log) == 6
    assert traced.stats.compiled == 2


def test_what_has_no_twin():
    class Meta(type):
        pass

    class Odd(metaclass=Meta):
        pass

    class New:
        def __new__(cls):
            return 3

    class Got:
        def __getattribute__(self, name):
            return 3

    class Sized(list):
        pass

    for kind in (Odd, New, Got, Sized, int, np.ndarray, ValueError, dict):
        assert not has_twin(kind)
    for kind in (Vector, Settings, Body, Spring, Damped, Lazy):
        assert has_twin(kind)
        assert is_looked_into(object.__new__(kind))


def test_a_twin_shares_the_attributes():
    class Notes:
        def require(self, condition):
            pass

    v = Vector(1.0, 2.0)
    twins = Twins(Notes())
    seen = twins.standing_for(v)
    assert twins.kind_of(seen) is Vector
    assert isinstance(seen, Vector)
    assert seen.__dict__ is v.__dict__
    assert twins.standing_for(v) is seen
    plain = Spring(2.0)
    assert twins.standing_for(plain) is plain
