"""``gathered``: a list that a loop has filled, as an array.

While a run is recorded all its items are there. Where the loop is one of any count in
the end, it keeps them in a list of its own, which then is one of the items. Generated
code has ``np.array([first, *items])``.
"""

from typing import Any

import numpy as np

from srcgrad.facts import declare
from srcgrad.protocols import dispatched

# Which arrays are always as long as each other: by their loop, with as many other items.
Key = tuple[int, int]


@dispatched
def gathered(items: Any, key: Key, place: int | None = None) -> Any:
    """An array of items; at ``place`` there may be an array of several.

    >>> gathered((1.0, 2.0), (0, 0))
    array([1., 2.])
    >>> gathered((1.0, np.array([2.0, 3.0])), (0, 1), 1)
    array([1., 2., 3.])
    """
    if place is None:
        return np.array(items)
    return np.array([*items[:place], *items[place], *items[place + 1 :]])


declare(gathered, quiet=True, sequence="items", shape_by_value=True)
