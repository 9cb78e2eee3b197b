"""Rules for products of vectors, matrices and tensors."""

import functools
import itertools
import operator

import numpy as np

from srcgrad.rules.broadcasting import reshaped, unbroadcast
from srcgrad.rules.complexes import adjoint, conj
from srcgrad.rules.compositions import as_array, defined_as
from srcgrad.rules.registry import defvjp


def column(x):
    return np.expand_dims(x, -1)


def row(x):
    return np.expand_dims(x, -2)


def flat(x):
    return x if np.ndim(x) == 1 else np.reshape(x, -1)


# ----- Matrices and vectors -----


def matmul_left(g, x1_shape, x2, x2_shape):
    if len(x2_shape) == 1:
        return (g if len(x1_shape) == 1 else column(g)) * conj(x2)
    if len(x2_shape) == 2 or len(x1_shape) > 2:
        return g @ adjoint(x2)
    # One matrix or vector that met many matrices: sum over them as part of the product.
    batch = tuple(range(len(x2_shape) - 2))
    return np.tensordot(g, conj(x2), ((*batch, g.ndim - 1), (*batch, x2.ndim - 1)))


def matmul_right(g, x1, x1_shape, x2_shape):
    if len(x1_shape) == 1:
        return conj(x1) * g if len(x2_shape) == 1 else column(conj(x1)) * row(g)
    if len(x1_shape) == 2 or len(x2_shape) > 2:
        return adjoint(x1) @ g
    rows = tuple(range(len(x1_shape) - 1))
    return np.tensordot(conj(x1), g, (rows, rows))


def dot_left(g, a_shape, b, b_shape):
    n, m = len(a_shape), len(b_shape)
    if n == 0 or m == 0 or n == m == 1:
        return g * conj(b)
    if m == 1:
        return column(g) * conj(b)
    if m == 2:
        return g @ adjoint(b)
    others = (*range(m - 2), m - 1)
    return np.tensordot(g, conj(b), (tuple(range(n - 1, g.ndim)), others))


def dot_right(g, a, a_shape, b_shape):
    n, m = len(a_shape), len(b_shape)
    if n == 0 or m == 0 or n == m == 1:
        return conj(a) * g
    if n == 1:
        return column(conj(a)) * row(g)
    if n == 2 and m <= 2:
        return adjoint(a) @ g
    others = tuple(range(n - 1))
    product = np.tensordot(conj(a), g, (others, others))
    return np.moveaxis(product, 0, -2) if m > 2 else product


def inner_left(g, a_shape, b, b_shape):
    if not a_shape or not b_shape:
        return g * conj(b)
    if len(b_shape) == 1:
        return column(g) * conj(b)
    return np.tensordot(g, conj(b), len(b_shape) - 1)


def inner_right(g, a, a_shape, b_shape):
    if not a_shape or not b_shape:
        return conj(a) * g
    if len(a_shape) == 1:
        return column(g) * conj(a)
    others = tuple(range(len(a_shape) - 1))
    return np.tensordot(g, conj(a), (others, others))


defvjp(np.matmul, x1=matmul_left, x2=matmul_right)
defvjp(np.dot, a=dot_left, b=dot_right)
defvjp(np.inner, a=inner_left, b=inner_right)
defvjp(
    np.vdot,  # of all elements, the first conjugated
    a=lambda g, a_shape, b: reshaped(conj(g) * b, a_shape),
    b=lambda g, a, b_shape: reshaped(g * a, b_shape),
)
defvjp(
    np.outer,
    a=lambda g, a_shape, b: reshaped(g @ flat(conj(b)), a_shape),
    b=lambda g, a, b_shape: reshaped(flat(conj(a)) @ g, b_shape),
)


def vecdot_back(g, shape, other, axis, keepdims):
    """The product with the other vectors, which are turned to the last axis for it."""
    g = np.squeeze(g, axis) if keepdims else g
    product = column(g) * np.moveaxis(other, axis, -1)
    lengths = [*shape]
    lengths.append(lengths.pop(axis))
    return np.moveaxis(unbroadcast(product, tuple(lengths)), -1, axis)


def vecdot_left(g, x1_shape, x2, axis, keepdims):
    if axis == -1:
        return conj(g if keepdims else column(g)) * x2
    return vecdot_back(conj(g), x1_shape, x2, axis, keepdims)


def vecdot_right(g, x1, x2_shape, axis, keepdims):
    if axis == -1:
        return (g if keepdims else column(g)) * x1
    return vecdot_back(g, x2_shape, x1, axis, keepdims)


