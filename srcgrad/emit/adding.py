"""What is added at elements that may repeat: ``np.add.at``, on one axis if that can be.

That is several times as fast there (NumPy 2.4), if the indices have one axis, too.

>>> from srcgrad.emit.one_line import text
>>> from srcgrad.emit.scope import Scope
>>> from srcgrad.steps import Value
>>> i, g = Value((3,), np.dtype(int), "i"), Value((3,), np.dtype(float), "g")
>>> scope = Scope()
>>> scope.known |= {i: name("i"), g: name("g")}
>>> print(text(added(scope, "dx", (i, 1), g, (4, 5))))
np.add.at(dx.reshape(-1), np.ravel_multi_index((i, 1), (4, 5), mode="wrap"), g)
"""

from typing import Any

import gast
import numpy as np

from srcgrad.emit.literals import size_of, written
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import attribute, call, constant, name
from srcgrad.views import picks_elements


def added(
    scope: Scope, array: str, index: Any, g: Any, shape: tuple[int, ...] | None
) -> gast.expr:
    """Write ``np.add.at(array, index, g)``; ``shape`` is that of an array in C's order.

    None: in what order the array lies in memory is not known.
    """
    own: gast.expr = name(array)
    where, value = written(scope, index), written(scope, g)
    if shape is not None and _adds_each_element(index, g, shape):
        if len(shape) > 1:
            own = _flat(own)
            mode = {"mode": constant("wrap")}  # indices from the end
            where = call(
                scope.numpy("ravel_multi_index"), [where, size_of(scope, shape)], mode
            )
        if len(_picked(index)) > 1:
            where = _flat(where)
            value = _flat(value) if np.shape(g) else value
    return call(attribute(scope.numpy("add"), "at"), [own, where, value])


def _flat(array: gast.expr) -> gast.expr:
    return call(attribute(array, "reshape"), [constant(-1)])


def _parts(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _picked(index: Any) -> tuple[int, ...]:
    """The shape of what an index of integers picks."""
    return np.broadcast_shapes(*(np.shape(part) for part in _parts(index)))


def _adds_each_element(index: Any, g: Any, shape: tuple[int, ...]) -> bool:
    """Whether one is added at each element that is picked, or the same at all."""
    if not picks_elements(_parts(index), shape):
        return False
    return np.shape(g) in ((), _picked(index))
