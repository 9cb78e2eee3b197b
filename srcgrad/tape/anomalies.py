"""NaN and infinity in the function itself: which operation makes them, of finite ones.

Under ``detect_anomaly`` each operation on Variables is looked at. The engine does the
same for the way back.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from srcgrad.errors import AnomalyError, located
from srcgrad.facts import Operation
from srcgrad.protocols import raw_of


class Content(NamedTuple):
    """What is among the elements of some arrays and numbers."""

    has_nan: bool
    has_infinity: bool

    @classmethod
    def of(cls, *items: Any) -> "Content":
        """That of arrays, numbers, and containers of these.

        >>> Content.of(1.0, [np.array([np.inf])], {"where": None})
        Content(has_nan=False, has_infinity=True)
        """
        arrays = list(_arrays_in(items))
        return cls(
            any(bool(np.isnan(each).any()) for each in arrays),
            any(bool(np.isinf(each).any()) for each in arrays),
        )


def _arrays_in(item: Any) -> Iterator[Any]:
    item = raw_of(item)
    if isinstance(item, (tuple, list)):
        for each in item:
            yield from _arrays_in(each)
    elif isinstance(item, dict):
        yield from _arrays_in([*item.values()])
    elif isinstance(item, (np.ndarray, np.generic)):
        if item.dtype.kind in "fc":
            yield item
    elif isinstance(item, (float, complex)):
        yield item


def check_result(function: Operation | str, given: Content, result: Any) -> None:
    """Raise if a function has made NaN, or infinity, of arguments that have none.

    Raises
    ------
    AnomalyError
        Naming the user's line.
    """
    found = Content.of(result)
    name = getattr(function, "__name__", str(function))
    if (found.has_nan or found.has_infinity) and not any(given):
        raise located(
            AnomalyError(
                f"{name} returned nan or infinity, though its arguments are finite"
            )
        )
    if found.has_nan and not given.has_nan:
        raise located(
            AnomalyError(f"{name} returned nan, though no argument has one"),
            "an argument is infinite",
        )
