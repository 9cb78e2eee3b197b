"""Rules for ``scipy.stats``: densities of vectors."""

import math

import numpy as np
from scipy import stats

from srcgrad.rules.compositions import COMPOSITIONS, defined_as
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import methods_as_in_scipy
from srcgrad.rules.scipy.without import refuse

MultivariateNormal = type(stats.multivariate_normal)


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


for _name, _own in (("logpdf", normal_logpdf), ("pdf", normal_pdf)):
    defined_as(getattr(MultivariateNormal, _name), _own)
methods_as_in_scipy(stats.dirichlet, "logpdf pdf mean var cov entropy")


# ----- Probabilities, the last of which is what the others leave -----
def summing_to_one(p):
    first = doubles(p)[..., :-1]
    return np.concatenate([first, 1.0 - np.sum(first, axis=-1, keepdims=True)], -1)


def of_shares(own):
    """A method of ``multinomial``, whose last argument these are."""

    def method(self, *args, **options):
        if "p" in options:
            options["p"] = summing_to_one(options["p"])
        else:
            args = *args[:-1], summing_to_one(args[-1])
        return own(self, *args, **options)

    return method


METHODS = "logpmf pmf mean cov entropy"
methods_as_in_scipy(stats.multinomial, METHODS)
for _name in METHODS.split():
    _original = getattr(type(stats.multinomial), _name)
    defined_as(_original, of_shares(COMPOSITIONS[_original]))
