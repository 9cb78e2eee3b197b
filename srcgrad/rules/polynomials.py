"""Compositions: NumPy's functions of polynomials, given by coefficients or roots.

As in NumPy, the coefficient of the highest power comes first.
"""

import numpy as np

from srcgrad.rules.compositions import as_array, defined_as


def without_leading_zeros(p):
    """The coefficients from the first that is not zero on, and at least one."""
    p = np.atleast_1d(p)
    places = np.flatnonzero(p)
    return p[int(places[0]) :] if places.size else p[:1] * 0


# ----- Values, products -----
def polyval(p, x):
    if np.ndim(p) == 0:
        raise TypeError("a number is no array of coefficients")
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    value = np.zeros_like(x)
    for coefficient in as_array(p):
        value = value * x + coefficient
    return value


def polymul(a1, a2):
    length = len(without_leading_zeros(a1)) + len(without_leading_zeros(a2)) - 1
    product = np.convolve(np.atleast_1d(a1), np.atleast_1d(a2))
    return product[len(product) - length :]  # also the zeros have slopes


defined_as(np.polyval, polyval)
defined_as(np.polymul, polymul)


# ----- Powers -----
def vander(x, N=None, increasing=False):
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    x = x.astype(np.promote_types(x.dtype, int))
    columns = [np.ones_like(x)]
    for _ in range(len(x) - 1 if N is None else N - 1):
        columns.append(columns[-1] * x)
    columns = columns[: len(x) if N is None else N]
    if not columns:
        return np.reshape(x[:0], (len(x), 0))
    return np.stack(columns if increasing else columns[::-1], axis=1)


defined_as(np.vander, vander)
