"""Rules for ``scipy.stats.qmc``: how evenly points fill a cube; expected counts."""

import functools

import numpy as np
from scipy.stats import contingency, qmc

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.distances import pdist
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.without import refuse


def in_cube(sample):
    sample = doubles(sample)
    if np.ndim(sample) != 2:
        raise ValueError("Sample is not a 2D array")
    if np.max(sample) > 1.0 or np.min(sample) < 0.0:
        raise ValueError("Sample is not in unit hypercube")
    return sample


def mean_of(of_two, n):
    return np.sum(np.prod(of_two, axis=-1)) / n**2


def centered(x, n):
    d, off = np.shape(x)[1], np.abs(x - 0.5)
    apart = np.abs(x[:, None] - x)
    one = np.sum(np.prod(1.0 + 0.5 * off - 0.5 * off**2, axis=1))
    two = 1.0 + 0.5 * off[:, None] + 0.5 * off - 0.5 * apart
    return (13.0 / 12.0) ** d - 2.0 / n * one + mean_of(two, n)


def wrapped(x, n):
    apart = np.abs(x[:, None] - x)
    return -((4.0 / 3.0) ** np.shape(x)[1]) + mean_of(1.5 - apart * (1.0 - apart), n)


def mixed(x, n):
    d, off = np.shape(x)[1], np.abs(x - 0.5)
    apart = np.abs(x[:, None] - x)
    one = np.sum(np.prod(5.0 / 3.0 - 0.25 * off - 0.25 * off**2, axis=1))
    two = 15.0 / 8.0 - 0.25 * (off[:, None] + off) - 0.75 * apart + 0.5 * apart**2
    return (19.0 / 12.0) ** d - 2.0 / n * one + mean_of(two, n)


def star(x, n):
    d = np.shape(x)[1]
    one = np.sum(np.prod(1.0 - x**2, axis=1))
    two = mean_of(1.0 - np.maximum(x[:, None], x), n)
    return np.sqrt(3.0**-d - 2.0 ** (1 - d) / n * one + two)


METHODS = {"CD": centered, "WD": wrapped, "MD": mixed, "L2-star": star}


def discrepancy(sample, *, iterative=False, method="CD", workers=1):
    """``scipy.stats.qmc.discrepancy``"""
    sample = in_cube(sample)
    if method not in METHODS:
        raise ValueError(
            f"{method!r} is not a valid method. It must be one of {set(METHODS)!r}"
        )
    return METHODS[method](sample, np.shape(sample)[0] + bool(iterative))


def update_discrepancy(x_new, sample, initial_disc):
    """``scipy.stats.qmc.update_discrepancy``, of one more point"""
    sample, x = in_cube(sample), doubles(x_new)
    if np.ndim(x) != 1:
        raise ValueError("x_new is not a 1D array")
    if not np.all((x >= 0) & (x <= 1)):
        raise ValueError("x_new is not in unit hypercube")
    if np.shape(x)[0] != np.shape(sample)[1]:
        raise ValueError("x_new and sample must be broadcastable")
    n = np.shape(sample)[0] + 1
    off, others = np.abs(x - 0.5), np.abs(sample - 0.5)
    one = np.prod(1.0 + 0.5 * off - 0.5 * off**2)
    two = 1.0 + 0.5 * off + 0.5 * others - 0.5 * np.abs(x - sample)
    both = 2.0 * np.sum(np.prod(two, axis=-1)) + np.prod(1.0 + off)
    return initial_disc - 2.0 / n * one + both / n**2


def geometric_discrepancy(sample, method="mindist", metric="euclidean"):
    """``scipy.stats.qmc.geometric_discrepancy``, by the smallest distance"""
    if method != "mindist":
        refuse("geometric_discrepancy by a tree", "use method='mindist'")
    apart = pdist(in_cube(sample), metric)
    return np.min(np.where(apart == 0.0, np.inf, apart))


def scale(sample, l_bounds, u_bounds, *, reverse=False):
    """``scipy.stats.qmc.scale``"""
    low, high = (np.broadcast_to(b, np.shape(sample)[1:]) for b in (l_bounds, u_bounds))
    if np.any(low >= high):
        raise ValueError("Bounds are not consistent 'l_bounds' < 'u_bounds'")
    if not reverse:
        return in_cube(sample) * (high - low) + low
    if np.any(sample < low) or np.any(sample > high):
        raise ValueError("Sample is out of bounds")
    return (sample - low) / (high - low)


# ----- Tables of counts -----
def margins(a):
    """``scipy.stats.contingency.margins``"""
    axes = range(np.ndim(a))
    return [
        np.sum(a, axis=tuple(axis for axis in axes if axis != own), keepdims=True)
        for own in axes
    ]


def expected_freq(observed):
    """``scipy.stats.contingency.expected_freq``"""
    sums = margins(doubles(observed))
    return functools.reduce(np.multiply, sums) / np.sum(observed) ** (len(sums) - 1)


for _own in (discrepancy, update_discrepancy, geometric_discrepancy, scale):
    defined_as(getattr(qmc, _own.__name__), _own)
for _own in (expected_freq, margins):
    defined_as(getattr(contingency, _own.__name__), _own)
