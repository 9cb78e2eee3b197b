"""``RowMaking``: which loops of a recorded run go along lists of numbers, as ``Rows``.

What a ``for`` is written with is known to nobody else, and need not be made: ``zip``,
``enumerate``, ``reversed``. What ``itertools`` makes of numbers is a list of them.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.counts.along import Along
from srcgrad.tracing.counts.listed_rows import (
    FollowedRows,
    OwnDict,
    OwnRows,
    Stack,
    TupleRows,
)
from srcgrad.tracing.counts.rows import (
    ArrayRows,
    Numbered,
    Picked,
    Reversed,
    Rows,
    Zipped,
)
from srcgrad.tracing.environment.containers import FollowedDict, FollowedList
from srcgrad.tracing.environment.dict_views import Items, Keys, Values

OWN_VIEWS: frozenset[type] = frozenset(
    {dict, type({}.items()), type({}.values()), type({}.keys())}
)
FOLLOWED_VIEWS = {Items: "items", Values: "values", Keys: "keys"}
# So many items are made before the loop begins, and no more.
MOST_MADE = 1_000_000


class Joined:
    """A call in the head of a ``for``, and the rows that it gives."""

    def __init__(self, function: Any, args: Any, kwargs: Any, rows: Rows) -> None:
        self.call, self.rows = functools.partial(function, *args, **kwargs), rows


class RowMaking:
    """Finds them."""

    def __init__(self, context: Context) -> None:
        self._context, self._recorder = context, context.recorder

    def of(self, items: Any) -> Rows | None:
        """The rows of what a loop goes along; None: it does so as ever."""
        if type(items) is Joined:
            return items.rows
        if self._recorder.run_loop is None:
            return None
        kind = type(items)
        if id(items) in self._context.reads.tuples:
            return TupleRows(self._context.reads.tuples[id(items)], self._recorder)
        if kind is list or kind is tuple or kind is range:
            if len(items) and isinstance(items[0], ArrayProtocol):
                return Stack(items, self._recorder, self._stacked)
            return OwnRows(items, self._recorder)
        if kind is FollowedList:
            return FollowedRows(items, self._recorder)
        if kind in OWN_VIEWS:
            return OwnDict(items, self._recorder)
        if kind is FollowedDict:
            return FollowedRows(items, self._recorder, "keys")
        if kind in FOLLOWED_VIEWS and type(items._mapping) is FollowedDict:
            own = items._mapping
            view = FOLLOWED_VIEWS[kind]
            return FollowedRows(own, self._recorder, view)
        return None

    def joined(self, function: Any, args: Any, kwargs: Any) -> Joined | None:
        """``function(*args)`` in the head of a loop, if that gives rows."""
        if self._recorder.run_loop is None or not args or type(function) is not type:
            return None
        if function in MADE_OF_NUMBERS:
            return self._made(function, args, kwargs)
        if function not in ROW_MAKERS or any(isinstance(arg, Along) for arg in args):
            return None
        whole = args[:1] if function is enumerate else args
        if all(isinstance(arg, (ArrayProtocol, np.ndarray)) for arg in whole):
            return None  # these are arrays of the graph already
        rows = ROW_MAKERS[function](self._parts, args, kwargs)
        return None if rows is None else Joined(function, args, kwargs, rows)

    def _parts(self, items: Sequence[Any]) -> list[Any] | None:
        """The rows of some arguments; None: one of them has none."""
        found: list[Any] = []
        for item in items:
            if isinstance(item, (ArrayProtocol, np.ndarray)):
                if not raw_of(item).shape:
                    return None
                self._recorder.lengths.close_in([item])
                found.append(ArrayRows(item, self._context.item))
            else:
                found.append(self.of(item))
        return None if None in found else found

    def _made(self, function: Any, args: Any, kwargs: Any) -> Joined | None:
        """What combines the items of others: numbers are written out."""
        pools = args if function is itertools.product else args[:1]
        more = args[len(pools) :]
        options = [*more, *kwargs.values()]
        if any(type(each) is not int for each in options):
            return None
        sources = self._parts([tuple(p) if type(p) is list else p for p in pools])
        if sources is None or any(isinstance(arg, Joined) for arg in args):
            return None
        sizes = [source.count for source in sources]
        if not 0 < MADE_OF_NUMBERS[function](sizes, *options) <= MOST_MADE:
            return None
        if all(map(_holds_numbers, pools)):
            items = [*function(*args, **kwargs)]
            rows: Rows = OwnRows(items, self._recorder)
        else:
            places = [*function(*map(range, sizes), *more, **kwargs)]
            own = sources * (len(places[0]) // len(sources))
            rows = Picked(OwnRows(places, self._recorder), own)
        return Joined(function, args, kwargs, rows)

    def _stacked(self, items: list[Any]) -> Any:
        return self._context.call(np.stack, items)

    def as_python(self, items: Any) -> Any:
        """What Python goes along, where it goes as ever."""
        if type(items) is not Joined:
            return items
        call = items.call
        args = map(self.as_python, call.args)
        return self._context.call(call.func, *args, **call.keywords)


def _holds_numbers(pool: Any) -> bool:
    is_own = type(pool) in (range, list, tuple)
    return is_own and {int, float}.issuperset(map(type, pool))


# What gives rows of rows: the function that makes them of the arguments' rows.
Parts = Callable[[Sequence[Any]], Any]


def _zipped(parts_of: Parts, args: Any, kwargs: Any) -> Rows | None:
    is_strict = kwargs.get("strict", False)
    is_plain = type(is_strict) is bool and kwargs.keys() <= {"strict"}
    parts = parts_of(args) if is_plain else None
    if parts is None or (is_strict and len({part.count for part in parts}) > 1):
        return None
    return Zipped(parts, is_strict)


def _numbered(parts_of: Parts, args: Any, kwargs: Any) -> Rows | None:
    start = args[1] if len(args) == 2 else kwargs.get("start", 0)
    is_plain = type(start) is int and len(args) + len(kwargs) <= 2
    parts = parts_of(args[:1]) if is_plain and kwargs.keys() <= {"start"} else None
    return None if parts is None else Numbered(parts[0], start)


def _reversed(parts_of: Parts, args: Any, kwargs: Any) -> Rows | None:
    is_sequence = len(args) == 1 and type(args[0]) in (list, tuple, range, FollowedList)
    parts = parts_of(args) if is_sequence and not kwargs else None
    return None if parts is None else Reversed(parts[0])


ROW_MAKERS: dict[Any, Callable[[Parts, Any, Any], Rows | None]] = {
    zip: _zipped,
    enumerate: _numbered,
    reversed: _reversed,
}


def _of_combinations(sizes: Sequence[int], r: int) -> int:
    return math.comb(sizes[0], r) if r >= 0 else 0


def _of_repetitions(sizes: Sequence[int], r: int) -> int:
    return math.comb(sizes[0] + r - 1, r) if r > 0 else 0


def _of_permutations(sizes: Sequence[int], r: int = -1) -> int:
    return math.perm(sizes[0], sizes[0] if r < 0 else r)


def _of_product(sizes: Sequence[int], repeat: int = 1) -> int:
    return math.prod(sizes) ** repeat if repeat > 0 else 0


# How many items these make of pools of some sizes.
MADE_OF_NUMBERS: dict[Any, Callable[..., int]] = {
    itertools.combinations: _of_combinations,
    itertools.combinations_with_replacement: _of_repetitions,
    itertools.permutations: _of_permutations,
    itertools.product: _of_product,
}
