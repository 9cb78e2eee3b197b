"""Which objects of the user's classes have twins; programs: corpus/classes.txt."""

import functools
from dataclasses import dataclass

import numpy as np

from srcgrad.tracing.environment.objects import Twins, has_twin, is_looked_into


class Vector:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Vector(self.x + other.x)

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return 7


@dataclass(frozen=True)
class Settings:
    steps: int = 3


class Spring:
    def __init__(self, k):
        self.k = k


class Damped(Spring):
    __slots__ = ("tag",)

    def __enter__(self):
        return self

    def __exit__(self, *details):
        pass

    @functools.cached_property
    def inverse(self):
        return 1.0 / self.k


class Lazy:
    def __getattr__(self, name):
        return 2.0


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


def test_what_has_a_twin():
    for kind in (Odd, New, Got, Sized, int, np.ndarray, ValueError, dict):
        assert not has_twin(kind)
    for kind in (Vector, Settings, Spring, Damped, Lazy):
        assert has_twin(kind)
        assert is_looked_into(object.__new__(kind))


class Notes:
    def require(self, condition):
        pass


def test_a_twin_shares_the_attributes():
    v = Vector(1.0)
    twins = Twins(Notes())
    seen = twins.standing_for(v)
    assert twins.kind_of(seen) is Vector
    assert isinstance(seen, Vector)
    assert seen.__dict__ is v.__dict__
    assert twins.standing_for(v) is seen
    plain = Spring(2.0)
    assert twins.standing_for(plain) is plain
