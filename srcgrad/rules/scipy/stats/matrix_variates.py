"""Rules for ``scipy.stats``: densities of matrices, and of vectors with heavy tails."""

import math

import numpy as np
from scipy import special, stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import methods_as_in_scipy
from srcgrad.rules.scipy.stats.multivariate import as_matrix, size_of

LOG_2, LOG_PI = math.log(2.0), math.log(math.pi)


def multigammaln(a, d):
    """Found when it is called: a look at import would load the other chapters."""
    return replacement_of(special.multigammaln)(a, d)


# ----- Positive definite matrices -----
def as_scale(scale):
    """A scale matrix as SciPy reads it: a number, a diagonal, or a matrix."""
    scale = doubles(scale)
    ndim = np.ndim(scale)
    if ndim == 0:
        return np.reshape(scale, (1, 1))
    return scale if ndim == 2 else np.diag(scale)


def in_rows(x, size):
    """SciPy's quantiles, whose last axis counts them, with that axis first."""
    x = doubles(x)
    if np.ndim(x) == 0:
        return (x * np.eye(size))[None]
    if np.ndim(x) == 1:
        return np.reshape(x, (-1, 1, 1)) if size == 1 else np.diag(x)[None]
    return x[None] if np.ndim(x) == 2 else np.moveaxis(x, -1, 0)


def log_det(root):
    """Of a matrix, by its Cholesky factor."""
    return 2.0 * np.sum(np.log(np.diagonal(root, axis1=-2, axis2=-1)), axis=-1)


def roots_of(x, df, scale):
    """The size of the matrices; the Cholesky factors of the scale, and of each."""
    scale = as_scale(scale)
    size = np.shape(scale)[0]
    if df <= size - 1:
        raise ValueError(
            "Degrees of freedom must be greater than the dimension of scale matrix "
            "minus 1."
        )
    return size, np.linalg.cholesky(scale), np.linalg.cholesky(in_rows(x, size))


def wishart_logpdf(self, x, df, scale):
    size, root, of_x = roots_of(x, df, scale)
    apart = np.linalg.solve(root, of_x)
    trace = np.sum(apart * apart, axis=(-2, -1))
    constant = 0.5 * df * (size * LOG_2 + log_det(root)) + multigammaln(0.5 * df, size)
    return np.squeeze(0.5 * (df - size - 1) * log_det(of_x) - 0.5 * trace - constant)


def invwishart_logpdf(self, x, df, scale):
    size, root, of_x = roots_of(x, df, scale)
    apart = np.linalg.solve(of_x, root)
    trace = np.sum(apart * apart, axis=(-2, -1))
    constant = 0.5 * df * (log_det(root) - size * LOG_2) - multigammaln(0.5 * df, size)
    return np.squeeze(constant - 0.5 * trace - 0.5 * (df + size + 1) * log_det(of_x))


# ----- Matrices with a covariance of rows and one of columns -----
def spread(cov, mean, axis):
    cov = doubles(cov)
    if np.ndim(cov) == 2:
        return cov
    size = 1 if mean is None else np.shape(mean)[axis]
    return cov * np.eye(size) if np.ndim(cov) == 0 else np.diag(cov)


def whitened(x, mean, row, column):
    """The deviations from the mean, whitened from both sides, and the roots' sizes."""
    row, column = spread(row, mean, 0), spread(column, mean, 1)
    row, column = np.linalg.cholesky(row), np.linalg.cholesky(column)
    apart = doubles(x) if mean is None else doubles(x) - mean
    apart = np.linalg.solve(row, apart)
    apart = np.linalg.solve(column, np.swapaxes(apart, -1, -2))
    return apart, log_det(row), log_det(column)


def matrix_normal_logpdf(self, X, mean=None, rowcov=1, colcov=1):
    apart, of_rows, of_columns = whitened(X, mean, rowcov, colcov)
    n, m = np.shape(apart)[-2:]
    squares = np.sum(apart * apart, axis=(-2, -1))
    logs = n * m * (LOG_2 + LOG_PI) + n * of_rows + m * of_columns
    return np.squeeze(-0.5 * (logs + squares))


def matrix_t_logpdf(self, X, mean=None, row_spread=1, col_spread=1, df=1):
    apart, of_rows, of_columns = whitened(X, mean, row_spread, col_spread)
    n, m = np.shape(apart)[-2:]
    inner = np.eye(n) + apart @ np.swapaxes(apart, -1, -2)
    half = 0.5 * (df + m + n - 1)
    gammas = multigammaln(half, n) - multigammaln(0.5 * (df + n - 1), n)
    logs = 0.5 * (m * n * LOG_PI + n * of_rows + m * of_columns)
    return np.squeeze(gammas - logs - half * log_det(np.linalg.cholesky(inner)))


# ----- Vectors -----
def t_logpdf(self, x, loc=None, shape=1, df=1):
    """``multivariate_t.logpdf``, of a shape matrix that has full rank."""
    if np.any(np.isinf(df)):
        raise NotImplementedError(
            "srcgrad has a derivative of multivariate_t.logpdf for a finite `df`: use "
            "multivariate_normal"
        )
    size = size_of(loc, shape)
    x, shape = doubles(x), doubles(shape)
    if np.ndim(x) < 2:
        x = np.reshape(x, (-1, 1) if size == 1 else (1, -1))
    shape = np.reshape(shape, (1, 1)) if size == 1 else as_matrix(shape, size)
    root = np.linalg.cholesky(shape)
    apart = x if loc is None else x - loc
    apart = np.linalg.solve(root, apart[..., None])[..., 0]
    half = 0.5 * (df + size)
    scale = 0.5 * (size * (np.log(df) + LOG_PI) + log_det(root))
    squares = np.sum(apart * apart, axis=-1)
    constant = special.gammaln(half) - special.gammaln(0.5 * df) - scale
    return np.squeeze(constant - half * np.log1p(squares / df))


def t_pdf(self, x, loc=None, shape=1, df=1, allow_singular=False):
    return np.exp(t_logpdf(self, x, loc, shape, df))


def exponential_of(logs):
    def density(self, *args, **kwargs):
        return np.exp(logs(self, *args, **kwargs))

    return density


for _kind, _logs in (
    (stats.wishart, wishart_logpdf),
    (stats.invwishart, invwishart_logpdf),
    (stats.matrix_normal, matrix_normal_logpdf),
    (stats.matrix_t, matrix_t_logpdf),
):
    for _name, _own in (("logpdf", _logs), ("pdf", exponential_of(_logs))):
        defined_as(getattr(type(_kind), _name), _own)
for _kind in (stats.wishart, stats.invwishart):
    methods_as_in_scipy(_kind, "mean mode var entropy")
methods_as_in_scipy(stats.vonmises_fisher, "logpdf pdf entropy")
methods_as_in_scipy(stats.dirichlet_multinomial, "logpmf pmf mean var cov")
methods_as_in_scipy(stats.normal_inverse_gamma, "logpdf pdf mean var")
defined_as(type(stats.multivariate_t).logpdf, t_logpdf)
defined_as(type(stats.multivariate_t).pdf, t_pdf)
