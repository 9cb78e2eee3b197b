"""``scipy.stats.Covariance``: covariance matrices by their factors, of Variables.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> variances = srcgrad.Variable(np.array([1.0, 4.0]), requires_grad=True)
>>> cov = stats.Covariance.from_diagonal(variances)
>>> stats.multivariate_normal.logpdf(np.array([1.0, 2.0]), cov=cov).backward()
>>> variances.grad.data
array([0., 0.])
"""

import functools
from typing import Any

import numpy as np
from scipy import stats

from srcgrad.rules.libraries import REPLACEMENTS, reaching
from srcgrad.rules.scipy.stats.multivariate import (
    MultivariateNormal,
    normal_logpdf,
    normal_pdf,
)
from srcgrad.rules.scipy.without import refuse
from srcgrad.scipy.replacing import stands_for
from srcgrad.scipy.statistics.frozen import Frozen


class Covariance(stats.Covariance):  # type: ignore[misc]
    """One that holds Variables: what it whitens and colours with, as matrices."""

    def __init__(
        self, covariance: Any, whitener: Any, colorizer: Any, variances: Any
    ) -> None:
        self._covariance, self._shape = covariance, np.shape(covariance)
        self._whitener, self._colorizer = whitener, colorizer
        self._variances = variances
        self._allow_singular = False

    def whiten(self, x: Any) -> Any:
        return x @ self._whitener

    def colorize(self, x: Any) -> Any:
        return x @ self._colorizer

    @property
    def log_pdet(self) -> Any:
        return np.sum(np.log(positive(self._variances)))

    @property
    def rank(self) -> Any:
        return np.sum(self._variances > 0)


def positive(variances: Any) -> Any:
    """Those that are; 1 for others, which changes no determinant."""
    return np.where(variances > 0, variances, 1.0)


def reciprocal_roots(variances: Any) -> Any:
    return np.where(variances > 0, 1.0 / np.sqrt(positive(variances)), 0.0)


def check(name: str, item: Any, ndim: int) -> None:
    shape = np.shape(item)
    if len(shape) != ndim or shape[0] != shape[-1]:
        kind = "one-dimensional array" if ndim == 1 else "square, two-dimensional array"
        raise ValueError(f"The input `{name}` must be a {kind} of real numbers.")


def diagonal_covariance(diagonal: Any) -> Covariance:
    check("diagonal", diagonal, 1)
    parts = diagonal, reciprocal_roots(diagonal), np.sqrt(diagonal)
    covariance, whitener, colorizer = map(np.diag, parts)
    return Covariance(covariance, whitener, colorizer, diagonal)


def precision_covariance(precision: Any, covariance: Any = None) -> Covariance:
    check("precision", precision, 2)
    lower = np.linalg.cholesky(precision)
    if covariance is None:
        covariance = np.linalg.inv(precision)
    return Covariance(
        *(covariance, lower, np.linalg.inv(lower)), np.diagonal(lower) ** -2.0
    )


def cholesky_covariance(cholesky: Any) -> Covariance:
    check("cholesky", cholesky, 2)
    whitener = np.linalg.inv(np.tril(cholesky)).T
    variances = np.diagonal(cholesky) ** 2
    return Covariance(cholesky @ cholesky.T, whitener, cholesky.T, variances)


def eigen_covariance(eigendecomposition: Any) -> Covariance:
    sizes, vectors = eigendecomposition
    check("eigenvalues", sizes, 1)
    check("eigenvectors", vectors, 2)
    whole = (vectors * sizes) @ vectors.T
    colorizer = (vectors * np.sqrt(sizes)).T
    return Covariance(whole, vectors * reciprocal_roots(sizes), colorizer, sizes)


# SciPy's own where there are no Variables.
for _name, _own in (
    ("from_diagonal", diagonal_covariance),
    ("from_precision", precision_covariance),
    ("from_cholesky", cholesky_covariance),
    ("from_eigendecomposition", eigen_covariance),
):
    _make = stands_for(getattr(stats.Covariance, _name), _own)
    setattr(Covariance, _name, staticmethod(_make))
REPLACEMENTS[stats.Covariance] = Covariance


# ----- What takes them -----
def of_units(original: Any) -> Any:
    """A linear method of SciPy's objects, of points that are Variables."""
    return lambda cov, x: x @ original(cov, np.eye(cov.shape[-1]))


for _original in (stats.Covariance.whiten, stats.Covariance.colorize):
    stands_for(_original, of_units(_original))


def is_no_object(*args: Any) -> bool:
    return not any(isinstance(arg, Covariance) for arg in args)


def no_method(name: str) -> Any:
    return lambda *args, **options: refuse(
        f"multivariate_normal.{name} of a Covariance object", "give the matrix"
    )


for _name, _own in (
    *(("logpdf", normal_logpdf), ("pdf", normal_pdf)),
    *((name, no_method(name)) for name in ("logcdf", "cdf", "entropy")),
):
    _original = getattr(MultivariateNormal, _name)
    _otherwise = REPLACEMENTS.get(_original) or reaching(_original)
    stands_for(_original, _own, True, is_no_object, _otherwise)
_kind = stats.multivariate_normal
_frozen = functools.partial(Frozen, _kind)
stands_for(_kind, _frozen, True, is_no_object, REPLACEMENTS[_kind])
