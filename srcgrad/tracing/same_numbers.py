"""Numbers that are equal, and not one object: while a function runs, identity tells.

>>> x = 0.5
>>> float(x) is x, anew(x) is x, anew(x) == x
(True, False, True)
"""

from typing import Any

import numpy as np

# What carries a gradient, and what `+x`, `x.real` and the like may give as it is.
NUMBERS = (float, complex, np.inexact)


def anew(number: Any) -> Any:
    """The same number as another object."""
    if isinstance(number, np.generic):
        return number.copy()
    if type(number) is complex:
        return complex(number.real, number.imag)
    return number * 1.0
