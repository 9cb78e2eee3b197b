"""Rules for ``scipy.stats``: mean, variance, entropy of distributions by their shapes.

Values are SciPy's. Slopes are those of its own formulas, or of ``moment_formulas``;
where there is none it integrates, and that is refused.
"""

import math
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.stats.counts import LONGEST
from srcgrad.rules.scipy.stats.distributions import (
    Continuous,
    Discrete,
    Generic,
    are_valid,
    formula,
    freeze,
    is_differentiated,
    silently,
    support,
)
from srcgrad.rules.scipy.stats.distributions import logpmf as log_mass
from srcgrad.rules.scipy.stats.moment_formulas import ENTROPIES, RAW, STATS
from srcgrad.rules.scipy.without import refuse
from srcgrad.valued import valued

# Whose shape is a whole number, and what calls an integral inside a formula.
STEPPED = frozenset({"erlang", "irwinhall"})
INTEGRATED = frozenset({"tukeylambda"})


def own_formula(distribution: Any, name: str, *args: Any) -> Any:
    """A formula of this distribution's, not the integral or the sum of all of them."""
    kind = Continuous if isinstance(distribution, Continuous) else Discrete
    is_general = getattr(type(distribution), name) is getattr(kind, name)
    if is_general or distribution.name in STEPPED | INTEGRATED:
        refuse(
            f"{distribution.name}'s moments and entropy by these shapes",
            "SciPy has no formula for it, or the shape is a whole number",
        )
    return formula(distribution, name, *args)


@dispatched
def plain(distribution, kind, *shapes):
    """SciPy's moment or entropy, as a number that carries no gradient."""
    if kind == "entropy":
        return distribution.entropy(*shapes)
    if not isinstance(kind, str):
        return np.vectorize(distribution.moment)(kind, *shapes)[()]
    return distribution.stats(*shapes, moments=kind)


defconstant(plain)
declare(plain, raises=True)


class Moments:
    """Those of the standardised distribution, each by SciPy's formula."""

    def __init__(self, distribution: Any, shapes: Any, asked: str = "mv") -> None:
        self.distribution, self.shapes = distribution, shapes
        self.known: list[Any] = [None] * 4
        if distribution.name in STATS:
            self.known = list(STATS[distribution.name](*shapes))
        elif distribution.name in RAW:
            pass
        elif type(distribution)._stats is not Generic._stats:
            asks = (asked,) if distribution._stats_has_moments else ()
            self.known = list(own_formula(distribution, "_stats", *shapes, *asks))

    def has_raw(self) -> bool:
        own, kind = self.distribution, type(self.distribution)
        general = Continuous if isinstance(own, Continuous) else Discrete
        return own.name in RAW or kind._munp is not general._munp

    def raw(self, order: int) -> Any:
        own = RAW.get(self.distribution.name)
        if own is not None:
            return own(order, *self.shapes)
        return own_formula(self.distribution, "_munp", order, *self.shapes)

    def mean(self) -> Any:
        return self.raw(1) if self.known[0] is None else self.known[0]

    def variance(self) -> Any:
        if self.known[1] is not None:
            return self.known[1]
        mean = self.mean()
        return np.where(np.isinf(mean), np.inf, self.raw(2) - mean * mean)

    def third(self) -> Any:
        mean, variance = self.mean(), self.variance()
        if self.known[2] is not None:
            return self.known[2] * variance**1.5
        return self.raw(3) - mean * (3.0 * variance + mean * mean)

    def skewness(self) -> Any:
        known = self.known[2]
        return self.third() / self.variance() ** 1.5 if known is None else known

    def kurtosis(self) -> Any:
        if self.known[3] is not None:
            return self.known[3]
        mean, variance = self.mean(), self.variance()
        fourth = self.raw(4) - mean * (
            4.0 * self.third() + mean * (6.0 * variance + mean * mean)
        )
        return fourth / variance**2 - 3.0


def standardised(distribution, kind, shapes):
    """A moment: SciPy's value, with the slope of the formula."""
    if not is_differentiated(shapes):
        return plain(distribution, kind, *shapes)
    asked = "mv" if kind in "mv" else f"mv{kind}"
    found = getattr(Moments(distribution, shapes, asked), MOMENTS[kind])()
    return valued(found, plain(distribution, kind, *shapes))


MOMENTS = {"m": "mean", "v": "variance", "s": "skewness", "k": "kurtosis"}


@silently
def moments_of(self, *args, **kwds):
    """``stats``: the moments that are asked for."""
    shapes, loc, scale, asked = self._parse_args_stats(*args, **kwds)
    valid = are_valid(self, shapes) & (scale > 0) & (loc == loc)
    place = {"m": lambda x: x * scale + loc, "v": lambda x: x * scale * scale}
    out = []
    for kind in MOMENTS:
        if kind in asked:
            value = standardised(self, kind, shapes)
            value = place[kind](value) if kind in place else value
            out.append(np.where(valid, value, self.badvalue)[()])
    return out[0] if len(out) == 1 else tuple(out)