defvjp(np.vecdot, x1=vecdot_left, x2=vecdot_right)
if hasattr(np, "matvec"):  # NumPy 2.2
    defvjp(
        np.matvec,
        x1=lambda g, x2: column(g) * row(conj(x2)),
        x2=lambda g, x1: np.matvec(adjoint(x1), g),
    )
    defvjp(
        np.vecmat,  # the vector conjugated
        x1=lambda g, x2: np.matvec(x2, conj(g)),
        x2=lambda g, x1: column(x1) * row(g),
    )

# ----- Tensors -----


def contracted(axes, a_ndim, b_ndim):
    """Which axes ``np.tensordot`` sums over, and which it keeps, of each array."""
    if np.ndim(axes) == 0:
        axes = range(a_ndim - axes, a_ndim), range(axes)
    summed_a, summed_b = (np.atleast_1d(np.array(each, int)).tolist() for each in axes)
    summed_a = [axis % a_ndim for axis in summed_a]
    summed_b = [axis % b_ndim for axis in summed_b]
    kept_a = [axis for axis in range(a_ndim) if axis not in summed_a]
    kept_b = [axis for axis in range(b_ndim) if axis not in summed_b]
    return summed_a, summed_b, kept_a, kept_b


def put_in_order(x, axes):
    """Transpose an array whose axes are to be those of these numbers."""
    if axes == sorted(axes):
        return x
    return np.transpose(x, tuple(map(axes.index, range(len(axes)))))


def tensordot_left(g, a_shape, b, b_shape, axes):
    summed_a, summed_b, kept_a, kept_b = contracted(axes, len(a_shape), len(b_shape))
    product = np.tensordot(
        g, conj(b), (tuple(range(len(kept_a), g.ndim)), tuple(kept_b))
    )
    last = [summed_a[summed_b.index(axis)] for axis in sorted(summed_b)]
    return put_in_order(product, kept_a + last)


def tensordot_right(g, a, a_shape, b_shape, axes):
    summed_a, summed_b, kept_a, kept_b = contracted(axes, len(a_shape), len(b_shape))
    product = np.tensordot(conj(a), g, (tuple(kept_a), tuple(range(len(kept_a)))))
    first = [summed_b[summed_a.index(axis)] for axis in sorted(summed_a)]
    return put_in_order(product, first + kept_b)


def blocks_of(g, a_shape, b_shape):
    """Split the cotangent of ``np.kron`` into axes of a and of b by turns."""
    ndim = max(len(a_shape), len(b_shape))
    a_shape, b_shape = (
        (1,) * (ndim - len(shape)) + shape for shape in (a_shape, b_shape)
    )
    by_turns = itertools.chain.from_iterable(zip(a_shape, b_shape, strict=True))
    of_a, of_b = tuple(range(0, 2 * ndim, 2)), tuple(range(1, 2 * ndim, 2))
    return np.reshape(g, tuple(by_turns)), a_shape, b_shape, of_a, of_b


def kron_left(g, a_shape, b, b_shape):
    blocks, _, wide, _, of_b = blocks_of(g, a_shape, b_shape)
    b = np.reshape(conj(b), wide)
    return reshaped(np.tensordot(blocks, b, (of_b, tuple(range(b.ndim)))), a_shape)


def kron_right(g, a, a_shape, b_shape):
    blocks, wide, _, of_a, _ = blocks_of(g, a_shape, b_shape)
    a = np.reshape(conj(a), wide)
    return reshaped(np.tensordot(a, blocks, (tuple(range(a.ndim)), of_a)), b_shape)


defvjp(np.tensordot, a=tensordot_left, b=tensordot_right)
defvjp(np.kron, a=kron_left, b=kron_right)

# ----- Vectors in space -----


def cross_axes(g, a_shape, b_shape, axisa, axisb, axisc, axis):
    """The axes of the vectors of a, b and the result, counted from the end."""
    if axis is not None:
        axisa = axisb = axisc = axis
    ndims = len(a_shape), len(b_shape), g.ndim
    pairs = zip((axisa, axisb, axisc), ndims, strict=True)
    return (each if each < 0 else each - ndim for each, ndim in pairs)


def cross_left(g, a_shape, b, b_shape, axisa, axisb, axisc, axis):
    of_a, of_b, of_g = cross_axes(g, a_shape, b_shape, axisa, axisb, axisc, axis)
    return np.cross(conj(b), g, axisa=of_b, axisb=of_g, axisc=of_a)


