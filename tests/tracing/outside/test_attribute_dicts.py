"""Dicts whose keys are attributes: which classes make such, what is read of them."""

import collections

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside.attribute_dicts import is_attribute_dict


class Looked(dict):
    __getattr__ = dict.__getitem__


class Own(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def scaled(self, x):
        return self.rate * x


class Itself(dict):
    def __init__(self, **items):
        super().__init__(**items)
        self.__dict__ = self


class Missing(dict):
    def __missing__(self, key):
        return 1.0


class Counting(dict):
    def __getitem__(self, key):
        return 2.0 * super().__getitem__(key)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Looked, True),
        (Own, True),
        (Itself, True),
        (Missing, False),
        (Counting, False),
        (collections.OrderedDict, False),
        (dict, False),
    ],
)
def test_a_class_that_is_a_dict_in_all_else(kind, expected):
    assert is_attribute_dict(kind) is expected


@pytest.mark.parametrize("kind", [Looked, Own, Itself])
def test_keys_that_come_and_go_are_seen(kind):
    cfg = kind(rate=2.0, n=2)

    def f(x):
        for _ in range(cfg.n):
            x = x * cfg.rate
        return x + (cfg.shift if "shift" in cfg else 0.0)

    traced, x = srcgrad.trace(f), np.ones(2)
    for change in ({}, {"rate": 3.0}, {"n": 3}, {"shift": 1.0}, {"shift": 2.0}):
        cfg.update(change)
        for _ in range(3):
            np.testing.assert_array_equal(traced(x), f(x))
    assert traced.stats.compiled == 12
    del cfg["rate"]
    with pytest.raises((AttributeError, KeyError), match="rate"):
        traced(x)


def test_a_method_and_what_it_reads():
    cfg = Own(rate=2.0)

    def f(x):
        return cfg.scaled(x) if hasattr(cfg, "rate") else x

    traced, x = srcgrad.trace(f), np.ones(2)
    for change in ({}, {"rate": 3.0}, {"b": 1.0}):
        cfg.update(change)
        for _ in range(3):
            np.testing.assert_array_equal(traced(x), f(x))
    assert traced.stats.compiled == 8
    assert traced.stats.traces == 1
