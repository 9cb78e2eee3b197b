"""``as_strided`` in a followed function: of Variables, of arrays that it has made.

>>> import srcgrad
>>> from numpy.lib.stride_tricks import as_strided
>>> def sums(x):
...     windows = as_strided(x, (3, 2), (x.strides[0], x.strides[0]))
...     return np.sum(windows**2)
>>> srcgrad.grad(sums)(np.ones(4))
array([2., 4., 4., 2.])
"""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from srcgrad.errors import located
from srcgrad.rules.strides import index_by_strides
from srcgrad.tape.apply import apply
from srcgrad.tape.operands import unwrap
from srcgrad.tracing.arrays.functional_array import (
    FunctionalArray,
    FunctionalView,
    contents,
)


def strided(
    x: Any,
    shape: Any = None,
    strides: Any = None,
    subok: bool = False,
    *,
    writeable: bool = True,
) -> Any:
    """``np.lib.stride_tricks.as_strided``"""
    shape, strides = unwrap(contents((shape, strides)))
    if not isinstance(x, FunctionalArray):
        return apply(as_strided, (x, shape, strides, subok), {"writeable": writeable})
    lies_as_seen = type(x) is FunctionalArray and type(x.content) is np.ndarray
    if not lies_as_seen or not x.content.flags.c_contiguous:
        raise located(
            TypeError(
                "as_strided of an array that a Variable was written into, or of a "
                "part of one that may be written to"
            ),
            "its memory is not where NumPy has it. Write `as_strided(np.copy(x), ...)`",
        )
    return StridedView(x, shape, strides)


class StridedView(FunctionalView):
    """The same memory, seen with other strides."""

    __slots__ = ("_seen",)

    def __init__(self, root: FunctionalArray, shape: Any, strides: Any) -> None:
        self._seen = shape, strides
        super().__init__(root, self._strided)

    def _strided(self, content: Any) -> Any:
        if type(content) is np.ndarray:
            return as_strided(content, *self._seen)
        return apply(as_strided, (content, *self._seen), {})

    def _places(self) -> Any:
        return index_by_strides(self._root.value, *self._seen)
