"""``numbers_of``: the numbers of which Python's ``min`` or ``max`` gives one.

Both are written in C, and are an ``if`` a number; as such they are recorded
(``Choosing.extreme``).

>>> from srcgrad.tracing.arrays.traced_array import TracedArray
>>> numbers_of(max, (TracedArray.make(2.0, None), 0.0), {}) is None
False
>>> numbers_of(max, ([1.0, 2.0],), {}) is None
True
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol

# What the one that is found so far is compared with, as in Python: it stays if equal.
ORDER = {min: "Lt", max: "Gt"}
# Of more there are too many ways.
MOST = 8


def numbers_of(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Sequence[Any] | None:
    """What is compared, where it is a few numbers, and one of them is in the graph."""
    if kwargs:
        return None
    items = args[0] if len(args) == 1 and type(args[0]) in (list, tuple) else args
    if not 2 <= len(items) <= MOST or not all(map(_is_number, items)):
        return None
    return items if any(isinstance(item, ArrayProtocol) for item in items) else None


def _is_number(item: Any) -> bool:
    raw = item.value if isinstance(item, ArrayProtocol) else item
    return type(raw) in (float, int, np.float64)