def mean(self, *args, **kwds):
    return moments_of(self, *args, **kwds, moments="m")


def var(self, *args, **kwds):
    return moments_of(self, *args, **kwds, moments="v")


def std(self, *args, **kwds):
    return np.sqrt(var(self, *args, **kwds))


# How far above the mean, beside twelve deviations, a probability still matters.
TAILS: dict[str, Any] = {
    "binom": lambda n, p: 60.0,
    "nbinom": lambda n, p: 60.0 - 45.0 / np.log1p(-p),
    "poisson": lambda mu: 60.0,
}


@dispatched
def counts_that_matter(distribution, *shapes):
    mean, variance = distribution.stats(*shapes)
    reach = 12.0 * np.sqrt(variance) + TAILS[distribution.name](*shapes)
    low = np.min(np.maximum(np.floor(mean - reach), 0.0))
    high = np.max(np.minimum(mean + reach, distribution.support(*shapes)[1]))
    if not high - low < LONGEST:
        refuse(f"{distribution.name}'s entropy", "it is a sum of too many terms")
    return np.arange(low, high + 1.0)


defconstant(counts_that_matter)
declare(counts_that_matter, shape_by_value=True, raises=True)


def summed_entropy(distribution, *shapes):
    """The sum over all counts that matter."""
    counts = counts_that_matter(distribution, *shapes)
    columns = (np.expand_dims(shape, -1) for shape in shapes)
    return np.sum(
        special.entr(np.exp(log_mass(distribution, counts, *columns))), axis=-1
    )


def entropy_by_shapes(distribution, *shapes):
    own = ENTROPIES.get(distribution.name)
    if own is not None:
        return own(*shapes)
    if distribution.name in TAILS:
        return summed_entropy(distribution, *shapes)
    return own_formula(distribution, "_entropy", *shapes)


@silently
def entropy(self, *args, **kwds):
    shapes, loc, scale = self._parse_args(*args, **kwds)
    valid = are_valid(self, shapes) & (scale > 0) & (loc == loc)
    if is_differentiated(shapes):
        found = entropy_by_shapes(self, *shapes)
        value = valued(found, plain(self, "entropy", *shapes))
    else:
        value = plain(self, "entropy", *shapes)
    return np.where(valid, value + np.log(scale), self.badvalue)[()]


@silently
def moment(self, order, *args, **kwds):
    """Of any order: a sum over those of the standardised distribution."""
    shapes, loc, scale = self._parse_args(*args, **kwds)
    valid = are_valid(self, shapes) & (scale > 0) & (loc == loc)
    total = loc**order
    for k in range(1, order + 1):
        raw = plain(self, k, *shapes)
        if is_differentiated(shapes):
            raw = valued(own_moment(self, k, shapes), raw)
        total = total + math.comb(order, k) * loc ** (order - k) * scale**k * raw
    return np.where(valid, total, self.badvalue)[()]


def own_moment(distribution, order, shapes):
    """A moment about 0, by its own formula or by those of skewness and kurtosis."""
    known = Moments(distribution, shapes, "mvsk"[: min(max(order, 2), 4)])
    if order == 1:
        return known.mean()
    if order > 2 and (known.has_raw() or order > 4 or known.known[order - 1] is None):
        return known.raw(order)
    mean, variance = known.mean(), known.variance()
    if order == 2:
        return variance + mean * mean
    if order == 3:
        return known.third() + mean * (3.0 * variance + mean * mean)
    fourth = (known.kurtosis() + 3.0) * variance * variance
    return fourth + mean * (4.0 * known.third() + mean * (6.0 * variance + mean * mean))


@silently
def ends_of_support(self, *args, **kwds):
    """``support``: its finite ends move, an infinite one does not."""
    shapes, loc, scale = self._parse_args(*args, **kwds)
    valid = are_valid(self, shapes) & (scale > 0)
    out = []
    for end in support(self, shapes):
        is_finite = np.isfinite(end)
        moved = np.where(is_finite, end, 0.0) * scale + loc
        moved = np.where(is_finite, moved, end)
        out.append(np.where(valid, moved, self.badvalue)[()])
    return tuple(out)


def median(self, *args, **kwds):
    return replacement_of(self.ppf)(0.5, *args, **kwds)


def interval(self, confidence, *args, **kwds):
    below = 0.5 * (1.0 - confidence)
    ppf = replacement_of(self.ppf)
    return ppf(below, *args, **kwds), ppf(1.0 - below, *args, **kwds)


for _name, _own in (
    ("stats", moments_of),
    ("mean", mean),
    ("var", var),
    ("std", std),
    ("entropy", entropy),
    ("median", median),
    ("moment", moment),
    ("interval", interval),
    ("support", ends_of_support),
):
    # From SciPy 1.18 on the discrete ones have methods of their own.
    for _method in {getattr(kind, _name) for kind in (Generic, Continuous, Discrete)}:
        defined_as(_method, _own)

freeze(type(stats.norm()), "stats mean var std entropy median moment interval support")
