"""``stacked_list``: a list that a loop has built, as an array.

While a run is recorded all its items are there. Where the loop is one of any count in
the end, it keeps them in a list of its own, which then is one of the items. Generated
code has ``np.array([first, *items])``.
"""

from typing import Any

import numpy as np

from srcgrad.facts import declare
from srcgrad.protocols import dispatched


@dispatched
def stacked_list(items: Any, loop: int, place: int | None = None) -> Any:
    """An array of items; at ``place`` there may be an array of several.

    ``loop`` tells which one has filled the list: lists of one are always as long, or
    by so many items longer.

    >>> stacked_list((1.0, 2.0), 0)
    array([1., 2.])
    >>> stacked_list((1.0, np.array([2.0, 3.0])), 0, 1)
    array([1., 2., 3.])
    """
    if place is None:
        return np.array(items)
    return np.array([*items[:place], *items[place], *items[place + 1 :]])


declare(stacked_list, quiet=True, sequence="items", shape_by_value=True)
