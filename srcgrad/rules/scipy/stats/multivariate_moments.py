"""Rules for ``scipy.stats``: means, variances, entropies of vectors and matrices."""

import math
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.stats.distributions import silently
from srcgrad.rules.scipy.stats.matrix_variates import (
    LOG_2,
    LOG_PI,
    as_scale,
    check_degrees,
    log_det,
    spread,
)
from srcgrad.rules.scipy.stats.multivariate import (
    as_matrix,
    check_weights,
    size_of,
    summing_to_one,
)

multigammaln = replacement_of(special.multigammaln)


def log_det_of(matrix):
    return log_det(np.linalg.cholesky(matrix))


# ----- Normal and Student's -----
def normal_entropy(self, mean=None, cov=1):
    if isinstance(cov, stats.Covariance):
        return 0.5 * (cov.rank * (LOG_2 + LOG_PI + 1.0) + cov.log_pdet)
    size = size_of(mean, cov)
    spread = log_det_of(as_matrix(doubles(cov), size))
    return 0.5 * (size * (LOG_2 + LOG_PI + 1.0) + spread)


def t_entropy(self, loc=None, shape=1, df=1):
    size = size_of(None, shape)
    spread = 0.5 * log_det_of(as_matrix(doubles(shape), size))
    if df >= 400.0 * size / (math.log(size) + 1.0):
        return spread + 0.5 * size * (LOG_2 + LOG_PI + 1.0) + far_tail(size, df)
    half = 0.5 * df
    whole = half + 0.5 * size
    out = special.gammaln(half) - special.gammaln(whole) + spread
    out = out + 0.5 * size * (np.log(df) + LOG_PI)
    return out + whole * (special.psi(whole) - special.psi(half))


def far_tail(m, df):
    """What is left of the entropy of Student's where it is almost normal."""
    terms = (
        *(0.0, m, -m * (m - 2) / 4, m**2 * (m - 2) / 6),
        m * (-3 * m**3 + 8 * m**2 - 8) / 24,
        m**2 * (3 * m**3 - 10 * m**2 + 16) / 30,
    )
    return sum(term * df**-power for power, term in enumerate(terms) if term)


def matrix_normal_entropy(self, rowcov=1, colcov=1):
    rows, columns = doubles(rowcov), doubles(colcov)
    n, m = np.shape(rows)[0], np.shape(columns)[0]
    rows = spread(rows, np.zeros((n, m)), 0)
    columns = spread(columns, np.zeros((n, m)), 1)
    out = (
        n * m * (1.0 + LOG_2 + LOG_PI) + m * log_det_of(rows) + n * log_det_of(columns)
    )
    return 0.5 * out


# ----- Shares and counts -----
def dirichlet_mean(self, alpha):
    check_weights(alpha)
    return np.squeeze(alpha / np.sum(alpha))


def dirichlet_var(self, alpha):
    mean = dirichlet_mean(self, alpha)
    return mean * (1.0 - mean) / (np.sum(alpha) + 1.0)


def dirichlet_cov(self, alpha):
    mean = np.atleast_1d(dirichlet_mean(self, alpha))
    return np.squeeze((np.diag(mean) - np.outer(mean, mean)) / (np.sum(alpha) + 1.0))


def dirichlet_entropy(self, alpha):
    check_weights(alpha)
    whole = np.sum(alpha)
    out = np.sum(special.gammaln(alpha) - (alpha - 1.0) * special.psi(alpha))
    out = out - special.gammaln(whole)
    return out + (whole - np.shape(alpha)[0]) * special.psi(whole)


def known_probabilities(n, p):
    """Probabilities that sum to one; nan where they, or the count, are none."""
    p = summing_to_one(doubles(p))
    inside = np.all((p >= 0.0) & (p <= 1.0), axis=-1) & np.greater_equal(n, 0)
    return np.where(inside[..., None], p, np.nan)


def multinomial_mean(self, n, p):
    return np.expand_dims(np.floor(n), -1) * known_probabilities(n, p)


def covariances(weights):
    """Of shares of one whole: of each with itself and with each other."""
    own = weights[..., None] * np.eye(np.shape(weights)[-1])
    return own - weights[..., None] * weights[..., None, :]


def multinomial_cov(self, n, p):
    p = known_probabilities(n, p)
    return np.floor(n)[..., None, None] * covariances(p)


@silently
def multinomial_entropy(self, n, p):
    p, n = known_probabilities(n, p), np.floor(n)
    out = n * np.sum(special.entr(p), axis=-1) - special.gammaln(n + 1.0)
    n, p = n[..., None, None], p[..., None]
    x = np.arange(1.0, int(np.max(n)) + 1.0)
    logs = special.gammaln(n + 1.0) - special.gammaln(np.maximum(n - x, 0.0) + 1.0)
    logs = logs - special.gammaln(x + 1.0) + special.xlogy(x, p)
    logs = logs + special.xlog1py(n - x, -p)
    terms = np.where(x <= n, np.exp(logs) * special.gammaln(x + 1.0), 0.0)
    return out + np.sum(terms, axis=(-2, -1))


def dirichlet_multinomial_mean(self, alpha, n):
    check_weights(alpha)
    n = np.expand_dims(np.floor(n), -1)
    return n * alpha / np.sum(alpha, axis=-1, keepdims=True)


def spreading(alpha, n):
    """How much wider than a multinomial distribution it is."""
    whole = np.sum(alpha, axis=-1, keepdims=True)
    n = np.expand_dims(np.floor(n), -1)
    return alpha / whole, n * (n + whole) / (1.0 + whole)


