"""How a Variable lies in memory: ``x.strides``, and ``x.view(dtype)`` of numbers.

>>> from srcgrad import Variable
>>> z = Variable(np.array([1.0 + 2.0j, 3.0]), requires_grad=True)
>>> z.view(float)[1].backward()  # the first imaginary part
>>> z.grad.data
array([0.+1.j, 0.+0.j])
"""

from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.modes import refuse_use_of
from srcgrad.updates import as_complexes, as_reals


class Lying:
    """The methods of a Variable that depend on how its array lies in memory."""

    __slots__ = ()

    value: Any

    @property
    def strides(self) -> tuple[int, ...]:
        """``ndarray.strides``"""
        refuse_use_of("strides")
        strides: tuple[int, ...] = self.value.strides
        return strides

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        """``ndarray.view``: the array itself, or numbers as their parts or wholes."""
        own: Any = self
        if dtype is None and type in (None, np.ndarray):
            return own[...]
        seen = self.value.view(*(each for each in (dtype, type) if each is not None))
        if seen.dtype == self.value.dtype:
            return own[...]
        if seen.dtype == self.value.real.dtype:
            return as_reals(own)
        if seen.dtype.kind == "c" and seen.real.dtype == self.value.dtype:
            return as_complexes(own)
        raise located(
            TypeError(
                f"a Variable of dtype {self.value.dtype} has no view as {seen.dtype}, "
                "which takes its bits for other numbers"
            ),
            "write `.astype(dtype)` to convert it, or `.data.view(dtype)` for the bits",
        )
