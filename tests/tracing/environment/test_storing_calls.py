"""``setattr`` and its kin do in a traced function what their statements do."""

import operator
from dataclasses import dataclass

import numpy as np

import srcgrad
from srcgrad.tracing.environment.storing_calls import STATEMENTS, is_statement


@dataclass(frozen=True)
class Pair:
    first: float
    second: float
    product: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, "product", self.first * self.second)


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
