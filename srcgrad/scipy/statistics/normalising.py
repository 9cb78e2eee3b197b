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

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.stats import _morestats

from srcgrad import autograd
from srcgrad.modes import enable_grad
from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS, reaching, replacement_of
from srcgrad.scipy.optimization.implicit import solution
from srcgrad.scipy.parameters import Parameters, refuse, separate

Objective = Callable[[Any, Any], Any]

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


def replaces(name: str) -> Callable[[Any], Any]:
    """Register what runs instead of a function of SciPy's on a Variable."""
    original = getattr(stats, name)
    otherwise = reaching(original)

    def register(implementation: Any) -> Any:
        @functools.wraps(original)
        def replacement(x: Any, *args: Any, **kwargs: Any) -> Any:
            if first_variable(x) is None:
                return otherwise(x, *args, **kwargs)
            return implementation(otherwise, x, *args, **kwargs)

        REPLACEMENTS[original] = replacement
        return replacement

    return register


@replaces("boxcox_normmax")
def boxcox_normmax(
    original: Any,
    x: Any,
    brack: Any = None,
    method: str = "pearsonr",
    *rest: Any,
    **options: Any,
) -> Any:
    """``scipy.stats.boxcox_normmax``"""
    found = stats.boxcox_normmax(raw_of(x), brack, method, *rest, **options)
    if method != "all":
        return peak(OBJECTIVES[method], found, x)
    each = zip(("pearsonr", "mle"), found, strict=True)
    return np.stack([peak(OBJECTIVES[name], place, x) for name, place in each])


@replaces("yeojohnson_normmax")
def yeojohnson_normmax(original: Any, x: Any, brack: Any = None) -> Any:
    """``scipy.stats.yeojohnson_normmax``"""
    return peak(yeojohnson_llf, stats.yeojohnson_normmax(raw_of(x), brack), x)


@replaces("boxcox")
def boxcox(
    original: Any, x: Any, lmbda: Any = None, alpha: Any = None, optimizer: Any = None
) -> Any:
    """``scipy.stats.boxcox``"""
    if lmbda is not None:
        return original(x, lmbda)
    if alpha is not None:
        refuse("stats.boxcox", "by the interval that `alpha` asks for")
    found = boxcox_normmax(x, method="mle", optimizer=optimizer)
    return special.boxcox(x, found), found


@replaces("yeojohnson")
def yeojohnson(original: Any, x: Any, lmbda: Any = None) -> Any:
    """``scipy.stats.yeojohnson``"""
    if lmbda is not None:
        return original(x, lmbda)
    found = yeojohnson_normmax(x)
    return original(x, found), found


@replaces("ppcc_max")
def ppcc_max(
    original: Any, x: Any, brack: Any = (0.0, 1.0), dist: Any = "tukeylambda"
) -> Any:
    """``scipy.stats.ppcc_max``"""
    found = stats.ppcc_max(raw_of(x), brack, dist)
    distribution = getattr(stats, dist) if isinstance(dist, str) else dist
    quantiles = replacement_of(distribution.ppf)

    def straightness(shape: Any, x: Any) -> Any:
        return ppcc(quantiles(medians_of(np.size(x)), shape), np.sort(x)).statistic

    return peak(straightness, found, x)
