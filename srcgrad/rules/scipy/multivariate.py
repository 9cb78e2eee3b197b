"""Rules for ``scipy.stats``: densities of vectors."""

import math

import numpy as np
from scipy import special, stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.precision import doubles

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


def normal_logpdf(self, x, mean=None, cov=1, allow_singular=False):
    """``multivariate_normal.logpdf``, of a covariance that has full rank."""
    if isinstance(cov, stats.Covariance) or allow_singular:
        raise NotImplementedError(
            "srcgrad has a derivative of multivariate_normal.logpdf for matrices of "
            "full rank as `cov`, not for Covariance objects or allow_singular=True"
        )
    size = size_of(mean, cov)
    x, cov = doubles(x), doubles(cov)
    if np.ndim(x) < 2:
        x = np.reshape(x, (-1, 1) if size == 1 else (1, -1))
    lower = np.linalg.cholesky(as_matrix(cov, size))
    apart = x - (0.0 if mean is None else mean)
    apart = np.linalg.solve(lower, apart[..., None])[..., 0]
    log_root = np.sum(np.log(np.diagonal(lower)))
    squares = np.sum(apart * apart, axis=-1)
    return np.squeeze(-0.5 * (size * math.log(2.0 * math.pi) + squares) - log_root)


def normal_pdf(self, x, mean=None, cov=1, allow_singular=False):
    return np.exp(normal_logpdf(self, x, mean, cov, allow_singular))


def dirichlet_logpdf(self, x, alpha):
    """``dirichlet.logpdf``: the shares stand along the first axis."""
    if np.shape(x)[0] + 1 == np.shape(alpha)[0]:  # the last one is what is left
        x = np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)])
    weights = np.reshape(alpha, (-1,) + (1,) * (np.ndim(x) - 1))
    powers = np.sum(special.xlogy(weights - 1.0, x), axis=0)
    return np.squeeze(
        powers - np.sum(special.gammaln(alpha)) + special.gammaln(np.sum(alpha))
    )


def dirichlet_pdf(self, x, alpha):
    return np.exp(dirichlet_logpdf(self, x, alpha))


def multinomial_logpmf(self, x, n, p):
    """``multinomial.logpmf``; the last probability is what the others leave."""
    p = np.concatenate(
        [p[..., :-1], 1.0 - np.sum(p[..., :-1], axis=-1, keepdims=True)], -1
    )
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
