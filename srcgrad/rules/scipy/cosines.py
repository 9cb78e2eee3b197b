"""Rules for ``scipy.fft``: cosine, sine and Hankel transforms.

Each is a matrix that is symmetric, or the transpose of another of them, but for a
factor at the first or the last element, where SciPy counts a wave once or twice.
"""

import numpy as np
from scipy import fft

from srcgrad.rules.compositions import defined_by
from srcgrad.rules.fft import ADJOINT, fitted, transformed
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.scipy_sources import as_in_scipy

# The type whose matrix is the transpose.
TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}

# Elements that the transform of a type counts once, where it counts the others twice.
ENDS = {1: (0, -1), 3: (0,)}
SINE_ENDS = {3: (-1,)}


def counts(ends, n, axis, ndim):
    """2 for each element along an axis, and 1 at the ends."""
    shape = [1] * ndim
    shape[axis] = n
    factors = np.full(n, 2.0)
    factors[list(ends)] = 1.0
    return factors.reshape(shape)


def is_orthogonal(norm, orthogonalize):
    return norm == "ortho" if orthogonalize is None else bool(orthogonalize)


def transform_back(function, inverse, ends, shift):
    """The rule of a transform; ``shift`` is what its period counts besides ``n``."""
    reached, inverted = reaching(function), reaching(inverse)

    def back(g, x_shape, x_dtype, type, axis, norm, orthogonalize):
        if x_dtype.kind == "c":  # SciPy 1.17 does not pass it on
            orthogonalize = None
        axis, n = axis % g.ndim, g.shape[axis]
        if is_orthogonal(norm, orthogonalize):
            # The inverse, but for the squares of what it multiplies lengths by.
            period = 2.0 * (n + shift if type == 1 else n)
            scale = {"ortho": 1.0, "forward": 1.0 / period}.get(norm, period)
            g = scale * inverted(g, type, axis=axis, norm=norm, orthogonalize=True)
            return fitted(g, x_shape)
        to = TRANSPOSED[type]
        if to in ends:  # what the transpose counts once this type counts as the rest
            g = g * (2.0 / counts(ends[to], n, axis, g.ndim))
        g = reached(g, to, axis=axis, norm=norm, orthogonalize=False)
        if type in ends:
            g = g * (0.5 * counts(ends[type], n, axis, g.ndim))
        return fitted(g, x_shape)

    return back


def inverse_of(function):
    """An inverse is the transposed type, with the norm of the other direction."""
    reached = reaching(function)

    def inverted(x, type, n, axis, norm, workers, orthogonalize):
        orthogonal = is_orthogonal(norm, orthogonalize)
        to, norm = TRANSPOSED[type], ADJOINT[norm]
        return reached(x, to, n, axis, norm, False, workers, orthogonal)

    return inverted


def of_many(function):
    """A transform of many axes: one after the other."""
    reached = reaching(function)

    def transformed_along(x, type, s, axes, norm, workers, orthogonalize):
        for axis, n in zip(*transformed(np.shape(x), s, axes), strict=True):
            x = reached(x, type, n, axis, norm, False, workers, orthogonalize)
        return x

    return transformed_along


for _name, _ends, _shift in (("dct", ENDS, -1), ("dst", SINE_ENDS, 1)):
    _function, _inverse = getattr(fft, _name), getattr(fft, f"i{_name}")
    defvjp(_function, x=transform_back(_function, _inverse, _ends, _shift))
    defined_by(_inverse, inverse_of(_function))
    defined_by(getattr(fft, f"{_name}n"), of_many(_function))
    defined_by(getattr(fft, f"i{_name}n"), of_many(_inverse))


# ----- Hankel transforms: a convolution and a reversal, which is symmetric -----
def hankel_back(function):
    reached = reaching(function)
    return lambda g, dln, mu, offset, bias: reached(g, dln, mu, offset, bias)


defvjp(fft.fht, a=hankel_back(fft.fht))
defvjp(fft.ifht, A=hankel_back(fft.ifht))
as_in_scipy(fft, "fhtoffset")
