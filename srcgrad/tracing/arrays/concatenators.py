"""``np.r_[...]`` and ``np.c_[...]`` of Variables, in followed copies.

>>> concatenated(np.r_, (1.0, slice(0, 2), [3.0, 4.0]))
array([1., 0., 1., 3., 4.])
"""

from typing import Any, NamedTuple

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.operands import joined, variables_in
from srcgrad.tracing.arrays.own_array import contents
from srcgrad.updates import cast

NAMES = frozenset({"r_", "c_"})


def is_named_concatenator(node: Any) -> bool:
    """Whether an expression, of gast's, has the name of one: ``np.r_``, ``c_``."""
    return (getattr(node, "attr", None) or getattr(node, "id", None)) in NAMES


def is_concatenator(item: Any) -> bool:
    """Whether something is ``np.r_`` or ``np.c_``, or what NumPy makes of the kind."""
    return isinstance(item, (type(np.r_), type(np.c_)))


def concatenated(indexer: Any, key: Any) -> Any:
    """``indexer[key]``, the Variables in the key included.

    As in NumPy, a text that comes first is the axis, the least number of dimensions,
    and where those of an item go that has fewer. Those for matrices (``"r"``) are left
    to NumPy.
    """
    items = contents(key if isinstance(key, tuple) else (key,))
    if not variables_in(items):
        return indexer[key]
    form = Form(indexer.axis, indexer.ndmin, indexer.trans1d)
    if isinstance(items[0], str):
        if items[0] in ("r", "c"):
            raise TypeError(
                f"a matrix, np.r_[{items[0]!r}, ...], holds no Variables: leave the "
                "text out, or write np.concatenate"
            )
        form = Form(*map(int, items[0].split(",")), *form[items[0].count(",") + 1 :])
        items = items[1:]
    found = [_part(item, form) for item in items]
    dtype = np.result_type(*[kind for _, kind in found])
    return np.concatenate([cast(part, dtype) for part, _ in found], axis=form.axis)


class Form(NamedTuple):
    """How items are put together; the names are NumPy's."""

    axis: int
    ndmin: int
    trans1d: int


def _part(item: Any, form: Form) -> tuple[Any, Any]:
    """An item with enough dimensions, and what promotion sees of it."""
    if isinstance(item, slice):
        line = np.r_[item]
        line = np.reshape(line, (1,) * (form.ndmin - 1) + line.shape)
        is_moved = form.ndmin > 1 and form.trans1d != -1
        return (line.swapaxes(-1, form.trans1d) if is_moved else line), line.dtype
    if type(raw_of(item)) in np.ScalarType:  # a weak one maybe
        return np.reshape(item, (1,) * form.ndmin), raw_of(item)
    array = joined(item)
    part: Any = array if isinstance(array, ArrayProtocol) else np.asarray(array)
    missing = form.ndmin - part.ndim
    if missing <= 0:
        return part, part.dtype
    part = np.reshape(part, (1,) * missing + part.shape)
    if form.trans1d == -1:
        return part, part.dtype
    start = form.trans1d + (missing + 1 if form.trans1d < 0 else 0)
    axes = [*range(form.ndmin)]
    axes = axes[:start] + axes[missing:] + axes[start:missing]
    return np.transpose(part, axes), part.dtype
