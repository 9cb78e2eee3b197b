"""What functions hold is found, and what leads to it."""

import functools
from collections import OrderedDict, deque, namedtuple

import numpy as np
import pytest

from srcgrad.scipy.holdings import Holdings
from tests.variables import variable

Pair = namedtuple("Pair", "first second")


class Holder:
    """Something with an attribute; the class of all these is the user's."""

    def __init__(self, item):
        self.item, self.itself = item, self


class OfList(list):
    pass


def of_argument(item):
    return lambda: item


@pytest.mark.parametrize(
    "hold",
    [
        lambda v: [1.0, (v,)],
        lambda v: deque([{"a": v}]),
        lambda v: Pair(v, 1.0),
        lambda v: OrderedDict(a=Holder([v])),
        lambda v: functools.partial(of_argument, v),
        lambda v: of_argument(Holder(v)),
    ],
)
def test_a_variable_is_found(hold):
    v = variable(2.0)
    item = hold(v)
    holdings = Holdings(item)
    assert list(holdings.variables) == [id(v)]
    assert id(item) in holdings.holders


def test_what_leads_to_none():
    loop = []
    loop.append(loop)
    for item in (np.sum, len, [1.0] * 9, loop, Holder(1.0), OfList([variable(1.0)])):
        holdings = Holdings(item)
        assert not holdings.variables
        assert not holdings.holders
