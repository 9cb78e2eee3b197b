"""``Comprehending``: the comprehensions of a recorded run.

A list that a comprehension makes is filled as one that a ``for`` appends to.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.iterating import Iterating
from srcgrad.tracing.capture.list_building import COMPENSATES, ListBuilding


class Comprehending:
    """What the instrumented copy calls for a comprehension."""

    def __init__(
        self, context: Context, list_building: ListBuilding, iterating: Iterating
    ) -> None:
        self._context, self._list_building, self._iterating = (
            context,
            list_building,
            iterating,
        )

    def listed(self, made_of: Callable[[Any], Any], *over: Any) -> Any:
        """``[made_of(item) for item in ...]``"""
        found, loop = (
            self._list_building.new_list([], False, False),
            self._loop(over, ()),
        )
        for item in loop():
            self._list_building.collect(found, made_of(item))
        return found

    def summed(
        self, function: Any, is_list: bool, made_of: Callable[[Any], Any], *over: Any
    ) -> Any:
        """``sum(made_of(item) for item in ...)``, if ``function`` is ``sum``."""
        loop = self._loop(over, ("total",))
        if function is not sum:
            # No name holds the items: who takes but some has them end when he is done.
            if is_list:
                return self._context.call(function, [*map(made_of, loop())])
            return self._context.call(function, map(made_of, loop()))
        total: Any = 0
        for item in loop():
            total = self._iterating.again("total", total)
            each = made_of(item)
            if type(total) is not list and not adds_up(each):
                total = [] if type(total) is int else [total]
                self._context.changes()
            if type(total) is list:
                total.append(each)
            else:
                total = total + each
        total = self._iterating.again("total", total)
        return self._context.call(sum, total) if type(total) is list else total

    def _loop(self, over: Any, names: tuple[str, ...]) -> Callable[[], Iterable[Any]]:
        """What gives the items; ``names`` are those that the loop here binds."""
        name, is_range, *iterable = over
        if not is_range:
            flags = False, False, False
            return functools.partial(
                self._iterating.along, name, flags, names, names, *iterable
            )
        flags_of_range = True, False, False, False
        return functools.partial(
            self._iterating.times, name, flags_of_range, names, names, *iterable
        )


def adds_up(item: Any) -> bool:
    """Whether ``sum`` adds an item to others as ``+`` does."""
    is_sum = isinstance(item, ArrayProtocol)
    return is_sum and not (COMPENSATES and type(raw_of(item)) in (float, complex))
