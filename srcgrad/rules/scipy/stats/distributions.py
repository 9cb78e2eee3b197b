"""Rules for ``scipy.stats``: densities and distribution functions.

SciPy checks, picks and stores values around a formula (``_logpdf``). On Variables the
formula itself runs, SciPy's own or one of ``log_densities``, with ``np.where`` around
it. A distribution function by ``x``, ``loc`` and ``scale`` alone needs no formula, for
its slope is the density.
"""

from typing import Any

import numpy as np
from scipy import stats

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS, replacement_of
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.rules.scipy.scipy_sources import same_as_copy
from srcgrad.rules.scipy.stats.cumulatives import CUMULATIVES, LOG_CUMULATIVES
from srcgrad.rules.scipy.stats.log_densities import LOG_DENSITIES, LOG_MASSES, SUPPORTS
from srcgrad.rules.scipy.stats.log_density_sums import LOG_DENSITY_SUMS
from srcgrad.valued import valued

Continuous, Discrete = stats.rv_continuous, stats.rv_discrete
Generic = Continuous.__base__


# SciPy says nothing of what a formula makes of values that are not asked for.
silently: Any = np.errstate(all="ignore")


# Formulas that ask for ndarrays: copies of them run.
REWRITTEN = {
    name: frozenset(kinds.split())
    for name, kinds in {
        "_logpdf": "cauchy cosine crystalball exponnorm gengamma gibrat lognorm "
        "recipinvgauss t tukeylambda",
        "_cdf": "betaprime dgamma exponnorm loggamma dlaplace geom planck poisson "
        "yulesimon",
        "_get_support": "genextreme",
        "_entropy": "beta chi chi2 f gamma gengamma genlogistic invgamma loggamma",
        "_stats": "genlogistic loggamma poisson t",
    }.items()
}


def formula(distribution, name, *args):
    """Run SciPy's own formula on Variables."""
    if distribution.name in OF_NUMBERS and name in OF_NUMBERS[distribution.name]:
        raise without_formula(distribution, name)
    if distribution.name in REWRITTEN.get(name, ()):
        distribution = same_as_copy(distribution)
    try:
        return getattr(distribution, name)(*args)
    except (AttributeError, TypeError) as error:  # it wants an ndarray
        raise without_formula(distribution, name) from error


# Whose density SciPy finds by differences, or by integrals in C.
WITHOUT_DENSITY = frozenset({"ksone", "kstwo", "levy_stable", "studentized_range"})

# Formulas that take the numbers out of Variables one by one.
OF_NUMBERS = {"levy_stable": "_logpdf _pdf _cdf _sf _ppf _isf _munp _entropy".split()}


def without_formula(distribution: Any, name: str) -> NoRuleError:
    return located(
        NoRuleError(
            f"srcgrad has no derivative of {distribution.name}.{name.lstrip('_')} by "
            "these arguments"
        ),
        "SciPy does not compute it by functions with a derivative",
    )


def log_density(distribution: Any, y: Any, *shapes: Any) -> Any:
    if distribution.name in WITHOUT_DENSITY:
        raise without_formula(distribution, "_logpdf")
    own = LOG_DENSITIES.get(distribution.name)
    if own is not None:
        return own(y, *shapes)
    if distribution.name in LOG_DENSITY_SUMS:
        found = LOG_DENSITY_SUMS[distribution.name](y, *shapes)
        return valued(found, steady(distribution, "_logpdf", y, *shapes))
    return formula(distribution, "_logpdf", y, *shapes)


def inner_point(low, high):
    """A point inside a support, where a formula may be evaluated without harm."""
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    from_one = np.where(has_low, low + 1.0, np.where(has_high, high - 1.0, 0.0))
    return np.where(has_low & has_high, 0.5 * (low + high), from_one)


def are_valid(distribution, shapes):
    """Whether the shape parameters are; each is positive, unless SciPy knows better."""
    if type(distribution)._argcheck is not Generic._argcheck:
        return formula(distribution, "_argcheck", *shapes)
    valid = True
    for shape in shapes:
        valid = valid & (shape > 0)
    return valid


def support(distribution, shapes):
    own = SUPPORTS.get(distribution.name)
    return own(*shapes) if own else formula(distribution, "_get_support", *shapes)


def is_open(distribution):
    """Whether SciPy says that the ends lie outside."""
    return type(distribution)._support_mask is Continuous._open_support_mask


def is_differentiated(values: Any) -> Any:
    return any(getattr(value, "requires_grad", False) for value in values)


