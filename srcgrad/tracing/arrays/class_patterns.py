"""``case float(v)`` of what stands for a number: classes that it is an instance of.

A pattern asks Python's own ``isinstance``, which no replacement reaches; but which a
class may answer.

>>> import srcgrad
>>> def f(x):
...     match x:
...         case float(v):
...             return v * v
>>> srcgrad.grad(f)(3.0)
6.0
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from srcgrad.tracing.arrays.python_numbers import is_instance

MATCHED_KINDS = (
    *(float, complex, np.ndarray, np.generic, np.number, np.inexact),
    *(np.floating, np.float16, np.float32, np.float64),
    *(np.complexfloating, np.complex64, np.complex128),
)


class _Standing(type):
    """A class of what is, or stands for, an instance of another one."""

    stands_for: Any

    def __instancecheck__(cls, item: Any) -> bool:
        return is_instance(item, cls.stands_for)


# By name. A subclass takes `float(v)` for the whole number, as `float` itself does.
PATTERNS = SimpleNamespace(
    **{
        kind.__name__: _Standing(kind.__name__, (kind,), {"stands_for": kind})
        for kind in MATCHED_KINDS
    }
)
