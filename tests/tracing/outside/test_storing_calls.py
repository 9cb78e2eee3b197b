"""``setattr`` and its kin do in a traced function what their statements do."""

import operator
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside.storing_calls import STATEMENTS, is_statement

X = np.array([1.0, 2.0])


@dataclass(frozen=True)
class Pair:
    first: float
    second: float
    product: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, "product", self.first * self.second)


def loads_parameters(net, x):
    for name, value in {"w": x * 3.0, "b": x[0]}.items():
        setattr(net, name, value)
    net.steps += 1
    setattr(net, "calls", net.calls + 1)  # noqa: B010
    return np.sum(net.w**2) * net.b


def stores_items(net, x):
    operator.setitem(net.table, "twice", x[0] * 2.0)
    value = net.table["twice"] * x[1]
    operator.delitem(net.table, "old")
    return value


def takes_away(net, x):
    if hasattr(net, "extra"):
        delattr(net, "extra")
    return np.sum(x) * (2.0 if hasattr(net, "extra") else 3.0)


def fills_objects_of_its_own(net, x):
    part = SimpleNamespace()
    for i in range(2):
        setattr(part, f"w{i}", x[i])
    object.__setattr__(part, "b", x[0])
    return part.w0 * part.w1 * part.b + Pair(x[0], x[1]).product


FUNCTIONS = [loads_parameters, stores_items, takes_away, fills_objects_of_its_own]


def fresh():
    return SimpleNamespace(steps=0, calls=0, table={"old": 1.0}, extra=2.0)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_they_do_what_the_statement_does(function):
    """On the tape, recorded and compiled; and no Variable stays behind."""
    gradient = srcgrad.value_and_grad(lambda x: function(net, x))
    for k in range(4):
        net, other = fresh(), fresh()
        x = X + k
        with srcgrad.set_stance("default" if k < 2 else "fail_on_miss"):
            value, slope = gradient(x)
        assert value == function(other, x)
        assert str(net) == str(other)
        steps = np.eye(2) * 1e-6
        found = [
            (function(fresh(), x + h) - function(fresh(), x - h)) / 2e-6 for h in steps
        ]
        np.testing.assert_allclose(slope, found, rtol=1e-6)


def test_what_a_class_does_in_its_own_way_stays_on_the_tape():
    pair = Pair(1.0, 2.0)

    def changes(x):
        object.__setattr__(pair, "second", 5.0)
        return x * pair.second

    traced = srcgrad.trace(changes)
    for _ in range(2):
        assert traced(2.0) == 10.0
    assert "by `object.__setattr__`" in traced.explain()


def test_no_other_function_is_one():
    assert all(map(is_statement, STATEMENTS))
    assert not any(map(is_statement, (getattr, np.sin, operator.getitem, is_statement)))
