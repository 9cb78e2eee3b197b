"""Rules for ``scipy.stats``: distribution functions of counts, by their parameters.

The values are SciPy's. The slopes are those of a formula, or of the sum of the
probabilities up to the count.
"""

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.stats.distributions import (
    REWRITTEN,
    Discrete,
    are_valid,
    formula,
    freeze,
    is_differentiated,
    silently,
    steady,
    support,
)
from srcgrad.rules.scipy.stats.distributions import pmf as mass
from srcgrad.valued import valued

# The inverses are steps.
defconstant(Discrete.ppf, Discrete.isf)
for _name in ("ppf", "isf"):
    declare(getattr(Discrete, _name), raises=True)
freeze(type(stats.poisson(1.0)), "ppf isf")

# As many terms as are still summed up.
LONGEST = 100_000


def skellam(k, mu1, mu2):
    """Two noncentral chi-square distributions, one for each side of 0."""
    is_low = k < 0
    low = special.chndtr(2.0 * mu2, np.where(is_low, -2.0 * k, 2.0), 2.0 * mu1)
    high = special.chndtr(2.0 * mu1, np.where(is_low, 2.0, 2.0 * (k + 1.0)), 2.0 * mu2)
    return np.where(is_low, low, 1.0 - high)


BELOW: dict[str, Any] = {
    "binom": lambda k, n, p: special.bdtr(k, n, p),
    "boltzmann": lambda k, lambda_, n: (
        np.expm1(-lambda_ * (k + 1.0)) / np.expm1(-lambda_ * n)
    ),
    "nbinom": lambda k, n, p: special.betainc(n, k + 1.0, p),
    "skellam": skellam,
}


def above_logser(k, p):
    """As SciPy has it: the integral of ``t ** k / (1 - t)``, whose `b` is next to 0."""
    tiny = 1e-100
    whole = special.betainc(k + 1.0, tiny, p) * special.beta(k + 1.0, tiny)
    return -whole / np.log1p(-p)


# What SciPy does not take of the whole number below.
UNROUNDED = {"yulesimon": ("cdf", "sf"), "logser": ("sf",)}


@dispatched
def counts_to(distribution, k, *shapes):
    """All counts from the lowest on."""
    low = support(distribution, shapes)[0]
    counts = np.arange(np.min(low), np.max(k) + 1.0) if np.all(low > -np.inf) else ()
    if not 0 < len(counts) <= LONGEST:
        raise located(
            NoRuleError(
                f"srcgrad has no derivative of {distribution.name}'s distribution "
                "function by these parameters"
            ),
            "it is a sum of too many terms",
        )
    return counts


defconstant(counts_to)
declare(counts_to, shape_by_value=True, raises=True)


def summed(distribution: Any, k: Any, *shapes: Any) -> Any:
    """The sum of the probabilities from the lowest count on."""
    counts = counts_to(distribution, k, *shapes)
    columns = (np.expand_dims(shape, -1) for shape in shapes)
    terms = mass(distribution, counts, *columns)
    return np.sum(np.where(counts <= np.expand_dims(k, -1), terms, 0.0), axis=-1)


def up_to(distribution: Any, k: Any, *shapes: Any) -> Any:
    """The distribution function, by a formula if there is one."""
    if distribution.name in BELOW:
        return BELOW[distribution.name](k, *shapes)
    if distribution.name in REWRITTEN["_cdf"]:
        return formula(distribution, "_cdf", k, *shapes)
    return summed(distribution, k, *shapes)


def share(distribution: Any, name: Any, k: Any, *shapes: Any) -> Any:
    """``cdf``, ``sf`` or a logarithm of these, inside the support."""
    value = steady(distribution, f"_{name}", k, *shapes)
    if not is_differentiated(shapes):
        return value
    plain = name.removeprefix("log")
    if (distribution.name, plain) == ("logser", "sf"):
        found = above_logser(k, *shapes)
    else:
        found = up_to(distribution, k, *shapes)
        found = found if plain == "cdf" else 1.0 - found
    if plain == name:
        return valued(found, value)
    found = valued(found, steady(distribution, f"_{plain}", k, *shapes))
    return valued(np.log(found), value)


def by_count(name, below, above):
    """A distribution function, given its values outside the support."""

    @silently
    def composed(self, k, *args, **kwds):
        shapes, loc, _ = self._parse_args(*args, **kwds)
        k = k - loc
        valid = are_valid(self, shapes)
        low, high = support(self, shapes)
        inside = valid & (k >= low) & (k < high)
        # A count is a step: what is rounded carries no gradient.
        given = np.where(inside, k, np.where(np.isfinite(low), low, 0))
        point = np.floor(given)
        if name.removeprefix("log") in UNROUNDED.get(self.name, ()):
            point = valued(point, given)
        inside_value = share(self, name, point, *shapes)
        outside = np.where(k >= high, above, below)
        unknown = np.logical_not(valid) | np.isnan(k)
        return np.where(unknown, self.badvalue, np.where(inside, inside_value, outside))

    return composed


for _name, _below, _above in (
    ("cdf", 0.0, 1.0),
    ("sf", 1.0, 0.0),
    ("logcdf", -np.inf, 0.0),
    ("logsf", 0.0, -np.inf),
):
    _original = getattr(Discrete, _name)
    defined_as(_original, by_count(_name, _below, _above))
