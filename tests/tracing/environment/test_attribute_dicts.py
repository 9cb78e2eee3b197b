"""Dicts whose keys are attributes: which classes make such, what is read of them."""

import collections

import pytest

from srcgrad.tracing.environment.attribute_dicts import is_attribute_dict


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
