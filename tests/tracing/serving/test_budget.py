"""How much time may be spent is a share of what was earned, by an injected clock."""

import itertools
import random

import numpy as np

import srcgrad
from srcgrad.policy import REPAID, SAVED, SHARE
from srcgrad.tracing.serving.budget import Budget


def total(x):
    return np.sum(x * 2.0)


class Clock:
    """Time that passes as a test says."""

    def __init__(self):
        self.time = 0.0

    def __call__(self):
        return self.time

    def passes(self, count, seconds):
        """Let something that takes some seconds happen; when it has begun."""
        start, self.time = self.time, self.time + seconds
        count(start)


def test_what_is_free_needs_not_be_earned():
    clock = Clock()
    budget = Budget(free=2, clock=clock)
    for _ in range(2):
        assert budget.allows(calls=0)
        clock.passes(budget.spend, 1.0)
    assert not budget.allows(calls=1)


def test_all_calls_count_as_those_on_the_tape():
    clock = Clock()
    budget = Budget(free=1, clock=clock)
    clock.passes(budget.spend, 1.0)
    for _ in range(4):
        budget.earn(0.01)
    needed = round(1.0 / (SHARE * 0.01))
    assert not budget.allows(calls=needed - 1)
    assert budget.allows(calls=needed + 1)


def test_calls_that_were_compiled_count_more():
    clock = Clock()
    budget = Budget(free=1, clock=clock)
    clock.passes(budget.spend, 1.0)
    budget.earn(0.01)
    calls = round(1.0 / ((SHARE + SAVED) * 0.01))
    assert not budget.allows(calls, hits=calls - 2)
    assert budget.allows(calls + 1, hits=calls + 1)


def test_where_nothing_costs_anything_all_is_allowed():
    budget = Budget(free=1, clock=lambda: 0.0)
    for _ in range(3):
        budget.spend(0.0)
        assert budget.allows(calls=0)


def test_in_a_full_cache_hits_earn_no_further_traces(monkeypatch):
    """A recording takes as long as a call on the tape here: one tick."""
    monkeypatch.setattr(Budget, "clock", staticmethod(itertools.count().__next__))
    traced = srcgrad.trace(total, max_traces=4)
    traced._back_off.looking = Budget(free=400)
    sizes = random.Random(0)
    for _ in range(400):
        traced(np.ones(sizes.randint(1, 12)))
    assert traced.stats.compiled > 50
    assert traced.stats.traces <= 10 + (SHARE + REPAID) * 400
