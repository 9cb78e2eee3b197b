"""What Python's floats tell of their digits: ``v.is_integer()``, ``v.hex()``.

NumPy's numbers have these methods, and its arrays have not, those of no axes neither:

>>> import srcgrad
>>> srcgrad.grad(lambda x: 2.0 * x if x.is_integer() else -x)(3.0)
2.0
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def _of_number(name: str, gives_number: bool) -> property:
    """A method that is a function of the number, which leaves the graph for it.

    What ``gives_number`` is one to compute with, which has no gradient.
    """

    def method(self: Any) -> Callable[[], Any]:
        found: Callable[[], Any] = getattr(self.value, name)

        def told() -> Any:
            if gives_number:
                self._warn_of_loss()
            self._taken_out(float, float(self.value))
            return found()

        return told

    return property(method, doc=f"``float.{name}``")


class Digits:
    """The methods of a Variable that numbers have, and arrays have not."""

    __slots__ = ()

    value: Any

    @property
    def is_integer(self) -> Callable[[], bool]:
        """``float.is_integer``: a truth, and so a branch, where it is asked for."""
        getattr(self.value, "is_integer")  # noqa: B009 (its AttributeError)
        own: Any = self
        return lambda: bool(np.isfinite(own) & (np.floor(own) == own))

    hex = _of_number("hex", False)
    as_integer_ratio = _of_number("as_integer_ratio", True)
