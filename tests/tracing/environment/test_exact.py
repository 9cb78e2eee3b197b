"""Equal arguments that differ have traces of their own; the same one is found again."""

import collections
import copy
import datetime
import decimal
import enum
import fractions
import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.environment.exact import exact
from srcgrad.tracing.environment.signature import Signature
from tests.tracing.comparing import X, outcome


class Text(str):
    __slots__ = ()


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    CRIMSON = 1  # noqa: PIE796 - an alias


class Number(enum.IntEnum):
    ONE = 1


class Flag(enum.IntFlag):
    ONE = 1


class Meta(type):
    def __eq__(cls, other):
        return isinstance(other, Meta)

    __hash__ = type.__hash__


class First(metaclass=Meta):
    pass


class Second(metaclass=Meta):
    pass


# In a row all are equal, or would be if they could be compared, and all differ.
SAME_AND_OTHER = [
    (1, True, 1 + 0j, np.True_, Number.ONE, Flag.ONE),
    (0j, complex(-0.0, 0.0), complex(0.0, -0.0), complex(-0.0, -0.0)),
    (range(0, 3, 2), range(0, 4, 2)),
    (range(0), range(5, 5), range(1, 1, 7)),
    (np.timedelta64(1, "D"), np.timedelta64(24, "h"), np.timedelta64(1440, "m")),
    (np.datetime64("2020-01-01", "D"), np.datetime64("2020-01-01", "h")),
    (np.timedelta64("NaT", "D"), np.timedelta64("NaT", "h"), np.datetime64("NaT", "D")),
    ("a", Text("a"), np.str_("a")),
    (b"a", np.bytes_(b"a")),
    (slice(1), slice(True), slice(1.0), slice(np.int64(1)), slice(np.int8(1))),
    (slice(0.0), slice(-0.0)),
    (slice((1, 2)), slice((True, 2)), slice((1.0, 2))),
    (np.dtype(float), np.dtype(float, metadata={"unit": "m"})),
    (np.dtype([("a", float)]), np.dtype([("a", float)], align=True)),
    (
        np.dtype([("a", float)]),
        np.dtype([("a", np.dtype(float, metadata={"unit": "m"}))]),
    ),
    (np.dtype("l"), np.dtype("q"), np.dtype("int64").type),
    (First, Second),
    (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    (fractions.Fraction(1), 1),
    (
        datetime.datetime(2020, 1, 1, fold=0),
        datetime.datetime(2020, 1, 1, fold=1),
    ),
    (frozenset({1}), frozenset({True}), frozenset({1.0}), frozenset({(1,)})),
    (frozenset({0.0}), frozenset({-0.0}), frozenset({0})),
    ({1}, {True}, {1.0}),
    *(
        ({1: 0}, {1.0: 0}, {True: 0}, {np.int64(1): 0})
        if kind is dict
        else tuple(kind({key: 0}) for key in (1, 1.0, True))
        for kind in (dict, collections.OrderedDict)
    ),
    ({"a": 0}, {Text("a"): 0}, {np.str_("a"): 0}),
    ({0.0: 0}, {-0.0: 0}),
    ({(1, "a"): 0}, {(True, "a"): 0}),
    ({1: {}}, {True: {}}),
    ([{"a": ({1: 0},)}], [{"a": ({True: 0},)}]),
    (collections.deque([{1: 0}]), collections.deque([{True: 0}])),
]


@pytest.mark.parametrize("row", SAME_AND_OTHER, ids=lambda row: repr(row[0]))
def test_no_two_have_the_same_signature(row):
    keys = []
    for item in row:
        key = Signature((X, item), {}).key
        try:
            hash(key)
        except TypeError:
            continue  # which is told in `explain()`, and stays on the tape
        keys.append(key)
    assert all(a != b for a, b in itertools.combinations(keys, 2))


@pytest.mark.parametrize(
    "item",
    [item for row in SAME_AND_OTHER for item in row if not isinstance(item, set)]
    + [Color.RED, float("nan"), slice(float("nan")), {float("nan"): 0}, None, ...],
    ids=repr,
)
def test_a_copy_has_the_same_signature(item):
    copied = item if isinstance(item, np.dtype) else copy.deepcopy(item)
    again = Signature((X, copied), {}).key
    assert Signature((X, item), {}).key == again


def test_an_alias_is_the_member():
    assert exact(Color.CRIMSON) == exact(Color.RED) != exact(Color.GREEN)


@pytest.mark.parametrize("row", SAME_AND_OTHER, ids=lambda row: repr(row[0]))
def test_traced_is_untraced(row):
    traced = srcgrad.trace(described)
    for item in row * 2:
        assert outcome(traced, X, item) == outcome(described, X, item)


def described(x, item):
    if isinstance(item, dict):
        key = next(iter(item))
        return x * len(str(type(key))) + len(str(key))
    if isinstance(item, range):
        return x * (item.stop + 10 * item.step)
    return x * len(str(type(item))) + len(str(item))


# ----- What equal dtypes differ in -----


def by_metadata(x):
    return x * (2.0 if x.dtype.metadata is None else 3.0)


def by_character(x):
    return x * (2.0 if x.dtype.char == "l" else 3.0)


@pytest.mark.parametrize(
    ("function", "dtypes"),
    [
        (by_metadata, (np.dtype(float), np.dtype(float, metadata={"unit": "m"}))),
        (by_character, (np.dtype("l"), np.dtype("q"))),
    ],
)
def test_equal_dtypes_of_arrays_that_differ(function, dtypes):
    traced = srcgrad.trace(function)
    for dtype in dtypes * 2:
        x = np.arange(3).astype(dtype)
        assert outcome(traced, x) == outcome(function, x)
