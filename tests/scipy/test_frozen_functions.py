"""Functions as they were, whatever has happened to their cells."""

import functools

import numpy as np

from srcgrad.scipy.frozen_functions import kept


def test_what_cells_hold_is_kept_too():
    rate, table, items = np.ones(2), {"k": [1.0]}, (np.ones(1),)

    def inner(x):
        return x * rate

    def outer(x):
        return inner(x) + table["k"][0] + items[0]

    before = kept(functools.partial(outer, 2.0))
    assert before.func is not outer
    rate *= 5.0
    table["k"][0] = 7.0
    items[0][0] = 9.0
    assert before().tolist() == [4.0, 4.0]
    assert outer(2.0).tolist() == [26.0, 26.0]


def test_functions_and_lists_that_lead_to_themselves():
    items = []
    items.append(items)

    def count(n):
        return 0 if n == 0 else len(items) + count(n - 1)

    before = kept(count)
    assert before is not count
    assert before(3) == 3


class Holder:
    def __init__(self, k):
        self.k = k

    def scaled(self, x):
        return self.k * x


def test_objects_and_what_has_no_cells_stay():
    holder = Holder(2.0)
    assert kept(holder) is holder
    assert kept(len) is len
    assert kept(np.ravel) is np.ravel
    before = kept(holder.scaled)
    holder.k = 3.0
    assert before(1.0) == 3.0