def dirichlet_multinomial_var(self, alpha, n):
    check_weights(alpha)
    share, factor = spreading(alpha, n)
    return factor * share * (1.0 - share)


def dirichlet_multinomial_cov(self, alpha, n):
    check_weights(alpha)
    share, factor = spreading(alpha, n)
    return factor[..., None] * covariances(share)


# ----- Positive definite matrices -----
def prepared(df, scale):
    """The degrees of freedom, the scale as a matrix, its size."""
    scale = as_scale(1.0 if scale is None else scale)
    size = np.shape(scale)[0]
    df = size if df is None else df
    check_degrees(df, size)
    return df, scale, size


def wishart_mean(self, df, scale):
    df, scale, _ = prepared(df, scale)
    return np.squeeze(df * scale)


def wishart_mode(self, df, scale):
    df, scale, size = prepared(df, scale)
    return np.squeeze((df - size - 1) * scale) if df >= size + 1 else None


def wishart_var(self, df, scale):
    df, scale, _ = prepared(df, scale)
    own = np.diagonal(scale)
    return np.squeeze(df * (scale**2 + np.outer(own, own)))


def wishart_entropy(self, df, scale):
    df, scale, size = prepared(df, scale)
    slopes = np.sum(special.psi(0.5 * (df - np.arange(size))))
    out = 0.5 * (size + 1) * (log_det_of(scale) + size * LOG_2) + 0.5 * df * size
    return out + multigammaln(0.5 * df, size) - 0.5 * (df - size - 1) * slopes


def invwishart_mean(self, df, scale):
    df, scale, size = prepared(df, scale)
    return np.squeeze(scale / (df - size - 1)) if df > size + 1 else None


def invwishart_mode(self, df, scale):
    df, scale, size = prepared(df, scale)
    return np.squeeze(scale / (df + size + 1))


def invwishart_var(self, df, scale):
    df, scale, size = prepared(df, scale)
    if df <= size + 3:
        return None
    own, more = np.diagonal(scale), df - size - 1
    out = (more + 2) * scale**2 + more * np.outer(own, own)
    return np.squeeze(out / ((more + 1) * more**2 * (more - 2)))


def invwishart_entropy(self, df, scale):
    df, scale, size = prepared(df, scale)
    slopes = np.sum(special.psi(0.5 * (df - size + np.arange(1, size + 1))))
    out = 0.5 * (size + 1) * (log_det_of(scale) - LOG_2) + 0.5 * df * size
    return out + multigammaln(0.5 * df, size) - 0.5 * (df + size + 1) * slopes


# ----- Directions; a mean with a variance -----
def vonmises_fisher_entropy(self, mu=None, kappa=1):
    half = 0.5 * np.shape(mu)[0]
    below = special.ive(half - 1.0, kappa)
    out = half * (LOG_2 + LOG_PI) + np.log(below) + kappa - (half - 1.0) * np.log(kappa)
    return out - kappa * special.ive(half, kappa) / below


def normal_inverse_gamma(name, at_least):
    """``mean`` or ``var``, each of which is known above some ``a``."""

    def moments(self, mu=0, lmbda=1, a=1, b=1):
        shape = np.broadcast_shapes(*map(np.shape, (mu, lmbda, a, b)))
        known = np.logical_and(np.greater(lmbda, 0), np.greater(b, 0))
        found = FORMULAS[name](mu * 1.0, lmbda, np.multiply(a, 1.0), b)
        return tuple(
            np.broadcast_to(np.where(known & (a > least), value, np.nan), shape)[()]
            for least, value in zip(at_least, found, strict=True)
        )

    return silently(moments)


FORMULAS = {
    "mean": lambda mu, lmbda, a, b: (mu, b / (a - 1.0)),
    "var": lambda mu, lmbda, a, b: (
        b / ((a - 1.0) * lmbda),
        b**2 / ((a - 1.0) ** 2 * (a - 2.0)),
    ),
}

OF_KINDS: dict[Any, dict[str, Any]] = {
    stats.multivariate_normal: {"entropy": normal_entropy},
    stats.multivariate_t: {"entropy": t_entropy},
    stats.matrix_normal: {"entropy": matrix_normal_entropy},
    stats.vonmises_fisher: {"entropy": vonmises_fisher_entropy},
    stats.dirichlet: {
        "mean": dirichlet_mean,
        "var": dirichlet_var,
        "cov": dirichlet_cov,
        "entropy": dirichlet_entropy,
    },
    stats.multinomial: {
        "mean": multinomial_mean,
        "cov": multinomial_cov,
        "entropy": multinomial_entropy,
    },
    stats.dirichlet_multinomial: {
        "mean": dirichlet_multinomial_mean,
        "var": dirichlet_multinomial_var,
        "cov": dirichlet_multinomial_cov,
    },
    stats.wishart: {
        "mean": wishart_mean,
        "mode": wishart_mode,
        "var": wishart_var,
        "entropy": wishart_entropy,
    },
    stats.invwishart: {
        "mean": invwishart_mean,
        "mode": invwishart_mode,
        "var": invwishart_var,
        "entropy": invwishart_entropy,
    },
    stats.normal_inverse_gamma: {
        "mean": normal_inverse_gamma("mean", (1.0, 1.0)),
        "var": normal_inverse_gamma("var", (1.0, 2.0)),
    },
}
for _kind, _methods in OF_KINDS.items():
    for _name, _own in _methods.items():
        defined_as(getattr(type(_kind), _name), _own)
