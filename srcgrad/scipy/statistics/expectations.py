"""``scipy.stats``: ``expect`` of a function, by parameters and by what that holds.

SciPy's value, with the slopes of the integral of the standardised density, or of the
sum over the counts that SciPy has asked for.

>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> mean = srcgrad.Variable(0.5, requires_grad=True)
>>> stats.norm.expect(lambda x: x**2, loc=mean, scale=2.0).backward()
>>> round(mean.grad.item(), 6)
1.0
"""

from typing import Any

import numpy as np
from scipy import stats

from srcgrad.modes import refuse as refuse_trace
from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy.stats.distributions import Continuous, Discrete, support
from srcgrad.scipy.captures import captured, opened
from srcgrad.scipy.integration.integrals import Integral
from srcgrad.scipy.optimization.finite_differences import is_of_numbers
from srcgrad.scipy.parameters import Opened, Parameters, refuse
from srcgrad.scipy.replacing import replaces
from srcgrad.valued import valued

_of_density, _of_counts = Continuous.expect, Discrete.expect
TAIL = 0.05  # SciPy integrates the tails apart


@replaces(_of_density, is_looking=True, is_plain=is_of_numbers)
def continuous_expect(
    self: Any,
    func: Any,
    args: Any,
    loc: Any,
    scale: Any,
    lb: Any,
    ub: Any,
    conditional: bool,
    kwds: Any,
) -> Any:
    """``expect`` of a density"""
    held = [] if func is None else captured([func])
    given = Parameters((args, loc, scale, lb, ub))
    refuse_trace(f"calls {self.name}.expect: SciPy integrates a function")
    if kwds.get("weight") is not None or kwds.get("complex_func"):
        refuse("stats' expect", "with weights, or of complex numbers")
    plain = None if func is None else lambda x: raw_of(func(x))
    value = _of_density(self, plain, *given.raw, conditional, **kwds)
    density, cdf = replacement_of(self.pdf), replacement_of(self.cdf)
    worth = func if func is None else opened(func, held)

    def integrand(z: Any, args: Any, loc: Any, scale: Any, *held: Any) -> Any:
        x = loc + scale * z
        return (x if worth is None else worth(x, *held)) * density(z, *args)

    low, high = ends(self, args, loc, scale, (lb, ub))
    whole, share = value, None
    if conditional:
        share = cdf(high, *args) - cdf(low, *args)
        whole = value * raw_of(share)
    parameters = Parameters((args, loc, scale, *held))
    own = Opened(integrand, parameters, (0,))
    places = [low, *cuts(self, low, high, args), high]
    # The value is known of all three together.
    found = sum(
        Integral.apply(own, known, None, a, b, *parameters.variables)
        for known, a, b in zip((whole, 0.0, 0.0), places[:-1], places[1:], strict=True)
    )
    return valued(found if share is None else found / share, value)


def ends(distribution: Any, args: Any, loc: Any, scale: Any, given: Any) -> Any:
    """The standardised limits; an infinite one does not move."""
    supported: Any = support(distribution, args)
    for end, own in zip(given, supported, strict=True):
        if end is not None:
            yield (end - loc) / scale
        else:
            yield own if np.isfinite(raw_of(own)) else float(raw_of(own))


def cuts(distribution: Any, low: Any, high: Any, args: Any) -> Any:
    """Where SciPy takes the tails apart: the integral does not depend on it."""
    shapes = Parameters(tuple(args)).raw
    first, last = distribution.cdf([raw_of(low), raw_of(high)], *shapes)
    shares = first + (last - first) * np.array([TAIL, 1.0 - TAIL])
    return map(float, distribution.ppf(shares, *shapes))


@replaces(_of_counts, is_looking=True, is_plain=is_of_numbers)
def discrete_expect(
    self: Any,
    func: Any,
    args: Any,
    loc: Any,
    lb: Any,
    ub: Any,
    conditional: bool,
    maxcount: Any,
    tolerance: Any,
    chunksize: Any,
) -> Any:
    """``expect`` of counts; its bounds are steps"""
    given = Parameters((args, loc, lb, ub))
    refuse_trace(f"calls {self.name}.expect: SciPy sums a function")
    apart = loc - raw_of(loc)  # zero, with a gradient
    places, worths = [], []

    def seen(x: Any) -> Any:
        places.append(np.ravel(x))
        worths.append(func(x + apart) if func is not None else x + apart)
        return raw_of(worths[-1])

    limits = maxcount, tolerance, chunksize
    value = _of_counts(self, seen, *given.raw, conditional, *limits)
    mass, sf = replacement_of(self.pmf), replacement_of(self.sf)
    at = raw_of(loc)
    found = sum(
        np.sum(worth * mass(np.round(place - at), *args))
        for worth, place in zip(worths, places, strict=True)
    )
    if conditional:
        low, high = self.support(*given.raw[0])
        low = low if lb is None else raw_of(lb) - at
        high = high if ub is None else raw_of(ub) - at
        found = found / (sf(low - 1, *args) - sf(high, *args))
    return valued(found, value)


@replaces(type(stats.norm()).expect, is_looking=True, is_plain=lambda *_: False)
def frozen_expect(
    self: Any, func: Any, lb: Any, ub: Any, conditional: bool, kwds: Any
) -> Any:
    """``expect`` of a frozen distribution"""
    shapes, loc, scale = self.dist._parse_args(*self.args, **self.kwds)
    held = (shapes, loc) if isinstance(self.dist, Discrete) else (shapes, loc, scale)
    expect = replacement_of(self.dist.expect)
    return expect(func, *held, lb, ub, conditional, **kwds)
