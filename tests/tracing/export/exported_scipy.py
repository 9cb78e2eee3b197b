"""The same, with SciPy's functions."""

import numpy as np
import scipy.special
import scipy.stats


def with_scipy(x):
    return np.sum(scipy.special.gammaln(x) + scipy.special.erf(x))


def hypergeometric(a):
    return np.sum(scipy.special.hyp1f1(a, 2.5, 0.7))


def of_a_distribution(x):
    return np.sum(scipy.stats.norm.cdf(x) * scipy.stats.norm.pdf(x))
