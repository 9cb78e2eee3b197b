"""Attributes, methods and properties outside: which of them are conditions."""

import enum
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X, outcome


class Planet(enum.Enum):
    EARTH = 5.97
    MARS = 0.642

    def __init__(self, mass):
        self.mass = mass

    @property
    def weight(self):
        return 9.81 * self.mass

    def pulls(self, x):
        return np.sum(x) * self.weight


def asks_members(x):
    here = Planet.EARTH
    heavy = here.name == "EARTH" and here.value > 1.0
    return here.pulls(x) * (2.0 if heavy else 1.0) + Planet.MARS.mass


def asks_for_attributes(m, x):
    total = np.sum(x)
    if hasattr(m, "rate"):
        total = total * m.rate
    if not hasattr(m, "none"):
        total = total + getattr(m, "shift", 3.0)
    m.rate = total
    return total if hasattr(m, "rate") else None


def test_members_of_enums():
    traced = srcgrad.trace(asks_members)
    for k in range(4):
        assert outcome(traced, X * k) == outcome(asks_members, X * k)
    assert traced.stats.compiled == 3


def test_a_property_of_an_enum_that_changes_is_noticed(monkeypatch):
    traced = srcgrad.trace(asks_members)
    for _ in range(2):
        assert outcome(traced, X) == outcome(asks_members, X)
    monkeypatch.setattr(Planet, "weight", property(lambda self: 1.0))
    assert outcome(traced, X) == outcome(asks_members, X)
    monkeypatch.setattr(Planet.EARTH, "mass", 2.0)
    assert outcome(traced, X) == outcome(asks_members, X)


@pytest.mark.parametrize("name", ["none", "shift", "rate"])
def test_attributes_that_come_and_go(name):
    traced = srcgrad.trace(asks_for_attributes)
    ours, theirs = SimpleNamespace(rate=2.0), SimpleNamespace(rate=2.0)
    for change in (None, None, "set", None, "delete", None, "set", None):
        for each in (ours, theirs):
            if change == "set":
                setattr(each, name, 7.0)
            elif change == "delete":
                delattr(each, name)
        assert outcome(traced, ours, X)[0] == outcome(asks_for_attributes, theirs, X)[0]
        assert vars(ours) == vars(theirs)
    assert traced.stats.compiled >= 3, traced.explain()
