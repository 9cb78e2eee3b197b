"""Likelihoods, posteriors, components, processes."""

import functools
import math
import warnings

import numpy as np
from scipy import linalg, special

from tests.scientific.programs import made, program

RNG = np.random.default_rng(17)
X = np.sort(RNG.uniform(0, 4, 12))
Y = np.sin(X) + 0.1 * RNG.normal(size=12)


def rbf(a, b, lengthscale, variance):
    d2 = (a[:, None] - b[None, :]) ** 2
    return variance * np.exp(-0.5 * d2 / lengthscale**2)


KERNELS = {"rbf": rbf, "linear": lambda a, b, s, v: v * np.outer(a, b) + s}


class GaussianProcess:
    """A process whose kernel is chosen by name; its evidence is differentiated."""

    def __init__(self, x, y, kernel="rbf", jitter=1e-6):
        self.x, self.y = x, y
        self.kernel = KERNELS[kernel]
        self.jitter = jitter
        self.n_evaluations = 0

    def negative_log_evidence(self, theta):
        self.n_evaluations += 1
        lengthscale, variance, noise = np.exp(theta)
        K = self.kernel(self.x, self.x, lengthscale, variance)
        K = K + (noise + self.jitter) * np.eye(len(self.x))
        L = np.linalg.cholesky(K)
        alpha = np.linalg.solve(L.T, np.linalg.solve(L, self.y))
        return (
            0.5 * self.y @ alpha
            + np.log(np.diag(L)).sum()
            + 0.5 * len(self.x) * np.log(2 * np.pi)
        )


made(
    "gaussian_process",
    lambda: GaussianProcess(X, Y).negative_log_evidence,
    [0.1, 0.2, -2.0],
)


@program([0.2, 0.3, -2.0])
def gaussian_process_by_factors(theta):
    """The same by SciPy's factors of Cholesky."""
    ell, var, noise = np.exp(theta)
    K = rbf(X, X, ell, var)
    K[np.diag_indices_from(K)] += noise
    try:
        factor = linalg.cho_factor(K, lower=True)
    except np.linalg.LinAlgError:
        return np.inf
    alpha = linalg.cho_solve(factor, Y)
    return 0.5 * Y.dot(alpha) + np.sum(np.log(np.diag(factor[0])))


@program([0.3, -0.2], RNG.poisson(2.0, size=12))
def poisson_regression(beta, counts):
    """With a prior, and factorials of the data."""
    eta = beta[0] + beta[1] * X
    log_likelihood = np.sum(counts * eta - np.exp(eta) - special.gammaln(counts + 1))
    log_prior = -0.5 * np.sum(beta**2) / 10.0
    return -(log_likelihood + log_prior)


@program([1.2, 0.8])
def weibull_survival(p):
    """Some times are censored; a bad parameter is refused."""
    shape, scale = p
    if shape <= 0 or scale <= 0:
        raise ValueError(f"bad parameters {p}")
    observed = np.arange(12) % 3 != 0
    z = (X + 0.1) / scale
    log_hazard = np.log(shape / scale) + (shape - 1) * np.log(z)
    return -(np.sum(log_hazard[observed]) - np.sum(z**shape))


@functools.lru_cache(maxsize=8)
def centring(n):
    return np.eye(n) - np.ones((n, n)) / n


@program(RNG.normal(size=(4, 2)), RNG.normal(size=(12, 4)))
def principal_components(directions, samples):
    """How much of the variance is kept by a plane."""
    centred = centring(len(samples)) @ samples
    q, _ = np.linalg.qr(directions)
    projected = centred @ q
    reconstructed = projected @ q.T
    return ((centred - reconstructed) ** 2).sum() / (centred**2).sum()


@program(RNG.normal(size=(2, 2)))
def independent_components(W):
    """Negentropy after symmetric decorrelation."""
    sources = np.vstack([np.sign(np.sin(3 * X)), Y])
    sources = sources - sources.mean(axis=1, keepdims=True)
    w, V = np.linalg.eigh(W @ W.T)
    W = V @ np.diag(1.0 / np.sqrt(w)) @ V.T @ W
    s = W @ sources
    return np.sum(np.mean(np.log(np.cosh(s)), axis=1) ** 2)


@program([0.4, 0.1, 0.2])
def log_posterior(theta):
    """A hierarchical model whose terms have names; improper values warn."""
    mu, tau, nu = theta[0], math.exp(theta[1]), 2.0 + math.exp(theta[2])
    if nu > 100:
        warnings.warn("almost normal", stacklevel=2)
    terms = {"prior": -0.5 * mu**2, "scale": -tau}
    z = (Y - mu) / tau
    terms["likelihood"] = np.sum(-0.5 * (nu + 1) * np.log1p(z**2 / nu)) + len(Y) * (
        math.lgamma((nu + 1) / 2)
        - math.lgamma(nu / 2)
        - 0.5 * math.log(nu * math.pi)
        - math.log(tau)
    )
    return sum(terms.values())


@program([0.0, 1.5])
def expectation_maximisation(means):
    """Steps of EM from a start; responsibilities in arrays of their own."""
    weights = np.array([0.5, 0.5])
    for _ in range(5):
        r = np.zeros((len(X), 2))
        for k, (mu, w) in enumerate(zip(means, weights, strict=True)):
            r[:, k] = w * np.exp(-0.5 * (X - mu) ** 2)
        r /= r.sum(axis=1)[:, np.newaxis]
        means = np.array([(r[:, k] * X).sum() / r[:, k].sum() for k in range(2)])
        weights = r.mean(axis=0)
    return np.abs(means[1] - means[0])


@program([0.8, 0.2, 0.5])
def kernel_density(p):
    """Leave-one-out likelihood, with np.delete and np.vectorize'd bounds."""
    bandwidth = np.abs(p[0]) + 1e-3
    total = 0.0
    for i in range(len(X)):
        others = np.delete(X, i)
        density = np.mean(np.exp(-0.5 * ((X[i] - others) / bandwidth) ** 2))
        total += np.log(density / bandwidth)
    return -total + p[1] * p[2]


@program([0.7, 0.2], method="spearman")
def rank_correlation(p, method):
    """A score by sorted values, chosen by a match statement."""
    predicted = p[0] * X + p[1] * Y**2
    match method:
        case "pearson":
            a, b = predicted, Y
        case "spearman":
            a, b = np.sort(predicted), np.sort(Y)
        case _:
            raise ValueError(method)
    a, b = a - a.mean(), b - b.mean()
    return (a @ b) / np.sqrt((a @ a) * (b @ b))
