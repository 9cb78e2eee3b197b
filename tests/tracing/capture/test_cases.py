"""What the parts of a pattern take of a subject."""

import types

import numpy as np
import pytest

import srcgrad


class Bag(dict):
    def get(self, key, default=None):
        return default


def kind_of(subject, x):
    match subject:
        case {"a": a}:
            return x * a
        case [a, b]:
            return x + a + b
    return x


@pytest.mark.parametrize(
    "subject", [types.MappingProxyType({"a": 2.0}), np.ones(2), Bag(a=2.0), "ab"]
)
def test_as_untraced_whether_compiled_or_not(subject):
    traced = srcgrad.trace(lambda x: kind_of(subject, x))
    for value in (1.0, 2.0, 3.0):
        assert traced(value) == kind_of(subject, value)
