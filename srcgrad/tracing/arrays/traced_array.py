"""``TracedArray``: a Variable that stands for an ndarray, NumPy scalar or float.

Where one of these would do something else than a Variable, it does what they do.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.modes import refuse, refuse_use_of, state
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS, Operator
from srcgrad.protocols import ArrayProtocol, meant, raw_of
from srcgrad.tape.leading import leads_to_outer
from srcgrad.tape.variable import Variable
from srcgrad.tape.ways import VARIABLE_TYPES, compared, is_python_number

# The mark (``kept``) of a number that is what ``v.item()`` has given.
ASKED_FOR = object()


class TracedArray(Variable):
    """Stands for an ndarray, NumPy scalar or float while a function is traced."""

    __slots__ = ()

    stands_for_array = True

    def __hash__(self) -> int:
        if isinstance(meant(self.value), np.ndarray):
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self._number())

    def __contains__(self, item: Any) -> bool:
        self._refuse_number("is not iterable")
        return super().__contains__(item)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._refuse_number("does not support item assignment")
        if isinstance(value, Variable) and not value.stands_for_array:
            raise located(
                TypeError("cannot store a Variable in an ndarray"),
                "make the array a Variable first",
                kind="lost-gradient",
            )
        super().__setitem__(index, value)

    def _refuse_number(self, why: str) -> None:
        if not isinstance(meant(self.value), np.ndarray):
            raise TypeError(f"a {type(self.value).__name__} {why}")

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None and hasattr(meant(self.value), "__round__"):
            return int(np.round(self))
        if type(self.value) is float:  # NumPy rounds to digits in another way
            return round(self._taken_out(float, self.value), digits)
        return super().__round__(digits)

    def __repr__(self) -> str:
        refuse_use_of("__repr__")
        return repr(meant(self.value))

    def __str__(self) -> str:
        refuse_use_of("__str__")
        return str(meant(self.value))

    def _warn_of_loss(self) -> None:
        if self.kept is not ASKED_FOR:
            super()._warn_of_loss()

    # Python floats among themselves: what jumps leaves the graph, with a guard.

    def __floordiv__(self, other: Any) -> Any:
        return _floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _floor_divide(other, self)

    def copy(self, order: Any = "C") -> Any:
        if isinstance(self.value, np.generic) and self.dtype.kind in "iufc":
            return np.positive(self)  # a scalar, which has no memory, stays one
        if isinstance(meant(self.value), np.bool_):
            return self  # all that are true are one object
        return super().copy(order)

    def conjugate(self) -> Any:
        """``float.conjugate`` or ``ndarray.conjugate``."""
        return self if type(self.value) is float else super().conj()

    def astype(
        self, dtype: Any, order: Any = "K", *, copy: bool = True, **kwargs: Any
    ) -> Any:
        """Convert to a dtype; without ``copy`` only if that is another one."""
        if order != "K" or kwargs.get("casting", "unsafe") != "unsafe":
            refuse("calls `astype` with more than a dtype")
        if not copy and np.dtype(dtype) == self.dtype:
            return self
        return super().astype(dtype)


def as_result(item: TracedArray) -> Any:
    """What the user gets for it: a Variable, where its gradient leads to one.

    So it does where Python has made a number of a Variable; but what ``v.item()`` gives
    is a number to who asks for it.
    """
    is_asked_for = item.kept is ASKED_FOR
    if item.edge is not None and not is_asked_for and leads_to_outer(item):
        return Variable.make(item.value, item.edge, item.storage)
    if state.recorder is None:
        return item.value
    return TracedArray.make(item.value, None) if is_asked_for else item


def _floor_divide(a: Any, b: Any) -> Any:
    quotient: Any = np.floor_divide(a, b)
    if not (is_python_number(a) and is_python_number(b)):
        return quotient
    raw_of(a) // raw_of(b)  # the error that Python raises
    return float(quotient)


# What repeats itself, as often as an integer says, before NumPy is asked.
REPEATED_TYPES = (list, tuple, str, bytes, bytearray)


def _is_no_operand(number: TracedArray, other: Any, is_product: bool) -> bool:
    """Whether what a number stands for would leave an operation to ``other``.

    A Python number knows Python numbers and arrays only; one of NumPy's makes an array
    of a list, but ``3 * [0]`` is Python's.
    """
    raw = meant(number.value)
    if isinstance(raw, np.ndarray):
        return False
    if isinstance(raw, np.generic):
        return is_product and isinstance(other, REPEATED_TYPES)
    return not isinstance(
        other, (int, float, complex, np.ndarray, np.generic, ArrayProtocol)
    )


def _install_operators() -> None:
    def giving_way(name: str, is_product: bool) -> Callable[[Any, Any], Any]:
        operate = getattr(TracedArray, name)

        def method(self: TracedArray, other: Any) -> Any:
            if _is_no_operand(self, other, is_product):
                return NotImplemented
            return operate(self, other)

        return method

    def comparing(own: Operator) -> Callable[[Any, Any], Any]:
        compare = getattr(Variable, f"__{own.name}__")

        def method(self: TracedArray, other: Any) -> Any:
            if _is_no_operand(self, other, False):
                return NotImplemented
            if other is None:
                if isinstance(meant(self.value), np.ndarray):
                    # element by element
                    return self._call(own.ufunc, (self, None), {})
                return NotImplemented
            if is_python_number(self) and is_python_number(other):
                return compared(own, compare, self, other)
            return compare(self, other)

        return method

    for own in BINARY_OPERATORS:
        for name in (f"__{own.name}__", f"__r{own.name}__"):
            setattr(TracedArray, name, giving_way(name, own.ufunc is np.multiply))
    for own in COMPARISONS:
        setattr(TracedArray, f"__{own.name}__", comparing(own))


_install_operators()
VARIABLE_TYPES.add(TracedArray)
