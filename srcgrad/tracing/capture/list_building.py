"""``ListBuilding``: lists that a loop fills while a function is recorded.

As long as nobody sees such a list its length may be another one at the next call, see
``collected``: NumPy gets an array of its items, and so does what goes along them. Of
that array an item is NumPy's: where the list has a float of Python's, which knows no
nan of a root and no inf of a quotient, it is made one again, or the list is seen.
"""

import sys
from typing import Any

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.counts.collected import ARRAYS, OF_ARRAYS, Collected

# Whether `sum` adds up Python's floats more exactly than `+` does.
COMPENSATES = sys.version_info >= (3, 12)
# What takes an array of numbers as it takes a list of them.
ALONG: frozenset[Any] = frozenset({len, sum, min, max, zip, enumerate, iter})
# What gives of NumPy's floats the same number as of Python's, but for its kind.
OF_FLOATS: frozenset[Any] = frozenset({min, max} if COMPENSATES else {min, max, sum})
OF_LISTS = frozenset({"numpy", "scipy"})


class ListBuilding:
    """What the instrumented copy calls where a list is made, filled and read."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def new_list(self, items: Any, is_read: bool, may_end: bool) -> Any:
        """A list that a loop may fill which is of any count."""
        return Collected(self._context.recorder, items, is_read, may_end)

    def collect(self, items: Any, item: Any) -> None:
        """``items.append(item)``"""
        if type(items) is not Collected:
            append = self._context.attribute(items, "append")
            self._context.call(append, self.as_list(item))
            return
        items.add(item)
        if items.is_plain:
            self._context.fills_list()

    def as_list(self, items: Any) -> Any:
        """Such a list as one that somebody sees."""
        return items.as_list() if type(items) is Collected else items

    def for_function(self, function: Any, items: Any) -> Any:
        """What a function gets for such a list: an array, if that is the same to it."""
        if type(items) is not Collected:
            return items
        array = None
        is_alike = function is len or items.are_numpys or _makes_arrays(function)
        if is_alike and (function in ALONG or _has_rule(function)):
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
            return (
                self._context.call(function, items.as_list())
                if array is None
                else array
            )
        if function in OF_FLOATS and len(args) == 1 and not kwargs:
            row = args[0].row_of_floats()
            if row is not None:
                return self._context.call(float, self._context.call(function, row))
        given = (self.for_function(function, arg) for arg in args)
        return self._context.call(function, *given, **kwargs)

    def item_of_list(self, items: Collected, index: Any) -> Any:
        """``items[index]``"""
        if type(index) is int and index == -1:
            return items.items[index]
        if type(index) is not int or not items.is_of_any_count:
            return self._context.item(items.as_list(), index)
        row = items.row_of_floats()
        if row is not None:
            return self._context.call(float, self._context.item(row, index))
        array = items.array() if items.are_numpys else None
        is_number = array is not None and np.ndim(raw_of(array)) == 1
        return self._context.item(array if is_number else items.as_list(), index)


def _makes_arrays(function: Any) -> bool:
    """Whether NumPy or SciPy get a list, of which they make an array."""
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, np.ufunc) or module.partition(".")[0] in OF_LISTS


def _has_rule(function: Any) -> bool:
    try:
        is_known = function in PRIMITIVES or function in COMPOSITIONS
        return is_known or function in OF_ARRAYS
    except TypeError:  # what cannot be hashed
        return False
