"""The stacked outputs of loops (ys): parts of their lists, not item by item.

>>> import numpy as np
>>> from srcgrad.emit.one_line import text
>>> a, b, c, x = (Value((), np.dtype(float), name) for name in "abcx")
>>> places = {item: ("hs", (a, b, c), number) for number, item in enumerate((a, b, c))}
>>> for count, part in runs(places, (x, c, b, a, b, c)):
...     print(count, part and text(part))
1 None
3 hs[::-1]
2 hs[1:]
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from srcgrad.emit.syntax import constant, name, subscript
from srcgrad.steps import Value

# For what is in a list: the name of that, all that is in it, and the item's place.
Stacked = Mapping[Value, tuple[str, Sequence[Value], int]]


def runs(
    stacked: Stacked, items: Sequence[Any]
) -> Iterator[tuple[int, gast.expr | None]]:
    """Divide items into runs of several that are a part of a list, and single ones.

    Yields how many there are, and that part of the list.
    """
    start = 0
    while start < len(items):
        count, step = _run(stacked, items[start:])
        found = stacked[items[start]] if count > 1 else None
        yield count, None if found is None else _part(*found, count, step)
        start += count


def _run(stacked: Stacked, items: Sequence[Any]) -> tuple[int, int]:
    """How many items are in one list at places in a row, and in which order."""
    positions = [stacked.get(item) for item in items[:2] if type(item) is Value]
    if len(positions) < 2 or positions[0] is None or positions[1] is None:
        return 1, 1
    (id, _, first), step = positions[0], positions[1][2] - positions[0][2]
    if step not in (1, -1):
        return 1, 1
    count = 0
    for item in items:
        position = stacked.get(item) if type(item) is Value else None
        if position is None or position[0] != id or position[2] != first + step * count:
            break
        count += 1
    return max(count, 1), step


def _part(
    id: str, stacked: Sequence[Value], first: int, count: int, step: int
) -> gast.expr:
    last = first + step * (count - 1)
    ends = (0, len(stacked) - 1)[::step]
    start = None if first == ends[0] else constant(first)
    stop = None if last == ends[1] else constant(last + step)
    if start is None and stop is None and step == 1:
        return name(id)
    return subscript(
        name(id), gast.Slice(start, stop, constant(-1) if step < 0 else None)
    )
