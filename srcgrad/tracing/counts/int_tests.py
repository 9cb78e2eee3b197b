"""``IntTest``: how integers that change compare, not asked for its truth yet.

``day >= lockdown``: where both arms of an ``if`` are recorded it is a test of the
graph, of the integers as floats. For all others it is noted how they compare, as ever.

>>> from srcgrad.tracing.counts.loop_indices import LoopIndex, Numbers
>>> i = LoopIndex(Numbers(None, None, lambda: print("seen")), 0, 3, 1)
>>> test = IntTest("Gt", i, 2)
>>> bool(test)
seen
True
"""

from typing import Any

from srcgrad.operators import COMPARISONS
from srcgrad.tracing.counts.loop_indices import LoopIndex, LoopNumber
from srcgrad.tracing.counts.loop_items import ComputedItem, LoopItem
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.unboxing import EXACT

OWN = {each.syntax: each for each in COMPARISONS}
# What is a float of the graph wherever it is asked for; others have ways of their own.
CHANGING = frozenset({FollowedInt, LoopIndex, LoopNumber, LoopItem, ComputedItem})


class IntTest:
    """``first < second`` by the name of the symbol, ``"Lt"``."""

    __slots__ = ("first", "second", "symbol")

    def __init__(self, symbol: str, first: Any, second: Any) -> None:
        self.symbol, self.first, self.second = symbol, first, second

    def __bool__(self) -> bool:
        return bool(OWN[self.symbol].python(self.first, self.second))

    def in_graph(self) -> Any:
        """The test in the graph: a ``np.bool_`` there."""
        pair = map(_as_float, (self.first, self.second))
        return OWN[self.symbol].ufunc(*pair)


def is_of_ints(symbol: str, first: Any, second: Any) -> bool:
    """Whether an integer that changes is compared with a number, as floats can be."""
    pair = first, second
    return symbol in OWN and any(map(_changes, pair)) and all(map(_is_exact, pair))


def _changes(item: Any) -> bool:
    return type(item) in CHANGING


def _is_exact(item: Any) -> bool:
    value = item.value if _changes(item) else item
    return type(value) is float or (type(value) is int and abs(value) < EXACT)


def _as_float(item: Any) -> Any:
    return item.as_float() if _changes(item) else float(item)
