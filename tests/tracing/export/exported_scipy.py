"""The same, with SciPy's functions."""

import numpy as np
import scipy.special


def with_scipy(x):
    return np.sum(scipy.special.gammaln(x) + scipy.special.erf(x))


def hypergeometric(a):
    return np.sum(scipy.special.hyp1f1(a, 2.5, 0.7))
