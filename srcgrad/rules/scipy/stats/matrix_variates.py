"""Rules for ``scipy.stats``: densities of matrices, and of vectors with heavy tails."""

import math

import numpy as np
from scipy import special, stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.stats.distributions import silently
from srcgrad.rules.scipy.stats.multivariate import as_matrix, size_of

multigammaln = replacement_of(special.multigammaln)
LOG_2, LOG_PI = math.log(2.0), math.log(math.pi)


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


def check_degrees(df, size):
    if df <= size - 1:
        raise ValueError(
            "Degrees of freedom must be greater than the dimension of scale matrix "
            "minus 1."
        )


def wishart_logpdf(self, x, df, scale):
    scale = as_scale(scale)
    size = np.shape(scale)[0]
    check_degrees(df, size)
    x = in_rows(x, size)
    root, of_x = np.linalg.cholesky(scale), np.linalg.cholesky(x)
    apart = np.linalg.solve(root, of_x)
    trace = np.sum(apart * apart, axis=(-2, -1))
    constant = 0.5 * df * (size * LOG_2 + log_det(root)) + multigammaln(0.5 * df, size)
    return np.squeeze(0.5 * (df - size - 1) * log_det(of_x) - 0.5 * trace - constant)


def invwishart_logpdf(self, x, df, scale):
    scale = as_scale(scale)
    size = np.shape(scale)[0]
    check_degrees(df, size)
    x = in_rows(x, size)
    root, of_x = np.linalg.cholesky(scale), np.linalg.cholesky(x)
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


def vonmises_fisher_logpdf(self, x, mu=None, kappa=1):
    size = np.shape(mu)[-1]
    half = 0.5 * size - 1.0
    constant = half * np.log(kappa) - 0.5 * size * (LOG_2 + LOG_PI) - kappa
    constant = constant - np.log(special.ive(half, kappa))
    return constant + kappa * np.sum(mu * x, axis=-1)


def dirichlet_multinomial_logpmf(self, x, alpha, n):
    shape = np.broadcast_shapes(np.shape(x), np.shape(alpha))
    x, alpha = np.broadcast_to(np.floor(x), shape), np.broadcast_to(alpha, shape)
    whole = np.sum(alpha, axis=-1)
    out = special.gammaln(whole) + special.gammaln(np.add(n, 1.0))
    out = out - special.gammaln(n + whole)
    each = special.gammaln(x + alpha) - special.gammaln(alpha)
    out = out + np.sum(each - special.gammaln(x + 1.0), axis=-1)
    return np.where(np.sum(x, axis=-1) == n, out, -np.inf)


@silently
def normal_inverse_gamma_logpdf(self, x, s2, mu=0, lmbda=1, a=1, b=1):
    out = 0.5 * (np.log(lmbda) - np.log(2.0 * np.pi * s2))
    out = out + a * np.log(b) - special.gammaln(a) - (a + 1) * np.log(s2)
    out = out - (2.0 * b + lmbda * (x - mu) ** 2) / (2.0 * s2)
    unknown = np.logical_not((lmbda > 0) & np.greater(a, 0) & np.greater(b, 0))
    return np.where(unknown, np.nan, np.where(s2 > 0, out, -np.inf))


def exponential_of(logs):
    def density(self, *args, **kwargs):
        return np.exp(logs(self, *args, **kwargs))

    return density


for _kind, _end, _logs in (
    (stats.wishart, "pdf", wishart_logpdf),
    (stats.invwishart, "pdf", invwishart_logpdf),
    (stats.matrix_normal, "pdf", matrix_normal_logpdf),
    (stats.matrix_t, "pdf", matrix_t_logpdf),
    (stats.vonmises_fisher, "pdf", vonmises_fisher_logpdf),
    (stats.dirichlet_multinomial, "pmf", dirichlet_multinomial_logpmf),
    (stats.normal_inverse_gamma, "pdf", normal_inverse_gamma_logpdf),
):
    for _name, _own in ((f"log{_end}", _logs), (_end, exponential_of(_logs))):
        defined_as(getattr(type(_kind), _name), _own)
defined_as(type(stats.multivariate_t).logpdf, t_logpdf)
defined_as(type(stats.multivariate_t).pdf, t_pdf)
