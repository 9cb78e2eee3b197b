"""Copies of functions and classes: what SciPy's code may do with Variables."""

import inspect

import numpy as np
import pytest
from scipy import signal, stats

import srcgrad
from srcgrad.rules.scipy import scipy_sources
from srcgrad.rules.scipy.scipy_sources import copied_class, on_variables
from tests.variables import variable


class Base:
    def __init__(self, x):
        self.x = x

    def twice(self):
        return 2.0 * self.x


class Derived(Base):
    def __init__(self, x):
        super().__init__(np.asarray(x))

    @property
    def shape(self):
        return np.shape(self.x)

    @classmethod
    def of(cls, x):
        return cls(x)


def test_classes(monkeypatch):
    monkeypatch.setattr(scipy_sources, "is_scipys", lambda kind: kind is not object)
    own = copied_class(Derived)
    made = own.of(variable([1.0, 2.0]))
    assert made.shape == (2,)
    assert made.twice().requires_grad
    assert isinstance(Derived(1.0), own)
    assert not isinstance(made, Derived)


def test_errors_tell_the_place_in_scipys_source():
    with pytest.raises(ValueError, match="odd") as caught:
        on_variables(signal.firls)(4, [0.0, 1.0], variable([1.0, 0.0]))
    last = caught.traceback[-1]
    assert str(last.path) == inspect.getfile(signal.firls)
    assert "odd" in str(last.statement)


def test_statistics_of_rows_with_nan():
    x = np.array([[1.0, np.nan, 4.0, 2.0], [3.0, 1.0, 7.0, 2.0]])
    own = on_variables(stats.skew)
    slope = srcgrad.grad(lambda x: own(x, axis=1, nan_policy="omit").sum())(x)
    row = srcgrad.grad(lambda x: own(x))(x[0][[0, 2, 3]])
    np.testing.assert_allclose(slope[0][[0, 2, 3]], row)
    assert slope[0, 1] == 0.0