class Reference:
    """Where a density is asked for: a standardised point, and what lies outside."""

    def __init__(self, distribution, x, args, kwds):
        shapes, self.loc, self.scale = distribution._parse_args(*args, **kwds)
        self.distribution, self.shapes = distribution, shapes
        y = (x - self.loc) / self.scale
        self.valid = are_valid(distribution, shapes) & (self.scale > 0)
        low, high = support(distribution, shapes)
        self.above = y >= high
        if is_open(distribution):
            within = (low < y) & (y < high)
        else:
            within = (low <= y) & (y <= high)
        self.inside = self.valid & within
        self.point = np.where(self.inside, y, inner_point(low, high))
        self.is_unknown = np.logical_not(self.valid) | np.isnan(y)

    def choose(self, inside, outside):
        """The value inside the support, another outside, nan if nothing is known."""
        chosen = np.where(self.inside, inside, outside)
        return np.where(self.is_unknown, self.distribution.badvalue, chosen)


# ----- Densities -----
@silently
def logpdf(self, x, *args, **kwds):
    place = Reference(self, x, args, kwds)
    inside = log_density(self, place.point, *place.shapes) - np.log(place.scale)
    return place.choose(inside, -np.inf)


@silently
def pdf(self, x, *args, **kwds):
    place = Reference(self, x, args, kwds)
    inside = np.exp(log_density(self, place.point, *place.shapes)) / place.scale
    return place.choose(inside, 0.0)


defined_as(Continuous.logpdf, logpdf)
defined_as(Continuous.pdf, pdf)


# ----- Distribution functions, by the density where that will do -----
def value_of(distribution: Any, name: Any, y: Any, shapes: Any) -> Any:
    """SciPy's formula on ndarrays, of which some cannot do without an axis."""
    y, *shapes = np.broadcast_arrays(y, *shapes)
    found = getattr(distribution, name)(*map(np.atleast_1d, (y, *shapes)))
    return np.reshape(found, y.shape)[()]


@dispatched
def standard(distribution, name, y, *shapes):
    """A distribution function of a standardised point: ``name`` is SciPy's ``cdf``."""
    return value_of(distribution, name, y, shapes)


SLOPES = {
    "cdf": lambda pdf, y, out: np.exp(pdf(y)),
    "sf": lambda pdf, y, out: -np.exp(pdf(y)),
    "logcdf": lambda pdf, y, out: np.exp(pdf(y) - out),
    "logsf": lambda pdf, y, out: -np.exp(pdf(y) - out),
    "ppf": lambda pdf, y, out: np.exp(-pdf(out)),
    "isf": lambda pdf, y, out: -np.exp(-pdf(out)),
}


@dispatched
def flat_log_density(distribution, y, *shapes):
    """That of a distribution whose formula is no function with a derivative."""
    return value_of(distribution, "_logpdf", y, shapes)


def no_slope(g, distribution):
    raise located(
        NoRuleError(
            f"srcgrad has no second derivative of {distribution.name}'s distribution "
            "function"
        ),
        "SciPy does not compute the density by functions with a derivative",
    )


def standard_back(g, distribution, name, y, shapes, out):
    def log_slope(point):
        try:
            return log_density(distribution, point, *shapes)
        except NoRuleError:  # a tangent wants no more than the density
            return flat_log_density(distribution, point, *shapes)

    return g * SLOPES[name](log_slope, y, out)


defvjp(standard, y=standard_back)
defvjp(flat_log_density, y=no_slope, shapes=no_slope)
for _own in (standard, flat_log_density):
    declare(_own, raises=True)


# By a shape parameter the slope is that of a formula, while the value is SciPy's.
@dispatched
def steady(distribution, name, y, *shapes):
    """A formula of SciPy's, as a number that carries no gradient."""
    return value_of(distribution, name, y, shapes)


defconstant(steady)
declare(steady, raises=True)


def below(distribution: Any, y: Any, *shapes: Any) -> Any:
    """The distribution function by a formula."""
    own = CUMULATIVES.get(distribution.name)
    return own(y, *shapes) if own else formula(distribution, "_cdf", y, *shapes)


def by_shapes(distribution, name, y, *shapes):
    """A distribution function of a standardised point, by the shapes too."""
    plain = f"_{name.removeprefix('log')}"
    share = below(distribution, y, *shapes)
    share = share if plain == "_cdf" else 1.0 - share
    share = valued(share, steady(distribution, plain, y, *shapes))
    if not name.startswith("log"):
        return share
    return valued(np.log(share), steady(distribution, f"_{name}", y, *shapes))


