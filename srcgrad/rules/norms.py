"""Rules for the norms of vectors and matrices, and for condition numbers.

At zero a norm has the slope 0; where several elements or sums are the largest, they
share the slope.
"""

import math

import numpy as np

from srcgrad.rules.broadcasting import expand_reduced, reduced_axes
from srcgrad.rules.complexes import adjoint, is_complex
from srcgrad.rules.matrices import columns, nonzero, scalars
from srcgrad.rules.registry import defvjp


def sign(x):
    """``np.sign``, in a form that has the right derivative for complex numbers."""
    return x / nonzero(np.abs(x)) if is_complex(x) else np.sign(x)


def divisor(out):
    """A norm to divide by: it leaves 0 where it is 0, nan where it has overflowed."""
    return np.where(out == 0, 1.0, np.where(np.isinf(out), np.nan, out))


def vector_norm_back(g, x, out, ord, axes):
    """The gradient of a norm of vectors; g and out keep the axes. At zero it is 0."""
    if ord is None or ord == 2:
        return x * (g / divisor(out))
    if ord == 0:
        return np.zeros_like(x)
    if ord == 1:
        return g * sign(x)
    size = np.abs(x)
    if math.isinf(ord):
        return g * sign(x) * share_of_extreme(size, ord, axes)
    slope = g * sign(x) * (nonzero(size) / divisor(out)) ** (ord - 1)
    return slope if ord > 0 else slope * (out != 0)


def share_of_extreme(size, ord, axes):
    """One for the largest (smallest if ord is negative), shared where several are."""
    if not math.prod(size.shape):
        return size
    extreme = np.max if ord > 0 else np.min
    hits = size == extreme(size, axis=axes, keepdims=True)
    return hits / np.sum(hits, axis=axes, keepdims=True)


def matrix_norm_back(g, x, out, ord, axes):
    by_name = isinstance(ord, str)
    if ord is None or (by_name and ord != "nuc"):
        return x * (g / divisor(out))
    if by_name or abs(ord) == 2:
        ends = (-2, -1)
        slope = slope_of_singular_values(np.moveaxis(x, axes, ends), ord)
        return g * np.moveaxis(slope, ends, axes)
    summed, compared = axes if abs(ord) == 1 else axes[::-1]
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    return g * sign(x) * share_of_extreme(sums, ord, compared)


def slope_of_singular_values(x, ord):
    """The slope of the largest (2), the smallest (-2), or the sum of them all."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    # As with abs, a singular value that is zero up to rounding has the slope 0.
    rounding = np.finfo(s.dtype).eps * max(x.shape[-2:])
    u = u * columns(s > rounding * s[..., :1])
    if isinstance(ord, str):
        return u @ vh
    one = slice(0, 1) if ord > 0 else slice(-1, None)
    return u[..., one] @ vh[..., one, :]


def norm_back(g, x, x_shape, out, ord, axis, keepdims):
    axes = reduced_axes(len(x_shape), axis)
    g, out = (expand_reduced(each, x_shape, axis, keepdims) for each in (g, out))
    if len(axes) == 2 and not (ord is None and axis is None):
        return matrix_norm_back(g, x, out, ord, axes)
    return vector_norm_back(g, x, out, ord, axes)


def norm_of_vectors_back(g, x, x_shape, out, ord, axis, keepdims):
    axes = reduced_axes(len(x_shape), axis)
    g, out = (expand_reduced(each, x_shape, axis, keepdims) for each in (g, out))
    return vector_norm_back(g, x, out, ord, axes)


def norm_of_matrices_back(g, x, x_shape, out, ord, keepdims):
    return norm_back(g, x, x_shape, out, ord, (-2, -1), keepdims)


defvjp(np.linalg.norm, x=norm_back)
defvjp(np.linalg.vector_norm, x=norm_of_vectors_back)
defvjp(np.linalg.matrix_norm, x=norm_of_matrices_back)


# ----- Condition numbers -----
def condition_back(g, x, out, p):
    """The slope of a quotient of singular values, or of two norms' product."""
    # Before NumPy 2.1 that of a complex matrix may be a complex number.
    g = scalars(np.real(g) if is_complex(g) else g)
    if p is None or p in (2, -2):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        signs = np.zeros(s.shape[-1], s.dtype)
        signs[0] += 1.0
        signs[-1] -= 1.0
        signs = -signs if p == -2 else signs
        return g * scalars(out) * ((u * columns(signs / s)) @ vh)
    inverse, ends = np.linalg.inv(x), (-2, -1)
    size, size_of_inverse = (
        np.linalg.norm(each, p, axis=ends, keepdims=True) for each in (x, inverse)
    )
    of_x = matrix_norm_back(g * size_of_inverse, x, size, p, ends)
    of_inverse = matrix_norm_back(g * size, inverse, size_of_inverse, p, ends)
    return of_x - adjoint(inverse) @ of_inverse @ adjoint(inverse)


defvjp(np.linalg.cond, x=condition_back)
