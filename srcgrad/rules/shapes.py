"""Rules for functions that arrange elements anew: shapes, axes, order, diagonals."""

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from srcgrad.rules.broadcasting import along, reshaped
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant, defjvp, deflinear, defvjp
from srcgrad.updates import cast, scatter

# ----- Shapes -----


def reshaped_in_order(g, shape, order):
    """Reshape back in the order in which the elements were read."""
    if order in ("F", "f"):
        return np.reshape(g, shape, order="F")
    if order in ("C", "c", None) or len(shape) < 2:
        return reshaped(g, shape)
    raise NotImplementedError(
        f"order={order!r} reads elements as they lie in memory, which srcgrad does not "
        "keep for the backward pass: use order='C' or order='F'"
    )


def without_new_axes(g, arys_shape):
    """The same for each of several arrays; one alone does not come as a tuple."""
    pieces = (g,) if len(arys_shape) == 1 else g
    return list(map(reshaped, pieces, arys_shape))


for function in (np.reshape, np.ravel):
    defvjp(
        function,
        a=lambda g, a_shape, order: reshaped_in_order(g, a_shape, order),
    )
for function in (np.expand_dims, np.squeeze):
    defvjp(function, a=lambda g, a_shape: reshaped(g, a_shape))
for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    defvjp(function, arys=without_new_axes)
defvjp(np.broadcast_to, array=lambda g: g)
defvjp(np.broadcast_arrays, args=lambda g: g)

# ----- Axes -----


def transposed_back(g, axes):
    if axes is None:
        return np.transpose(g)
    axes = [axis % g.ndim for axis in np.atleast_1d(axes)]
    return np.transpose(g, tuple(axes.index(axis) for axis in range(g.ndim)))


def rolled_axis_back(g, axis, start):
    axis, start = axis % g.ndim, start + g.ndim if start < 0 else start
    return np.moveaxis(g, start - 1 if axis < start else start, axis)


defvjp(np.transpose, a=transposed_back)
defvjp(np.matrix_transpose, x=lambda g: np.matrix_transpose(g))
defvjp(np.swapaxes, a=lambda g, axis1, axis2: np.swapaxes(g, axis1, axis2))
defvjp(
    np.moveaxis,
    a=lambda g, source, destination: np.moveaxis(g, destination, source),
)
defvjp(np.rollaxis, a=rolled_axis_back)

# ----- Order of elements -----


def negated(shift):
    """As Python's integers: in an unsigned one, the negative is another number."""
    return tuple(map(negated, shift)) if np.ndim(shift) else -int(shift)


def ordered_back(g, out, a, a_shape, axis):
    """Take each cotangent to the element that came to stand there.

    What sorts the argument and what sorts the result lead to the same sequence. So this
    holds for partitions too, whatever NumPy does where their order is not determined.
    """
    if axis is None:
        flat = ordered_back(g, out, np.reshape(a, -1), None, 0)
        return reshaped(flat, a_shape)
    ranks = np.argsort(np.argsort(a, axis=axis, kind="stable"), axis=axis)
    in_order = np.argsort(out, axis=axis, kind="stable")
    return np.take_along_axis(np.take_along_axis(g, in_order, axis), ranks, axis)


def ordered_forth(out, a, axis):
    """Take the tangent of each element to where that came to stand."""

    def forth(t):
        x, own = (np.reshape(a, -1), 0) if axis is None else (a, axis)
        ranks = np.argsort(np.argsort(out, axis=own, kind="stable"), axis=own)
        places = np.take_along_axis(np.argsort(x, axis=own, kind="stable"), ranks, own)
        return np.take_along_axis(np.reshape(t, x.shape), places, own)

    return forth


def sorted_back(g, a, a_shape, axis):
    """The same for a result that is in order."""
    if axis is None:
        return reshaped(sorted_back(g, np.reshape(a, -1), None, 0), a_shape)
    ranks = np.argsort(np.argsort(a, axis=axis, kind="stable"), axis=axis)
    return np.take_along_axis(g, ranks, axis)


