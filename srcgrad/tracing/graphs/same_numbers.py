"""Numbers that are equal, and not one object: while a function runs, identity tells.

>>> x = 0.5
>>> float(x) is x, anew(x) is x, anew(x) == x
(True, False, True)
"""

from typing import Any

import numpy as np

from srcgrad.steps import Value

# What carries a gradient, and what `+x`, `x.real` and the like may give as it is.
DIFFERENTIABLE_TYPES = (float, complex, np.inexact)


def kind_of(raw: Any) -> str:
    """The kind of the Value that stands for an array or number.

    >>> [kind_of(raw) for raw in (np.zeros(2), np.float64(1.0), 1.0)]
    ['array', 'scalar', 'float']
    """
    if not isinstance(raw, DIFFERENTIABLE_TYPES):
        return "array"
    return "scalar" if isinstance(raw, np.generic) else "float"


def copying(value: Value) -> Any:
    """What makes another of a Value's kind, of a constant."""
    if value.kind == "float":
        return complex if value.dtype.kind == "c" else float
    return np.copy if value.kind == "array" else np.positive


def anew(number: Any) -> Any:
    """The same number as another object."""
    if isinstance(number, np.generic):
        return number.copy()
    if type(number) is complex:
        return complex(number.real, number.imag)
    return number * 1.0
