"""Rules for ``scipy.stats``: entropies of vectors and matrices."""

import math

import numpy as np
from scipy import special, stats

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.stats.matrix_variates import (
    LOG_2,
    LOG_PI,
    log_det,
    spread,
)
from srcgrad.rules.scipy.stats.multivariate import (
    as_matrix,
    size_of,
)


def log_det_of(matrix):
    return log_det(np.linalg.cholesky(matrix))


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


for _kind, _own in (
    (stats.multivariate_normal, normal_entropy),
    (stats.multivariate_t, t_entropy),
    (stats.matrix_normal, matrix_normal_entropy),
):
    defined_as(type(_kind).entropy, _own)
