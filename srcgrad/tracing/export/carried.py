"""``Carried``: a module that other processes run, and whether it is still right.

It has what the function reads of its environment as constants. Here, where the
environment is, is asked if they are what they were.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.pytree import flatten, unflatten
from srcgrad.tracing.export.exporting import Exporting


class Carried:
    """A transform for calls like one, as source.

    Parameters
    ----------
    transform : Transform or Traced
        What is to run elsewhere.
    args : sequence
        Those of the call. They are not kept.

    Attributes
    ----------
    exported : Exported
        The module.
    trace : Trace
        What it is written from.

    Raises
    ------
    RuntimeError
        If it cannot be exported, saying why, and where.
    """

    def __init__(self, transform: Any, args: Sequence[Any]) -> None:
        traced, own = transform._parts()
        exporting = Exporting(traced, own, tuple(args), {})
        self.exported = exporting.bare()
        self.trace = exporting.trace()
        self._constants = exporting.constants(self.trace)
        self._alike = Exporting(traced, own, tuple(map(stand_in, args)), {})

    def is_current(self) -> bool:
        """Whether what the function reads outside its arguments is what it was."""
        now = self._alike.constants(self.trace)
        if now is None or self._constants is None:
            return False
        return all(
            np.array_equal(item, now[place], equal_nan=item.dtype.kind in "fc")
            for place, item in self._constants.items()
        )


def stand_in(tree: Any) -> Any:
    """Arguments of the same structure, shapes and dtypes, that take no memory.

    >>> stand_in({"x": np.arange(6.0).reshape(2, 3)})["x"].strides
    (0, 0)
    """
    leaves, structure = flatten(tree)
    return unflatten(structure, [_without_data(leaf) for leaf in leaves])


def _without_data(leaf: Any) -> Any:
    if type(leaf) is not np.ndarray:
        return leaf
    return np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape)
