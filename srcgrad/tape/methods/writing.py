"""The methods of a Variable that change it: ``exp_``, ``fill_``, ``sort`` and such."""

from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.protocols import TORCH_METHODS
from srcgrad.tape.inplace import setitem, update
from srcgrad.tape.inplace_functions import put
from srcgrad.tape.methods.flat_iterator import flat_of
from srcgrad.tracebacks import trim

# PyTorch's in-place methods that are ufuncs: those that write into the same shape.
_NOT_IN_PLACE = ("matmul", "mm", "t")
_SAME = {name: f for name, f in TORCH_METHODS.items() if name not in _NOT_IN_PLACE}
_FURTHER = "remainder reciprocal tan sinh cosh floor ceil sign".split()
INPLACE_UFUNCS = _SAME | {name: getattr(np, name) for name in _FURTHER}


class Writable:
    """The methods of a Variable that change it; all but ndarray's own return it."""

    __slots__ = ()

    def clamp_(self: Any, min: Any = None, max: Any = None) -> Any:
        """Limit the elements, in place."""
        # The gradient needs the elements as they were.
        return self.copy_(np.clip(np.copy(self), min, max))

    clip_ = clamp_

    def fill_(self, value: Any) -> Any:
        """Set all elements to one value, in place."""
        setitem(self, ..., value)
        return self

    def zero_(self) -> Any:
        """Set all elements to zero, in place."""
        return self.fill_(0)

    def copy_(self, source: Any) -> Any:
        """Take over the elements of another array, in place."""
        setitem(self, ..., source)
        return self

    def fill(self, value: Any) -> None:
        """Like ``ndarray.fill``."""
        setitem(self, ..., value)

    def put(self, indices: Any, values: Any, mode: Any = "raise") -> None:
        """Like ``ndarray.put``."""
        put(self, indices, values, mode)

    def sort(self: Any, axis: int = -1, **kwargs: Any) -> None:
        """Like ``ndarray.sort``: in place."""
        kwargs.setdefault("kind", "stable")
        order = np.argsort(self, axis, **kwargs)
        setitem(self, ..., np.take_along_axis(self, order, axis))

    def partition(self: Any, kth: Any, axis: int = -1, **kwargs: Any) -> None:
        """Like ``ndarray.partition``: in place."""
        order = np.argpartition(self, kth, axis, **kwargs)
        setitem(self, ..., np.take_along_axis(self, order, axis))

    @property
    def flat(self: Any) -> Any:
        """The elements one after the other."""
        if self.stands_for_array or type(self.value) is not np.ndarray:
            elements = self.flatten()
            if type(elements.value) is np.ndarray:
                elements.value.flags.writeable = False
            return elements
        return flat_of(self)

    @flat.setter
    def flat(self: Any, values: Any) -> None:
        put(self, np.arange(self.size), values)


def _install() -> None:
    def updating(function: Operation) -> Operation:
        def method(self: Any, *others: Any) -> Any:
            try:
                return update(self, function, *others)
            except Exception as error:
                trim(error)
                raise

        method.__doc__ = f"``np.{function.__name__}``, in place."
        return method

    for name, function in INPLACE_UFUNCS.items():
        method = updating(function)
        method.__name__ = f"{name}_"
        setattr(Writable, method.__name__, method)


_install()
