"""``unharmed``: generated code with zeros for cotangents that the tape would not have.

They make a nan where a derivative is infinite, and warn: of nothing. Then the tape runs
instead, which warns of what there is.

>>> with np.errstate(all="warn"):
...     print(unharmed(np.divide, np.float64(0.0), np.float64(0.0)))
None
>>> unharmed(np.add, 1.0, 2.0)
np.float64(3.0)
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

# What is said if a gradient is nan, which the tape's need not be.
LOST = (
    "has a nan in a gradient through a loop or `if`, of which the tape may know better"
)


def unharmed(function: Callable[..., Any], *args: Any) -> Any:
    """What generated code gives; None if there is something to warn of."""
    met: list[str] = []
    settings = {
        kind: how if how == "ignore" else "call" for kind, how in np.geterr().items()
    }

    def note(kind: str, flag: int) -> None:
        met.append(kind)

    with np.errstate(**settings, call=note):  # type: ignore[arg-type]
        found = function(*args)
    return None if met else found


def has_nan(arrays: Iterable[Any]) -> bool:
    """Whether one of some arrays or numbers, where they are there, has a nan."""
    with np.errstate(all="ignore"):
        sums = (np.add.reduce(a, axis=None) for a in arrays if a is not None)
        return any(total != total for total in sums)
