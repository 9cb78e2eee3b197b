"""Rules for ``scipy.stats``: distribution functions of normal vectors.

By one coordinate the slope is the density there, times the distribution function of the
others, given that one. By the covariance it is half the second derivative by the point
(both solve the equation of heat).
"""

import itertools
import math

import numpy as np
from scipy import special, stats

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import COMPOSITIONS, defined_as, defined_by
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.stats.multivariate import (
    MultivariateNormal,
    as_matrix,
    size_of,
)
from srcgrad.rules.scipy.without import refuse


@dispatched
def orthant(x, cov, maxpts, abseps, releps, rng):
    """The probability that no coordinate of a centred vector is above ``x``."""
    bounds = {"maxpts": maxpts, "abseps": abseps, "releps": releps}
    found = stats.multivariate_normal.cdf(x, None, cov, True, **bounds, rng=rng)
    return np.reshape(found, np.shape(x)[:-1])[()]  # SciPy leaves out axes of one


def below(x, cov, bounds):
    """The same of any dimension, also in the slopes: without a draw that shows."""
    size = np.shape(cov)[0]
    if size == 0:
        return 1.0
    if size == 1:
        return special.ndtr(x[..., 0] / np.sqrt(cov[0, 0]))
    return orthant(x, cov, *bounds, np.random.default_rng(0))


def given(x, cov, known):
    """The density of some coordinates at ``x``, and of the others what is left."""
    rest = [i for i in range(np.shape(cov)[0]) if i not in known]
    own, cross = cov[np.ix_(known, known)], cov[np.ix_(rest, known)]
    at = x[..., known]
    pulled = np.linalg.solve(own, at[..., None])[..., 0]
    density = np.exp(-0.5 * np.sum(at * pulled, axis=-1))
    density = density / np.sqrt(np.linalg.det(2.0 * math.pi * own))
    left = cov[np.ix_(rest, rest)] - cross @ np.linalg.solve(own, cross.T)
    return density, x[..., rest] - pulled @ cross.T, left


def slope(x, cov, known, bounds):
    density, rest, left = given(x, cov, known)
    return density * below(rest, left, bounds)


def by_point(g, x, cov, maxpts, abseps, releps):
    bounds = maxpts, abseps, releps
    size = np.shape(cov)[0]
    slopes = [slope(x, cov, [i], bounds) for i in range(size)]
    return g[..., None] * np.stack(slopes, axis=-1)


def by_covariance(g, x, cov, maxpts, abseps, releps):
    bounds = maxpts, abseps, releps
    size = np.shape(cov)[0]
    second = [[0.0] * size for _ in range(size)]
    for i, j in itertools.combinations(range(size), 2):
        second[i][j] = second[j][i] = slope(x, cov, [i, j], bounds)
    for i in range(size):
        own = x[..., i] * slope(x, cov, [i], bounds)
        for j in range(size):
            own = own + cov[i, j] * second[i][j]
        second[i][i] = -own / cov[i, i]
    rows = [[np.sum(0.5 * g * each) for each in row] for row in second]
    return np.stack([np.stack(row) for row in rows])


defvjp(orthant, x=by_point, cov=by_covariance)
declare(orthant, effect="acts", raises=True)  # it draws random numbers


def cdf(self, x, mean, cov, allow_singular, maxpts, abseps, releps, lower_limit, rng):
    """``multivariate_normal.cdf``, of a covariance that has full rank"""
    if lower_limit is not None or isinstance(cov, stats.Covariance):
        refuse(
            "multivariate_normal.cdf with `lower_limit`, or of a Covariance object",
            "take differences, and give the matrix",
        )
    size = size_of(mean, cov)
    cov = as_matrix(np.reshape(cov, (1, 1)) if size == 1 else doubles(cov), size)
    x = doubles(x)
    if np.ndim(x) < 2:
        x = np.reshape(x, (-1, 1) if size == 1 else (1, -1))
    apart = x - (0.0 if mean is None else mean)
    rng = self._get_random_state(rng)
    if size == 1:
        return np.squeeze(below(apart, cov, ()))
    return np.squeeze(np.atleast_1d(orthant(apart, cov, maxpts, abseps, releps, rng)))


def logcdf(self, *args, **options):
    return np.log(COMPOSITIONS[MultivariateNormal.cdf](self, *args, **options))


defined_by(MultivariateNormal.cdf, cdf)
defined_as(MultivariateNormal.logcdf, logcdf)
