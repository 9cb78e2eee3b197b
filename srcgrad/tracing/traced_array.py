"""``TracedArray``: a Variable that stands for an ndarray, NumPy scalar or float.

Where one of these would do something else than a Variable, it does what they do.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import describe, here
from srcgrad.facts import COMPARISONS
from srcgrad.protocols import raw_of
from srcgrad.tape.fast_path import is_python_number
from srcgrad.tape.variable import Variable


class TracedArray(Variable):
    """Stands for an ndarray, NumPy scalar or float while a function is traced."""

    __slots__ = ()

    stands_for_array = True

    def __hash__(self) -> int:
        if isinstance(self.value, np.ndarray):
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self._number())

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, Variable) and not value.stands_for_array:
            raise TypeError(
                f"cannot store a Variable in an ndarray ({describe(here())}): make the "
                "array a Variable first"
            )
        super().__setitem__(index, value)

    def __round__(self, digits: int | None = None) -> Any:
        if isinstance(self.value, np.ndarray):
            raise TypeError("type numpy.ndarray doesn't define __round__ method")
        if digits is None:
            return int(np.round(self))
        if type(self.value) is float:  # NumPy rounds to digits in another way
            return round(float(self), digits)
        return super().__round__(digits)

    # Python floats among themselves: what jumps leaves the graph, with a guard.

    def __floordiv__(self, other: Any) -> Any:
        return _floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _floor_divide(other, self)

    def __divmod__(self, other: Any) -> Any:
        if is_python_number(self) and is_python_number(other):
            return self // other, self % other
        return super().__divmod__(other)

    def __rdivmod__(self, other: Any) -> Any:
        if is_python_number(self) and is_python_number(other):
            return other // self, other % self
        return super().__rdivmod__(other)

    def conjugate(self, *args: Any, **kwargs: Any) -> Any:
        """``float.conjugate`` or ``ndarray.conjugate``."""
        if type(self.value) is float:
            return self
        return np.conjugate(self, *args, **kwargs)


def _floor_divide(a: Any, b: Any) -> Any:
    quotient: Any = np.floor_divide(a, b)
    if not (is_python_number(a) and is_python_number(b)):
        return quotient
    raw_of(a) // raw_of(b)  # the error that Python raises
    return float(quotient)


def _install_comparisons() -> None:
    def compared(name: str) -> Callable[[Any, Any], Any]:
        compare = getattr(Variable, name)

        def method(self: TracedArray, other: Any) -> Any:
            result = compare(self, other)
            if is_python_number(self) and is_python_number(other):
                return bool(result)
            return result

        return method

    for own in COMPARISONS:
        name = own.name
        setattr(TracedArray, f"__{name}__", compared(f"__{name}__"))


_install_comparisons()