def cross_right(g, a, a_shape, b_shape, axisa, axisb, axisc, axis):
    of_a, of_b, of_g = cross_axes(g, a_shape, b_shape, axisa, axisb, axisc, axis)
    return np.cross(g, conj(a), axisa=of_g, axisb=of_a, axisc=of_b)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """``np.cross`` of vectors in a plane; of those in space there is a rule."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_array(a), as_array(b)
    if not a.ndim or not b.ndim or 2 not in (a.shape[axisa], b.shape[axisb]):
        return NotImplemented
    np.cross(np.zeros(a.shape), np.zeros(b.shape), axisa, axisb, axisc)  # its errors
    a, b = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    upwards = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if a.shape[-1] == b.shape[-1] == 2:
        return upwards
    if a.shape[-1] == 2:
        parts = a[..., 1] * b[..., 2], -a[..., 0] * b[..., 2], upwards
    else:
        parts = -a[..., 2] * b[..., 1], a[..., 2] * b[..., 0], upwards
    return np.stack(parts, axis=axisc)


defvjp(np.cross, a=cross_left, b=cross_right)
defined_as(np.cross, cross)

# ----- Convolution -----


def convolved_back(g, shape, other, mode):
    """Convolve with the other array reversed; it makes no difference which of the two.

    Of the whole convolution that is the valid part, and the other way round.
    """
    n, other = shape[0] if shape else 1, conj(flat(other))[::-1]
    m = other.shape[0]
    letter = mode[0] if isinstance(mode, str) else "vsf"[mode]
    if letter == "s":
        before = (min(n, m) - 1) // 2
        g = np.pad(g, (before, min(n, m) - 1 - before))
    is_part_of_g = letter != "v" or n < m
    back = np.convolve(g, other, "valid" if is_part_of_g else "full")
    return reshaped(back, shape)


def correlate(a, v, mode="valid"):
    """``np.correlate``: a convolution with the other array reversed."""
    if np.ndim(a) > 1 or np.ndim(v) > 1:
        raise ValueError("object too deep for desired array")
    if np.size(a) < np.size(v):
        return conj(np.convolve(flat(v), flat(conj(a))[::-1], mode))[::-1]
    return np.convolve(flat(a), flat(conj(v))[::-1], mode)


defvjp(
    np.convolve,
    a=lambda g, a_shape, v, mode: convolved_back(g, a_shape, v, mode),
    v=lambda g, a, v_shape, mode: convolved_back(g, v_shape, a, mode),
)
defined_as(np.correlate, correlate)

# ----- The array API's names, and products of many -----


def outer_of_vectors(x1, x2, /):
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        raise ValueError("np.linalg.outer takes one-dimensional arrays")
    return np.outer(x1, x2)


def cross_in_space(x1, x2, /, *, axis=-1):
    if np.shape(x1)[axis] != 3 or np.shape(x2)[axis] != 3:
        raise ValueError("np.linalg.cross takes vectors of 3 elements")
    return np.cross(x1, x2, axis=axis)


def trace_of_last(x, /, *, offset=0, dtype=None):
    return np.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


def diagonal_of_last(x, /, *, offset=0):
    return np.diagonal(x, offset, axis1=-2, axis2=-1)


def multi_dot(arrays):
    """``np.linalg.multi_dot``: multiply in the order that takes the fewest steps."""
    shapes = list(map(np.shape, arrays))
    if len(shapes) < 2:
        raise ValueError("np.linalg.multi_dot: at least two arrays are needed")
    rows = [shapes[0][0] if len(shapes[0]) > 1 else 1, *(s[0] for s in shapes[1:])]
    ends = [*rows, shapes[-1][1] if len(shapes[-1]) > 1 else 1]

    @functools.cache
    def cheapest(i, j):
        """The cost of the product of arrays i to j, and where to split it."""
        return (
            min(
                (
                    cheapest(i, k)[0]
                    + cheapest(k + 1, j)[0]
                    + ends[i] * ends[k + 1] * ends[j + 1],
                    k,
                )
                for k in range(i, j)
            )
            if i < j
            else (0, i)
        )

    def product(i, j):
        if i == j:
            return arrays[i]
        k = cheapest(i, j)[1]
        return np.dot(product(i, k), product(k + 1, j))

    return product(0, len(shapes) - 1)


def matrix_power(a, n):
    """``np.linalg.matrix_power``: by repeated squaring."""
    n = operator.index(n)
    if n == 0:
        return np.zeros_like(a) + np.eye(a.shape[-1], dtype=a.dtype)
    if n < 0:
        a, n = np.linalg.inv(a), -n
    power = None
    while True:
        n, odd = divmod(n, 2)
        if odd:
            power = a if power is None else power @ a
        if n == 0:
            return power
        a = a @ a


defined_as(np.linalg.matmul, np.matmul)
defined_as(np.linalg.vecdot, np.vecdot)
defined_as(np.linalg.tensordot, np.tensordot)
defined_as(np.linalg.cross, cross_in_space)
defined_as(np.linalg.outer, outer_of_vectors)
defined_as(np.linalg.matrix_transpose, np.matrix_transpose)
defined_as(np.linalg.trace, trace_of_last)
defined_as(np.linalg.diagonal, diagonal_of_last)
defined_as(np.linalg.multi_dot, multi_dot)
defined_as(np.linalg.matrix_power, matrix_power)
