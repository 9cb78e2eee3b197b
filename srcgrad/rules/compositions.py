"""NumPy functions that are defined by other NumPy functions, so that they need no rule.

>>> import numpy as np
>>> import srcgrad.rules
>>> COMPOSITIONS[np.ptp](np.array([3.0, 1.0, 7.0]))
np.float64(6.0)
"""

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]

# Each NumPy function with the one that runs in its place on Variables.
COMPOSITIONS: dict[Function, Function] = {}


def defined_as(function: Function, implementation: Function) -> None:
    """Run ``implementation`` where a Variable meets ``function``.

    It has NumPy's own signature, and calls only ``np.*`` functions on its arguments.
    """
    COMPOSITIONS[function] = implementation
