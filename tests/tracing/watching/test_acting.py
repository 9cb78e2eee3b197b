"""Changes of names, attributes and objects outside, as they are noted."""

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X


def test_names_outside_are_rebound():
    count, values = 0.0, []

    def step(x):
        nonlocal count
        count += np.sum(x)
        values.append(count)
        return count * x[0]

    traced = srcgrad.trace(step)
    for number in range(1, 5):
        assert traced(X) == pytest.approx(number * 6.0)
        assert count == pytest.approx(number * 6.0)
    assert len(values) == 4
    assert traced.stats.compiled >= 2


def test_properties_and_setters_stay_on_the_tape():
    class Bounded:
        def __init__(self):
            self.seen = []

        @property
        def value(self):
            return self.seen[-1]

        @value.setter
        def value(self, new):
            self.seen.append(new)

    bounded = Bounded()

    @srcgrad.trace
    def sets(x):
        bounded.value = np.sum(x)
        return x

    for count in range(1, 4):
        sets(X)
        assert len(bounded.seen) == count
    assert "in its own way" in sets.explain()
