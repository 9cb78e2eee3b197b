"""``v.flat``: the elements one after the other, to be read and written.

>>> import srcgrad
>>> x = srcgrad.Variable(np.zeros((2, 2)))
>>> x.flat[::3] += 1.0
>>> x.data
array([[1., 0.],
       [0., 1.]])
"""

import functools
from typing import Any

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.tape.inplace_functions import put


class Flat:
    """What the class of a Variable has beside, where it stands for ``owner.flat``.

    It is a Variable of the elements as they were, for all that reads them as a whole;
    ``version`` is that of the owner then, ``index`` where ``next`` goes on.
    """

    __slots__ = ()

    @classmethod
    def make(cls, value: Any, edge: Any, storage: Any = None) -> Any:
        """Wrap the result of an operation: that is a Variable as any."""
        return cls.__mro__[2].make(value, edge, storage)  # type: ignore[attr-defined]

    def _look(self: Any) -> None:
        """Look at the elements again, if they have been written."""
        owner = self.owner
        if owner._version != self.version:
            elements = owner.flatten()
            for name in ("value", "edge", "storage"):
                setattr(self, name, getattr(elements, name))
            self.version = owner._version

    def _call(self: Any, function: Any, args: Any, kwargs: Any) -> Any:
        self._look()
        return super()._call(function, args, kwargs)  # type: ignore[misc]

    def __getitem__(self: Any, index: Any) -> Any:
        if type(index) is not int:
            return self.owner.flatten()[index]
        return self.owner[self._place(index)]

    def __setitem__(self: Any, index: Any, value: Any) -> None:
        places = np.arange(self.owner.size)[raw_of(index)]
        if not np.ndim(places) and np.size(raw_of(value)) != 1:
            raise ValueError("Error setting single item of array.")
        put(self.owner, places, value)

    def _place(self: Any, number: int) -> tuple[Any, ...]:
        size = self.owner.size
        if not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for size {size}")
        return tuple(map(int, np.unravel_index(number % size, self.owner.shape)))

    def __iter__(self) -> "Flat":
        return self

    def __next__(self: Any) -> Any:
        if self.index >= self.owner.size:
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    @property
    def coords(self: Any) -> Any:
        """Where ``next`` goes on."""
        return self._place(self.index)

    @property
    def base(self: Any) -> Any:
        """The array itself."""
        return self.owner


@functools.cache
def _class_of(kind: Any) -> Any:
    slots = {"__slots__": ("index", "owner", "version"), "__module__": kind.__module__}
    return type(kind.__name__, (Flat, kind), slots)


def flat_of(variable: Any) -> Any:
    """The elements of a Variable, which may be written."""
    elements = variable.flatten()
    kind: Any = type(variable)
    found: Any = object.__new__(_class_of(kind))
    found.value, found.edge, found.kept = elements.value, elements.edge, None
    found.storage = elements.storage
    found.owner, found.version, found.index = variable, variable._version, 0
    return found
