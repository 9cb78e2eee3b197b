"""What rules and the engine share about shapes: undoing and redoing broadcasting."""

from typing import Any

import numpy as np

from srcgrad.updates import cast

PYTHON_NUMBERS = frozenset({float, int, complex})


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum a cotangent down to the shape that was broadcast to its own.

    >>> import numpy as np
    >>> unbroadcast(np.ones((4, 3)), (3,))
    array([4., 4., 4.])
    >>> unbroadcast(np.ones((4, 3)), (4, 1)).shape
    (4, 1)
    """
    leading = g.ndim - len(shape)
    if leading > 0:
        g = np.add.reduce(g, axis=tuple(range(leading)) if leading > 1 else 0)
    if g.shape == shape:
        return g
    axes = tuple(
        axis
        for axis, (n, m) in enumerate(zip(shape, g.shape, strict=False))
        if n == 1 and m != 1
    )
    return np.add.reduce(g, axis=axes, keepdims=True) if axes else g


def fit(g: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Fit a cotangent to the array it belongs to: undo broadcasting, and its dtype.

    Raises
    ------
    RuntimeError
        If the shapes have nothing to do with each other.
    """
    if type(g) in PYTHON_NUMBERS:
        g = np.asarray(g)[()]
    if g.shape != shape:
        wide = g.shape
        g = unbroadcast(g, shape)
        if g.shape != shape:
            raise RuntimeError(
                f"a gradient of shape {wide} does not fit its input of shape {shape}"
            )
    if g.dtype is not dtype and g.dtype != dtype:
        if g.dtype.kind == "c" and dtype.kind != "c":
            g = np.real(g)
        if g.dtype != dtype:
            g = cast(g, dtype)
    return g


def added(a: Any, b: Any, dtype: np.dtype[Any]) -> Any:
    """The sum of two cotangents, of their dtype: byte order included."""
    total = a + b
    return total if total.dtype is dtype else fit(total, total.shape, dtype)


def expand_reduced(g, shape, axis=None, keepdims=False):
    """Give a reduction's cotangent back the axes that it reduced, each of length 1.

    >>> import numpy as np
    >>> expand_reduced(np.ones(4), (4, 3), axis=1).shape
    (4, 1)
    """
    if keepdims or not shape:
        return g
    return np.reshape(g, kept_shape(shape, axis))


def kept_shape(shape, axis=None):
    """The shape of a reduction's result under ``keepdims=True``."""
    reduced = reduced_axes(len(shape), axis)
    return tuple(1 if axis in reduced else n for axis, n in enumerate(shape))


def reduced_axes(ndim, axis=None):
    """Which axes a reduction over ``axis`` reduces, each as a number from 0.

    A 0-d array has none, though NumPy lets ``axis=0`` and ``axis=-1`` pass.
    """
    if axis is None or not ndim:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(axis % ndim for axis in axes)


def reduced_size(shape, axis=None):
    """How many elements a reduction over ``axis`` combines into one."""
    size = 1
    for reduced in reduced_axes(len(shape), axis):
        size *= shape[reduced]
    return size


def reshaped(x, shape):
    """Reshape, unless that would change nothing."""
    return x if x.shape == shape else np.reshape(x, shape)


def along(axis, index):
    """The index that picks along one axis, counted from 0: ``x[:, :, index]``.

    >>> along(0, 3), along(1, 3)
    (3, (slice(None, None, None), 3))
    """
    return (slice(None),) * axis + (index,) if axis else index
