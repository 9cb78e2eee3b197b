"""Rules for ``scipy.stats``: densities of vectors."""

import math

import numpy as np
from scipy import special, stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.without import refuse

MultivariateNormal = type(stats.multivariate_normal)
Dirichlet = type(stats.dirichlet)
Multinomial = type(stats.multinomial)


def as_matrix(cov, size):
    """A covariance as SciPy reads it: a number, variances, or a matrix."""
    ndim = np.ndim(cov)
    if ndim == 2:
        return cov
    return cov * np.eye(size) if ndim == 0 else cov[:, None] * np.eye(size)


def size_of(mean, cov):
    if mean is not None:
        return 1 if np.ndim(mean) == 0 else np.shape(mean)[0]
    return 1 if np.ndim(cov) == 0 else np.shape(cov)[0]


def whitened(apart, cov, allow_singular):
    """Deviations in units of a covariance; its rank, and its log-determinant."""
    if isinstance(cov, stats.Covariance):
        size = cov.shape[-1]
        if cov.rank < size:
            refuse(
                "multivariate_normal of a singular Covariance object",
                "give the matrix, and allow_singular=True",
            )
        return apart @ cov.whiten(np.eye(size)), size, cov.log_pdet
    if allow_singular:
        sizes = np.linalg.eigvalsh(cov)
        least = 1e6 * np.finfo(float).eps * np.max(np.abs(sizes))
        if np.any(sizes <= least):
            return within_support(apart, cov, least)
    lower = np.linalg.cholesky(cov)
    apart = np.linalg.solve(lower, apart[..., None])[..., 0]
    log_det = 2.0 * np.sum(np.log(np.diagonal(lower)))
    return apart, np.shape(cov)[0], log_det


def within_support(apart, cov, least):
    """The same of a matrix of a smaller rank: infinite beyond its support."""
    if getattr(cov, "requires_grad", False):
        refuse("multivariate_normal by a singular matrix as `cov`", "its rank jumps")
    sizes, vectors = np.linalg.eigh(cov)
    known, apart = sizes > least, apart @ vectors
    beyond = np.linalg.norm(np.where(known, 0.0, apart), axis=-1, keepdims=True)
    apart = np.where(known, apart, 0.0) / np.sqrt(np.where(known, sizes, 1.0))
    apart = np.where(beyond < 1e3 * least, apart, np.inf)
    return apart, np.sum(known), np.sum(np.log(np.where(known, sizes, 1.0)))


def normal_logpdf(self, x, mean=None, cov=1, allow_singular=False):
    """``multivariate_normal.logpdf``"""
    is_object = isinstance(cov, stats.Covariance)
    size = cov.shape[-1] if is_object else size_of(mean, cov)
    cov = cov if is_object else as_matrix(doubles(cov), size)
    x = doubles(x)
    if np.ndim(x) < 2:
        x = np.reshape(x, (-1, 1) if size == 1 else (1, -1))
    apart = x - (0.0 if mean is None else mean)
    apart, rank, log_det = whitened(apart, cov, allow_singular)
    squares = np.sum(apart * apart, axis=-1)
    return np.squeeze(-0.5 * (rank * math.log(2.0 * math.pi) + squares + log_det))


def normal_pdf(self, x, mean=None, cov=1, allow_singular=False):
    return np.exp(normal_logpdf(self, x, mean, cov, allow_singular))


def check_weights(alpha):
    if np.min(alpha) <= 0:
        raise ValueError("All parameters must be greater than 0")


def dirichlet_logpdf(self, x, alpha):
    """``dirichlet.logpdf``: the shares stand along the first axis."""
    check_weights(alpha)
    if np.shape(x)[0] + 1 == np.shape(alpha)[0]:  # the last one is what is left
        x = np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)])
    weights = np.reshape(alpha, (-1,) + (1,) * (np.ndim(x) - 1))
    powers = np.sum(special.xlogy(weights - 1.0, x), axis=0)
    return np.squeeze(
        powers - np.sum(special.gammaln(alpha)) + special.gammaln(np.sum(alpha))
    )


def dirichlet_pdf(self, x, alpha):
    return np.exp(dirichlet_logpdf(self, x, alpha))


def summing_to_one(p):
    """Probabilities, the last of which is what the others leave."""
    first = p[..., :-1]
    return np.concatenate([first, 1.0 - np.sum(first, axis=-1, keepdims=True)], -1)


def multinomial_logpmf(self, x, n, p):
    """``multinomial.logpmf``"""
    p = summing_to_one(p)
    x = np.floor(x)
    ways = special.gammaln(np.add(n, 1)) - np.sum(special.gammaln(x + 1.0), axis=-1)
    inside = np.sum(x, axis=-1) == n
    return np.where(inside, ways + np.sum(special.xlogy(x, p), axis=-1), -np.inf)


def multinomial_pmf(self, x, n, p):
    return np.exp(multinomial_logpmf(self, x, n, p))


for function, implementation in (
    (MultivariateNormal.logpdf, normal_logpdf),
    (MultivariateNormal.pdf, normal_pdf),
    (Dirichlet.logpdf, dirichlet_logpdf),
    (Dirichlet.pdf, dirichlet_pdf),
    (Multinomial.logpmf, multinomial_logpmf),
    (Multinomial.pmf, multinomial_pmf),
):
    defined_as(function, implementation)
