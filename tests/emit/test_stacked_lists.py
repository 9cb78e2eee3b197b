"""Sequences of what loops have kept are written as parts of their lists."""

import numpy as np
import pytest

from srcgrad.emit.one_line import text
from srcgrad.emit.stacked_lists import runs
from srcgrad.steps import Value

HS = tuple(Value((), np.dtype(float)) for _ in range(5))
YS = tuple(Value((), np.dtype(float)) for _ in range(2))
OTHER = Value((), np.dtype(float))
KEPT = {
    item: (name, items, n)
    for name, items in (("hs", HS), ("ys", YS))
    for n, item in enumerate(items)
}


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (HS, ["hs"]),
        (HS[::-1], ["hs[::-1]"]),
        (HS[1:], ["hs[1:]"]),
        (HS[:3], ["hs[:3]"]),
        (HS[3:0:-1], ["hs[3:0:-1]"]),
        (HS[2::-1], ["hs[2::-1]"]),
        ((OTHER, *HS[1:3], OTHER), [1, "hs[1:3]", 1]),
        ((*HS, *YS), ["hs", "ys"]),
        ((*YS[::-1], *HS[3:]), ["ys[::-1]", "hs[3:]"]),
        ((HS[0], HS[0], HS[2], 1.5), [1, 1, 1, 1]),
        ((), []),
    ],
)  # fmt: skip
def test_items_are_parts_of_lists(items, expected):
    found = list(runs(KEPT, items))
    assert sum(count for count, _ in found) == len(items)
    assert [count if part is None else text(part) for count, part in found] == expected