def own_logarithm(distribution, name, y, *shapes):
    """By SciPy's own formula for a logarithm, which does not lose a tail; or None."""
    own = LOG_CUMULATIVES.get((distribution.name, name))
    if own is not None:
        return valued(own(y, *shapes), steady(distribution, f"_{name}", y, *shapes))
    generic = getattr(Continuous, f"_{name}")
    if not name.startswith("log") or getattr(type(distribution), f"_{name}") is generic:
        return None
    try:
        return formula(distribution, f"_{name}", y, *shapes)
    except NoRuleError:
        return None


def by_point(name, below, above):
    """A distribution function's composition, given its values outside the support."""

    @silently
    def composed(self, x, *args, **kwds):
        place = Reference(self, x, args, kwds)
        inside = own_logarithm(self, name, place.point, *place.shapes)
        if inside is None:
            by = by_shapes if is_differentiated(place.shapes) else standard
            inside = by(self, name, place.point, *place.shapes)
        outside = np.where(place.above, above, below)
        return place.choose(inside, outside)

    return composed


def inverse(distribution: Any, name: Any, share: Any, *shapes: Any) -> Any:
    """An inverse of a distribution function, without the support's ends."""
    if is_differentiated(shapes):
        return formula(distribution, f"_{name}", share, *shapes)
    return standard(distribution, name, share, *shapes)


def by_share(name: str, inverse: Any = inverse) -> Any:
    """An inverse's composition: it is differentiated inside (0, 1)."""

    @silently
    def composed(self, q, *args, **kwds):
        shapes, loc, scale = self._parse_args(*args, **kwds)
        valid = are_valid(self, shapes) & (scale > 0)
        share = np.where((q > 0) & (q < 1), q, 0.5)
        point = inverse(self, name, share, *shapes)
        first, last = support(self, shapes)
        if name == "isf":
            first, last = last, first
        point = np.where(q == 0, first, np.where(q == 1, last, point))
        known = valid & (q >= 0) & (q <= 1)
        return np.where(known, point * scale + loc, self.badvalue)

    return composed


defined_as(Continuous.cdf, by_point("cdf", 0.0, 1.0))
defined_as(Continuous.sf, by_point("sf", 1.0, 0.0))
defined_as(Continuous.logcdf, by_point("logcdf", -np.inf, 0.0))
defined_as(Continuous.logsf, by_point("logsf", 0.0, -np.inf))
defined_as(Continuous.ppf, by_share("ppf"))
defined_as(Continuous.isf, by_share("isf"))


# ----- Stable distributions, which SciPy has moved where `alpha` is 1 -----
def moved(method):
    """A method of ``levy_stable``, in whichever parametrisation it is set to."""

    def composed(self, x, *args, **kwds):
        (alpha, beta), loc, scale = self._parse_args(*args, **kwds)
        if self._parameterization() == "S1":
            apart = 2.0 / np.pi * beta * scale * np.log(scale)
            loc = loc + np.where(np.equal(alpha, 1.0), apart, 0.0)
        return method(self, x, alpha, beta, loc, scale)

    return composed


Stable = type(stats.levy_stable)
defined_as(Stable.pdf, moved(pdf))
defined_as(Stable.cdf, moved(by_point("cdf", 0.0, 1.0)))


# ----- Discrete distributions, by their parameters -----
@silently
def logpmf(self, k, *args, **kwds):
    shapes, loc, _ = self._parse_args(*args, **kwds)
    k = k - loc
    valid = are_valid(self, shapes)
    low, high = support(self, shapes)
    inside = valid & (k >= low) & (k <= high) & (k == np.floor(k))
    # A count is a step: what is rounded carries no gradient.
    point = np.floor(np.where(inside, k, np.where(np.isfinite(low), low, 0)))
    own = LOG_MASSES.get(self.name)
    if own is not None:
        value = own(point, *shapes)
    else:
        value = formula(self, "_logpmf", point, *shapes)
    unknown = np.logical_not(valid) | np.isnan(k)
    return np.where(unknown, self.badvalue, np.where(inside, value, -np.inf))


def pmf(self, k, *args, **kwds):
    return np.exp(logpmf(self, k, *args, **kwds))


defined_as(Discrete.logpmf, logpmf)
defined_as(Discrete.pmf, pmf)


# ----- Frozen distributions, which hold their parameters -----
def frozen(name):
    def method(self, *given, **options):
        found = replacement_of(getattr(self.dist, name))
        return found(*given, *self.args, **self.kwds, **options)

    return method


def freeze(kind, names):
    """Let methods of frozen distributions find Variables in what they hold."""
    for name in names.split():
        REPLACEMENTS[getattr(kind, name)] = method = frozen(name)
        LOOKING.add(method)  # for those in the parameters


freeze(type(stats.norm()), "logpdf pdf cdf sf logcdf logsf ppf isf")
freeze(type(stats.poisson(1.0)), "logpmf pmf")
