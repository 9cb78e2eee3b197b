"""``np.r_[...]``, ``np.c_[...]``, ``np.mgrid[...]`` of Variables, in followed copies.

>>> concatenated(np.r_, (1.0, slice(0, 2), [3.0, 4.0]))
array([1., 0., 1., 3., 4.])
>>> from srcgrad import Variable
>>> rows, columns = concatenated(np.ogrid, (slice(0, 2), slice(Variable(1.0), 2, 3j)))
>>> rows.shape, columns.value
((2, 1), array([[1. , 1.5, 2. ]]))
"""

from typing import Any, NamedTuple

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.operands import joined, variables_in
from srcgrad.tracing.arrays.functional_array import contents
from srcgrad.tracing.arrays.python_numbers import integer
from srcgrad.tracing.arrays.replacements import arange
from srcgrad.updates import cast

CONCATENATORS = frozenset({"r_", "c_", "mgrid", "ogrid"})
GRIDS = type(np.mgrid), type(np.ogrid)


def is_named_concatenator(node: Any) -> bool:
    """Whether an expression, of gast's, has the name of one: ``np.r_``, ``c_``."""
    return (getattr(node, "attr", None) or getattr(node, "id", None)) in CONCATENATORS


def is_concatenator(item: Any) -> bool:
    """Whether something is ``np.r_`` or ``np.c_``, or what NumPy makes of the kind."""
    return isinstance(item, (type(np.r_), type(np.c_), *GRIDS))


def concatenated(indexer: Any, key: Any) -> Any:
    """``indexer[key]``, the Variables in the key included.

    As in NumPy, a text that comes first is the axis, the least number of dimensions,
    and where those of an item go that has fewer. Those for matrices (``"r"``) are left
    to NumPy.
    """
    items = contents(key if isinstance(key, tuple) else (key,))
    if not variables_in([part for item in items for part in _parts(item)]):
        return indexer[key]
    if isinstance(indexer, GRIDS):
        is_line = not isinstance(key, tuple)
        return _grid_line(items[0]) if is_line else _grid(items, indexer.sparse)
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
        line = _line(item)
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


# ----- Slices -----


def _parts(item: Any) -> tuple[Any, ...]:
    return (item.start, item.stop, item.step) if isinstance(item, slice) else (item,)


def _ends(item: slice) -> tuple[Any, Any, Any, int | None]:
    """Start, stop and step; and the number of elements, if that is given for a step."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    is_count = np.iscomplexobj(raw_of(step))
    return start, item.stop, step, integer(abs(step)) if is_count else None


def _line(item: slice) -> Any:
    """What ``np.r_`` makes of a slice."""
    start, stop, step, count = _ends(item)
    line = (
        arange(start, stop, step) if count is None else np.linspace(start, stop, count)
    )
    return line if isinstance(line, ArrayProtocol) else np.asarray(line)


def _grid_line(item: slice) -> Any:
    """``np.mgrid[item]``"""
    start, stop, step, count = _ends(item)
    if count is None:
        return arange(start, stop, step)
    dtype = np.result_type(raw_of(start), raw_of(stop), float(count))
    return (
        np.arange(0, count, 1, dtype=dtype) * _step(start, stop, count, count) + start
    )


def _step(start: Any, stop: Any, count: int, alone: int = 1) -> Any:
    """How far it is from one element to the next."""
    return alone if count == 1 else (stop - start) / float(count - 1)


def _grid(items: tuple[slice, ...], is_sparse: bool) -> Any:
    """``np.mgrid[items]`` or ``np.ogrid[items]``, of several axes."""
    ends = list(map(_ends, items))
    numbers: list[Any] = [0]
    for start, stop, step, count in ends:
        numbers += [raw_of(start), raw_of(stop), float(count or 0) or raw_of(step)]
    dtype, rank = np.result_type(*numbers), len(items)
    lines: list[Any] = []
    for axis, (start, stop, step, count) in enumerate(ends):
        if count is None:
            count = integer(np.ceil((stop - start) / step))
        else:
            step = _step(start, stop, count)
        line = np.arange(count, dtype=dtype) * step + start
        lines.append(np.reshape(line, (1,) * axis + (-1,) + (1,) * (rank - 1 - axis)))
    if is_sparse:
        return tuple(lines)
    shape = np.broadcast_shapes(*[line.shape for line in lines])
    return np.stack([cast(np.broadcast_to(line, shape), dtype) for line in lines])
