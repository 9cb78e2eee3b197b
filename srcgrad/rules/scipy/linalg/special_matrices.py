"""Rules for ``scipy.linalg``: matrices made of vectors and of other matrices."""

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import as_array, defined_as
from srcgrad.rules.scipy.linalg.factorizations import refuse
from srcgrad.rules.scipy.precision import doubles


def block_diag(*arrs):
    """``scipy.linalg.block_diag``: zeros beside and around each."""
    blocks = [np.atleast_2d(x) for x in arrs]
    stack = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
    blocks = [np.broadcast_to(x, stack + x.shape[-2:]) for x in blocks]
    dtype = np.result_type(*(block.dtype for block in blocks))
    width = sum(block.shape[-1] for block in blocks)
    rows, before = [], 0
    for block in blocks:
        m, n = block.shape[-2:]
        left = np.zeros((*stack, m, before), dtype)
        right = np.zeros((*stack, m, width - before - n), dtype)
        rows.append(np.concatenate([left, block, right], axis=-1))
        before += n
    return np.concatenate(rows, axis=-2)


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


def khatri_rao(a, b):
    """``scipy.linalg.khatri_rao``: the Kronecker product column by column."""
    product = a[..., :, None, :] * b[..., None, :, :]
    return np.reshape(product, (*product.shape[:-3], -1, product.shape[-1]))


def companion(a):
    """``scipy.linalg.companion``: of a polynomial's coefficients."""
    first = -a[..., 1:] / a[..., :1]
    n = first.shape[-1]
    rest = np.broadcast_to(
        np.eye(n - 1, n, dtype=first.dtype), (*first.shape[:-1], n - 1, n)
    )
    return np.concatenate([first[..., None, :], rest], axis=-2)


def leslie(f, s):
    """``scipy.linalg.leslie``: fecundities above survivals."""
    f, s = as_array(f), as_array(s)
    n = np.shape(f)[-1]
    below = s[..., :, None] * np.eye(n - 1, n, dtype=s.dtype)
    return np.concatenate([f[..., None, :], below], axis=-2)


def fiedler(a):
    return np.abs(a[..., :, None] - a[..., None, :])


def convolution_matrix(a, n, mode="full"):
    """``scipy.linalg.convolution_matrix``: each column is ``a``, one further down."""
    m = np.shape(a)[-1]
    zeros = np.zeros((*np.shape(a)[:-1], n - 1), a.dtype)
    full = toeplitz(
        np.concatenate([a, zeros], axis=-1),
        np.concatenate([a[..., :1], zeros], axis=-1),
    )
    if mode == "full":
        return full
    size = max(m, n) if mode == "same" else max(m, n) - min(m, n) + 1
    start = (m + n - 1 - size) // 2
    return full[..., start : start + size, :]


def fiedler_companion(a):
    """``scipy.linalg.fiedler_companion``: SciPy says where the coefficients stand."""
    a = a / a[..., :1]
    n = np.shape(a)[-1]
    numbers = linalg.fiedler_companion(np.arange(1.0, n + 1))
    is_one = numbers == 1.0
    return np.where(
        is_one, 1.0, np.where(numbers < 0, -a[..., places_in(numbers)], 0.0)
    )


def places_in(numbers):
    return np.where(numbers < -1.0, -numbers - 1.0, 0.0).astype(int)


def diagsvd(s, M, N):
    """``scipy.linalg.diagsvd``: singular values on a diagonal."""
    size = np.shape(s)[0]
    if size not in (M, N):
        raise ValueError("Length of s must be M or N.")
    square = s[:, None] * np.eye(size, dtype=s.dtype)
    return np.pad(square, [(0, M - size), (0, N - size)])


def columns_and_rows(c_or_cr):
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, conj(c_or_cr))
    return doubles(c), doubles(r)


def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    return toeplitz(*columns_and_rows(c_or_cr)) @ doubles(x)


def solve_toeplitz(c_or_cr, b, check_finite=True):
    return np.linalg.solve(toeplitz(*columns_and_rows(c_or_cr)), doubles(b))


for _own in (
    *(block_diag, toeplitz, hankel, circulant, khatri_rao, companion, leslie, fiedler),
    *(fiedler_companion, diagsvd, convolution_matrix, matmul_toeplitz, solve_toeplitz),
):
    defined_as(getattr(linalg, _own.__name__), _own)
