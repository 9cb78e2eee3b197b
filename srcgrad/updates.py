"""Functional forms of what NumPy does in place or by method.

They take ndarrays, and Variables too (through ``protocols.dispatched``), so rules may
use them like any NumPy function. Generated code writes them out in plain NumPy.
"""

import math
from typing import Any

import numpy as np

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.views import is_basic, picks_elements, repeats_nothing

EVERY = slice(None)


@dispatched
def cast(x: Any, dtype: Any) -> Any:
    """Convert to another dtype: ``x.astype(dtype)``.

    >>> cast(np.ones(2), np.float32)
    array([1., 1.], dtype=float32)
    """
    if not hasattr(x, "astype"):  # a number of Python's
        return np.dtype(dtype).type(x)
    out = x.astype(dtype)
    # A NumPy scalar is always in the machine's byte order.
    return out if out.dtype == dtype else np.array(out, dtype)


@dispatched
def assign(x: Any, index: Any, value: Any) -> Any:
    """Return a copy of ``x`` in which ``x[index]`` is ``value``.

    >>> assign(np.zeros(3), 1, 5.0)
    array([0., 5., 0.])
    """
    out = np.array(x)
    out[index] = value
    return out


@dispatched
def scatter(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Add ``g`` into zeros of a shape at an index: the transpose of ``x[index]``.

    Indices that repeat add up.

    >>> scatter(np.array([1.0, 2.0, 4.0]), np.array([0, 0, 2]), (4,))
    array([3., 0., 4., 0.])
    """
    out = np.zeros(shape, g.dtype)
    if repeats_nothing(index):
        out[index] = g
    else:
        _add_to_flat(out.reshape(-1), index, shape, g)
    return out


@dispatched
def add_at(x: Any, index: Any, g: Any) -> Any:
    """Return a copy of ``x`` with ``g`` added at an index; what repeats adds up.

    >>> add_at(np.ones(3), slice(1, None), np.array([1.0, 2.0]))
    array([1., 2., 3.])
    """
    if is_basic(index):
        out = np.array(x)
        out[index] += g
        return out
    out = np.array(x, order="C")
    _add_to_flat(out.reshape(-1), index, out.shape, g)
    return out


def _add_to_flat(flat: Any, index: Any, shape: tuple[int, ...], g: Any) -> None:
    """Add ``g`` at an index into an array of a shape, of which ``flat`` is a view.

    ``np.add.at`` is ten times as fast on one axis as on two (NumPy 2.4). Generated code
    writes out the same for elements of an array that it has made.
    """
    # It reads beyond the end of one row for an array of places.
    has_one_axis = isinstance(index, np.ndarray) and index.ndim == np.ndim(g) == 1
    if len(shape) == 1 and (np.ndim(g) == 0 or has_one_axis):
        np.add.at(flat, index, g)
        return
    positions = _positions(index, shape)
    g = np.broadcast_to(g, np.shape(positions))
    np.add.at(flat, np.ravel(positions), np.ravel(g))


def _positions(index: Any, shape: tuple[int, ...]) -> Any:
    """Where the elements at an index lie in an array in C's order."""
    if not shape:  # True and False are all that can be an index
        return np.zeros((), np.intp)[index]
    index = _without_whole_axes(index)
    if isinstance(index, np.ndarray) and index.dtype.kind in "iu":  # of whole rows
        row = np.arange(math.prod(shape[1:])).reshape(shape[1:])
        first = index.astype(np.intp) * row.size
        return first.reshape(*index.shape, *(1,) * row.ndim) + row
    if picks_elements(index, shape):
        return np.ravel_multi_index(index, shape, mode="wrap")
    positions: Any = 0
    step = 1
    for axis in reversed(range(len(shape))):
        own = np.arange(shape[axis]) * step
        own = own.reshape(-1, *(1,) * (len(shape) - 1 - axis))
        positions = positions + np.broadcast_to(own, shape)[index]
        step *= shape[axis]
    return positions


def _without_whole_axes(index: Any) -> Any:
    """``x[i, :]`` as ``x[i]``: that the last axes are whole goes without saying.

    After an ellipsis it does not: ``x[..., i]`` is not ``x[..., i, :]``.
    """
    if type(index) is not tuple or any(part is ... for part in index):
        return index
    count = len(index)
    while count > 1 and type(index[count - 1]) is slice and index[count - 1] == EVERY:
        count -= 1
    return index[0] if count == 1 else index[:count]


@dispatched
def mark_complete(g: Any) -> Any:
    """Return a cotangent as it is: it is complete here, and somebody may look at it.

    >>> mark_complete(np.ones(2))
    array([1., 1.])
    """
    return g.view() if isinstance(g, np.ndarray) else g.copy()


@dispatched
def again(x: Any) -> Any:
    """Return an array as it is: what is computed of it is computed once more.

    A mark in a recording that keeps two equal calls apart.

    >>> again(np.ones(2))
    array([1., 1.])
    """
    return x.view() if isinstance(x, np.ndarray) else np.positive(x)


@dispatched
def as_reals(x: Any) -> Any:
    """Complex numbers as their parts, one after the other: ``x.view(float)``.

    >>> as_reals(np.array([1.0 + 2.0j]))
    array([1., 2.])
    """
    return _in_rows(x).view(x.real.dtype)


@dispatched
def as_complexes(x: Any) -> Any:
    """The other way round: ``x.view(complex)``.

    >>> as_complexes(np.array([1.0, 2.0]))
    array([1.+2.j])
    """
    return _in_rows(x).view(np.dtype(f"{x.dtype.byteorder}c{2 * x.itemsize}"))


def _in_rows(x: Any) -> Any:
    """The same, with neighbours along the last axis side by side in memory."""
    is_dense = x.ndim and x.strides[-1] == x.itemsize
    return x if is_dense else np.ascontiguousarray(x)


def moved(x: Any, place: Any = None) -> Any:
    """Return ``x`` at another place on the tape: that of ``place``, or at none.

    It is what ``x.detach()`` does, and what becomes of a Variable that is written to
    under ``no_grad``. A mark in a recording, for those who put it on the tape again; of
    arrays it is the first.

    >>> moved(np.ones(2), np.zeros(2))
    array([1., 1.])
    """
    return x


# What gives back its first argument, changed at an index.
UPDATES = frozenset({assign, add_at})

declare(cast, signals=True)  # what is too large for the new dtype
declare(mark_complete, view="part")
declare(as_reals, view="part", by_layout=True)
declare(as_complexes, view="part", by_layout=True)
declare(again, view="part")
declare(moved, view="whole")
for _update in (assign, scatter, add_at):
    declare(_update, raises_by="index")  # it may be out of bounds
