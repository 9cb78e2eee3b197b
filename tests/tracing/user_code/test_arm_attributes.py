"""Objects have what arms set; one trace, where nobody looks at them meanwhile."""

import dataclasses

import numpy as np
import pytest

import srcgrad
from tests.branch_programs import compared_with_the_tape


class Sum:
    def __init__(self, limit):
        self.total, self.count, self.limit = 0.0, 0, limit
        self.largest = self.least = limit * 0.0

    @property
    def mean(self):
        return self.total / 3.0

    def add(self, v):
        if v > self.limit:
            self.total += v
            self.count += 1
            if v > self.largest:
                self.largest = v
        elif v < self.least:
            self.least = v
        return self.total * v

    def add_mean(self, v):
        if v > self.limit:
            self.total += v
            self.largest = self.mean
        return self.total * v

    def add_for_another(self, other, v):
        if v > self.limit:
            self.total = self.total + v
            other.total = other.total * v
            self.limit = self.total + other.limit
        return self.total

    def first_sets(self, v):
        if v > self.limit:
            self.seen = v
        return getattr(self, "seen", 0.0) * v


class Slots:
    __slots__ = "rate", "total"

    def __init__(self, rate):
        self.total, self.rate = 0.0, rate


class Doubled:
    """What is set is something else than what is read."""

    def __init__(self):
        self.total = 0.5

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)


class Counting:
    """A property that does something when it is set."""

    def __init__(self):
        self._total, self.sets = 1.0, 0

    @property
    def total(self):
        return self._total

    @total.setter
    def total(self, value):
        self._total = value
        self.sets += 1


@dataclasses.dataclass
class State:
    x: float
    v: float


def adds(x, n):
    found = Sum(n)
    terms = [found.add(v) for v in x]
    return sum(terms) + found.largest * found.count - found.least


def bounces(x, n):
    state = State(x[0], n)
    for _ in range(5):
        state.v = state.v - 0.1
        state.x = state.x + 0.2 * state.v
        if state.x < 0.0:
            state.x, state.v = -state.x, -0.8 * state.v
    return state.x * state.v


def has_slots(x, n):
    found = Slots(n)
    for v in x:
        if v * found.total < n:
            found.total += v
            found.rate = found.rate * 0.9
    return found.total * found.rate


def looks_in_an_arm(x, n):
    found = Sum(n)
    return sum(found.add_mean(v) for v in x) + found.largest


def two_names_for_one(x, n):
    found, other = Sum(n), Sum(n * x[0])
    terms = [found.add_for_another(other, v) for v in x]
    return sum(terms) + other.total + sum(found.add_for_another(found, v) for v in x)


def binds_first_in_an_arm(x, n):
    found = Sum(n)
    return sum(found.first_sets(v) for v in x)


def doubles(x, n):
    found = Doubled()
    if x[0] > n:
        found.total = x[0]
    return found.total * n


def counts_sets(x, n):
    found = Counting()
    if x[0] > n:
        found.total = x[0]
    return found.total * n + found.sets


class Tank:
    level = 0.5


def shadows_that_of_the_class(x, n):
    tank = Tank()
    if x[0] > n:
        tank.level = x[0]
    return tank.level * n + len(vars(tank))


def has_looked_into_it(x, n):
    tank = Sum(n)
    there = vars(tank)
    for v in x:
        if v > n:
            tank.total = v
            n = n + there["total"]
    return tank.total * n


def catches(x, n):
    found = Sum(n)
    try:
        if x[0] > n:
            found.total = x[1]
            found.largest = x[10]
    except IndexError:
        n = n * 2.0
    return found.total * n


ONE_TRACE = adds, bounces, has_slots
OTHERS = (
    *(looks_in_an_arm, two_names_for_one, binds_first_in_an_arm, doubles),
    *(counts_sets, shadows_that_of_the_class, has_looked_into_it, catches),
)


@pytest.mark.parametrize("function", [*ONE_TRACE, *OTHERS])
def test_it_has_what_python_sets(function):
    ours = compared_with_the_tape(function)
    if function in ONE_TRACE:
        assert ours.stats.traces == 1


def test_an_object_from_outside_has_it_after_each_call():
    def step(control, x):
        if x > control.limit:
            control.total += x
            control.largest = x * 2.0
        return control.total * x

    ours, tapes = Sum(0.3), Sum(0.3)
    traced = srcgrad.value_and_grad(step, argnums=1)
    for x in np.random.default_rng(0).normal(size=12):
        found = traced(ours, float(x))
        with srcgrad.set_stance("tape"):
            expected = srcgrad.value_and_grad(step, argnums=1)(tapes, float(x))
        assert found == expected
        assert vars(ours) == vars(tapes)
        assert [*map(type, vars(ours).values())] == [*map(type, vars(tapes).values())]
