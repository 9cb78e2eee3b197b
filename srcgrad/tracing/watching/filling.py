"""``Filling``: lists that a loop fills in one function that is recorded; see ``reads``.

As long as nobody sees such a list its length may be another one at the next call, see
``collected``: NumPy gets an array of its items, and so does what goes along them.
"""

from typing import Any

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tracing.counts.collected import ARRAYS, OF_ARRAYS, Collected
from srcgrad.tracing.watching.cases import Cases

# What takes an array of numbers as it takes a list of them.
ALONG: frozenset[Any] = frozenset({len, sum, min, max, zip, enumerate, iter})


class Filling(Cases):
    """What the instrumented copy calls where a list is made, filled and read."""

    def new_list(self, items: Any, is_read: bool, may_end: bool) -> Any:
        """A list that a loop may fill which is of any count."""
        return Collected(self._recorder, items, is_read, may_end)

    def collect(self, items: Any, item: Any) -> None:
        """``items.append(item)``"""
        if type(items) is not Collected:
            self.call(self.attribute(items, "append"), self.as_list(item))
            return
        items.add(item)
        if items.is_plain:
            self.changes()

    def as_list(self, items: Any) -> Any:
        """Such a list as one that somebody sees."""
        return items.as_list() if type(items) is Collected else items

    def for_function(self, function: Any, items: Any) -> Any:
        """What a function gets for such a list: an array, if that is the same to it."""
        if type(items) is not Collected:
            return items
        array = None
        if function in OF_ARRAYS or function in ALONG or _is_numpys(function):
            array = items.array()
        is_row = np.ndim(raw_of(array)) == 1
        is_other = function in ALONG and function is not len and not is_row
        is_known = items.is_of_any_count or function in OF_ARRAYS
        return items.as_list() if array is None or is_other or not is_known else array

    def call_with_lists(self, function: Any, args: Any, kwargs: Any) -> Any:
        """``function(items, ...)``: what is made of the list, or the list itself."""
        if function in ARRAYS and len(args) == 1 and not kwargs:
            (items,) = args
            array = items.array()
            return self.call(function, items.as_list()) if array is None else array
        given = (self.for_function(function, arg) for arg in args)
        return self.call(function, *given, **kwargs)

    def item_of_list(self, items: Collected, index: Any) -> Any:
        """``items[index]``"""
        if type(index) is int and index == -1:
            return items.items[index]
        if type(index) is not int or not items.is_of_any_count:
            return self.item(items.as_list(), index)
        array = items.array()
        is_number = array is not None and np.ndim(raw_of(array)) == 1
        return self.item(array if is_number else items.as_list(), index)


def _is_numpys(function: Any) -> bool:
    try:
        return function in PRIMITIVES or function in COMPOSITIONS
    except TypeError:  # what cannot be hashed
        return False
