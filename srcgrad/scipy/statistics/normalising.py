"""``scipy.stats``: exponents that make data normal, differentiated implicitly.

At the exponent that is found the slope of what is made largest is 0, so the exponent's
slope in the data is that of an implicit function.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> x = srcgrad.Variable(np.array([1.0, 2.0, 4.0, 9.0]), requires_grad=True)
>>> exponent = stats.boxcox_normmax(x, method="mle")
>>> exponent.backward()
>>> x.grad.data.round(3)
array([-0.702,  0.311,  0.164, -0.064])
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.stats import _morestats

from srcgrad import autograd
from srcgrad.modes import enable_grad
from srcgrad.rules.libraries import reaching, replacement_of
from srcgrad.scipy.optimization.implicit import solution
from srcgrad.scipy.parameters import Parameters, refuse, separate
from srcgrad.scipy.replacing import replaces

Objective = Callable[[Any, Any], Any]

boxcox_at, yeojohnson_at = map(reaching, (stats.boxcox, stats.yeojohnson))
boxcox_llf = replacement_of(stats.boxcox_llf)
yeojohnson_llf = replacement_of(stats.yeojohnson_llf)
ppcc = replacement_of(stats.pearsonr)
medians_of = _morestats._calc_uniform_order_statistic_medians
quantiles_of = replacement_of(stats.norm.ppf)


def peak(objective: Objective, found: Any, x: Any) -> Any:
    """The place of an extremum, as a Variable that depends on the data."""

    def slope(place: Any, x: Any) -> Any:
        place = separate(place)
        with enable_grad():
            (out,) = autograd.grad(objective(place, x), place, create_graph=True)
        return out

    return solution(slope, found, Parameters((x,)))


def straightness(lmbda: Any, x: Any) -> Any:
    """How straight the probability plot of the transformed data is."""
    y = np.sort(special.boxcox(x, lmbda))
    return ppcc(y, quantiles_of(medians_of(np.size(x)))).statistic


OBJECTIVES: dict[str, Objective] = {"mle": boxcox_llf, "pearsonr": straightness}


@replaces(stats.boxcox_normmax)
def boxcox_normmax(found: Any, x: Any, method: str) -> Any:
    """``scipy.stats.boxcox_normmax``"""
    if method != "all":
        return peak(OBJECTIVES[method], found, x)
    each = zip(("pearsonr", "mle"), found, strict=True)
    return np.stack([peak(OBJECTIVES[name], place, x) for name, place in each])


@replaces(stats.yeojohnson_normmax)
def yeojohnson_normmax(found: Any, x: Any) -> Any:
    """``scipy.stats.yeojohnson_normmax``"""
    return peak(yeojohnson_llf, found, x)


@replaces(stats.boxcox)
def boxcox(
    run: Any, x: Any, lmbda: Any, alpha: Any, optimizer: Any, nan_policy: Any = None
) -> Any:
    """``scipy.stats.boxcox``, which has a ``nan_policy`` from SciPy 1.18 on."""
    policy = {} if nan_policy is None else {"nan_policy": nan_policy}
    if nan_policy == "raise":
        run()
    if lmbda is not None:
        return boxcox_at(x, lmbda)
    if alpha is not None:
        refuse("stats.boxcox", "by the interval that `alpha` asks for")
    found = boxcox_normmax(x, method="mle", optimizer=optimizer, **policy)
    return special.boxcox(x, found), found


@replaces(stats.yeojohnson)
def yeojohnson(x: Any, lmbda: Any) -> Any:
    """``scipy.stats.yeojohnson``"""
    if lmbda is not None:
        return yeojohnson_at(x, lmbda)
    found = yeojohnson_normmax(x)
    return yeojohnson_at(x, found), found


@replaces(stats.ppcc_max)
def ppcc_max(found: Any, x: Any, dist: Any) -> Any:
    """``scipy.stats.ppcc_max``"""
    distribution = getattr(stats, dist) if isinstance(dist, str) else dist
    quantiles = replacement_of(distribution.ppf)

    def straightness(shape: Any, x: Any) -> Any:
        return ppcc(quantiles(medians_of(np.size(x)), shape), np.sort(x)).statistic

    return peak(straightness, found, x)