defvjp(np.flip, m=lambda g, axis: np.flip(g, axis))
defvjp(np.fliplr, m=lambda g: np.fliplr(g))
defvjp(np.flipud, m=lambda g: np.flipud(g))
defvjp(np.rot90, m=lambda g, k, axes: np.rot90(g, -k, axes))
defvjp(np.roll, a=lambda g, shift, axis: np.roll(g, negated(shift), axis))
defvjp(np.sort, a=sorted_back)
defvjp(np.partition, a=ordered_back)
defjvp(np.partition, a=ordered_forth)


def sort_complex(a):
    """``np.sort_complex``: in order, and complex."""
    return ordered if (ordered := np.sort(a)).dtype.kind == "c" else cast(ordered, "D")


defined_as(np.sort_complex, sort_complex)

# ----- Zeros at the ends -----


def trim_zeros(filt, trim="fb", axis=None):
    """``np.trim_zeros``: a view without the zeros before and after."""
    if not set(trim.lower()) <= {"f", "b"}:
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    ndim = np.ndim(filt)
    axes = range(ndim) if axis is None else normalize_axis_tuple(axis, ndim)
    index = []
    for own, places in enumerate(np.nonzero(filt) if ndim else ()):
        part = slice(0)  # if there are only zeros
        if places.size:
            start, stop = int(np.min(places)), int(np.max(places)) + 1
            is_first, is_last = ("f" in trim.lower(), "b" in trim.lower())
            part = slice(start if is_first else None, stop if is_last else None)
        index.append(part if own in axes else slice(None))
    return filt[tuple(index)]


defined_as(np.trim_zeros, trim_zeros)

# ----- Diagonals and triangles -----


def undiagonal(g, shape, offset=0, axis1=0, axis2=1):
    """Put a cotangent on a diagonal of zeros: the transpose of ``np.diagonal``.

    In a flat matrix, a diagonal is a slice.
    """
    axes = axis1 % len(shape), axis2 % len(shape)
    batch = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    rows, columns = (shape[axis] for axis in axes)
    start = offset if offset >= 0 else -offset * columns
    stop = min(start + g.shape[-1] * (columns + 1), rows * columns)
    index = along(len(batch), slice(start, stop, columns + 1))
    flat = scatter(g, index, (*batch, rows * columns))
    out = np.reshape(flat, (*batch, rows, columns))
    are_last = axes == (len(batch), len(batch) + 1)
    return out if are_last else np.moveaxis(out, (-2, -1), axes)


def from_diagonal(g, v_shape, k):
    return np.diagonal(g, k) if len(v_shape) == 1 else undiagonal(g, v_shape, k)


def trace_vjp(g, a_shape, offset, axis1, axis2):
    rows, columns = a_shape[axis1], a_shape[axis2]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    g = np.broadcast_to(np.expand_dims(g, -1), (*np.shape(g), length))
    return undiagonal(g, a_shape, offset, axis1, axis2)


defvjp(np.diag, v=from_diagonal)
defvjp(
    np.diagflat,
    v=lambda g, v_shape, k: reshaped(np.diagonal(g, k), v_shape),
)
defvjp(
    np.diagonal,
    a=lambda g, a_shape, offset, axis1, axis2: undiagonal(
        g, a_shape, offset, axis1, axis2
    ),
)
defvjp(np.trace, a=trace_vjp)
deflinear(np.diag, "v")
deflinear(np.diagflat, "v")
deflinear(np.trace, "a")
defvjp(np.tril, m=lambda g, k: np.tril(g, k))
defvjp(np.triu, m=lambda g, k: np.triu(g, k))

# ----- New arrays -----

defvjp(np.full_like, a=None, fill_value=lambda g: g)
defconstant(np.zeros_like, np.ones_like, np.empty_like)
