import abc
import collections
import dataclasses
import enum
import typing

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.environment.special import has_special_methods, knows_objects


class Adds:
    def __add__(self, other):
        return self


class Below(Adds):
    pass


class Abstract(abc.ABC, typing.Generic[typing.TypeVar("T")]):
    def __len__(self):
        return 1


class Nothing:
    def method(self):
        return 1


@dataclasses.dataclass(order=True)
class Generated:
    x: float


class Listed(list):
    def __add__(self, other):
        return self


class Own(srcgrad.Variable):
    def __add__(self, other):
        return self


class Kind(enum.Enum):
    A = 1


@pytest.mark.parametrize("kind", [Adds, Below, Abstract])
def test_classes_with_special_methods_of_the_users(kind):
    assert has_special_methods(kind)


@pytest.mark.parametrize(
    "kind",
    [
        *(Nothing, Generated, Listed, Own, Kind, int, np.ndarray, type),
        *(srcgrad.Variable, collections.deque, collections.UserDict, ValueError),
    ],
)
def test_others(kind):
    assert not has_special_methods(kind)


def in_space(text, **space):
    exec(text, space)
    return space["f"]


def test_who_knows_of_one():
    text = "def f(p): return p * p"
    assert not knows_objects(in_space(text, np=np, Nothing=Nothing, x=1.0))
    assert knows_objects(in_space(text, Adds=Adds))
    assert knows_objects(in_space(text, one=Below()))
    held = Adds()
    assert knows_objects(in_space("def g(p): return lambda: p\nf = g(p)", p=held))
