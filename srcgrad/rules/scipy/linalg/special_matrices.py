"""Rules for ``scipy.linalg``: matrices made of vectors and of other matrices."""

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.linalg.factorizations import refuse
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy


def toeplitz(c, r=None):
    """``scipy.linalg.toeplitz``: the first column and the first row."""
    r = conj(c) if r is None else r
    m, n = np.shape(c)[-1], np.shape(r)[-1]
    values = np.concatenate([c[..., ::-1], r[..., 1:]], axis=-1)
    return values[..., np.arange(m - 1, -1, -1)[:, None] + np.arange(n)]


def hankel(c, r=None):
    """``scipy.linalg.hankel``: the first column and the last row."""
    r = np.zeros_like(c) if r is None else r
    if max(np.ndim(c), np.ndim(r)) > 1:
        refuse(
            "hankel", "of several dimensions, which SciPy 1.19 gives another meaning"
        )
    values = np.concatenate([c, r[1:]])
    return values[np.arange(np.shape(c)[0])[:, None] + np.arange(np.shape(r)[0])]


def circulant(c):
    n = np.shape(c)[-1]
    return c[..., (np.arange(n)[:, None] - np.arange(n)) % n]


def columns_and_rows(c_or_cr):
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, conj(c_or_cr))
    return doubles(c), doubles(r)


def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    return toeplitz(*columns_and_rows(c_or_cr)) @ doubles(x)


def solve_toeplitz(c_or_cr, b, check_finite=True):
    return np.linalg.solve(toeplitz(*columns_and_rows(c_or_cr)), doubles(b))


as_in_scipy(
    linalg,
    "block_diag khatri_rao companion leslie fiedler fiedler_companion diagsvd "
    "convolution_matrix",
)
for _own in (*(toeplitz, hankel, circulant, matmul_toeplitz, solve_toeplitz),):
    defined_as(getattr(linalg, _own.__name__), _own)
