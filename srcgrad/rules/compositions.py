"""NumPy functions that are defined by other NumPy functions, so that they need no rule.

>>> import numpy as np
>>> import srcgrad.rules
>>> COMPOSITIONS[np.ptp](np.array([3.0, 1.0, 7.0]))
np.float64(6.0)
"""

from typing import Any

import numpy as np

from srcgrad.facts import UNKNOWN, Operation, declare, facts_of

# Each NumPy function with the one that runs in its place on Variables.
COMPOSITIONS: dict[Operation, Operation] = {}


def defined_as(function: Operation, implementation: Operation) -> None:
    """Run ``implementation`` where a Variable meets ``function``.

    It has NumPy's own signature, and calls only ``np.*`` functions on its arguments. A
    call for which it gives ``NotImplemented`` is left to the function's own rule.
    """
    COMPOSITIONS[function] = implementation
    if facts_of(function) == UNKNOWN:
        declare(function, raises=True)  # it does nothing but compute


def as_array(x: Any) -> Any:
    """Return what has the shape of an array as it is (a Variable), else an array."""
    return x if hasattr(x, "ndim") else np.asarray(x)


def without_out(out: Any) -> None:
    """Refuse an array to write into, where a gradient would be lost in it."""
    if out is not None:
        raise TypeError(
            "a result that depends on Variables cannot be written into `out`"
        )
