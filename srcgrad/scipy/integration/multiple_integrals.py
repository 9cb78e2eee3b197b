"""``scipy.integrate``: integrals over two variables, and of vectors."""

import functools
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import arguments
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.rules.scipy.scipy_sources import on_variables
from srcgrad.scipy.algorithm_results import close
from srcgrad.scipy.captures import passing_on
from srcgrad.scipy.integration.boxes import BOX, refusing_raws
from srcgrad.scipy.integration.integrals import Integral
from srcgrad.scipy.integration.weighted_integrals import quad
from srcgrad.scipy.parameters import Parameters, refuse, refusing
from srcgrad.scipy.replacing import is_plain, replaces


def of_limits(limits):
    return limits if callable(limits) else lambda *_: limits


def inner_integral(func, ranges, options):
    """What is integrated last: a function of the last variable and the parameters."""
    if len(ranges) == 1:
        return func
    before = inner_integral(func, ranges[:-1], options)

    def integrand(x, *rest):
        low, high = ranges[-2](x, *rest)
        inner = quad(integrate.quad, before, low, high, (x, *rest), **options)
        return inner[0]

    return integrand


def nquad(func, ranges, args=None, opts=None, full_output=False):
    """The slope is an integral over the same region."""
    args = () if args is None else arguments(args)
    parameters = Parameters(args)
    limits = [of_limits(each) for each in ranges]
    low, high = limits[-1](*args)
    if not Parameters((low, high, args)).variables:
        return integrate.nquad(refusing(func), ranges, args, opts, full_output)
    if full_output or not isinstance(opts, (dict, type(None))):
        refuse("integrate.nquad", "with `full_output`, or options for each variable")
    if opts and opts.get("weight") is not None:
        refuse("integrate.nquad", "with a weight: write it into the integrand")
    rest = [
        lambda *values, own=own: [raw_of(end) for end in own(*values)] for own in limits
    ]
    rest[-1] = of_limits([raw_of(low), raw_of(high)])
    found, error = integrate.nquad(refusing(func), rest, parameters.raw, opts)
    if len(ranges) > 2:  # one inside the other, slopes too, would take minutes
        return over_many(func, ranges, parameters, found), error
    last = inner_integral(func, limits, opts or {})

    def integrand(x, *values):
        return last(x, *parameters.filled(values))

    variables = parameters.variables
    return Integral.apply(integrand, found, None, low, high, *variables), error


def over_many(func, ranges, parameters, found):
    """A box, of which the sides that are functions of other variables have length 1."""
    sides = [(0.0, 1.0) if callable(each) else tuple(each) for each in ranges]

    def integrand(point, *values):
        args, weight = parameters.filled(values), 1.0
        inside: Any = ()
        for k in reversed(range(len(ranges))):
            x = point[k]
            if callable(ranges[k]):
                low, high = ranges[k](*inside, *args)
                if has_slope((low, high)):
                    refuse(
                        "integrate.nquad",
                        "by limits inside, over more than two variables",
                    )
                x, width = stretched(x, *map(raw_of, (low, high)))
                weight = weight * width
            inside = (x, *inside)
        return weight * func(*inside, *args)

    corners = (numbers([side[i] for side in sides]) for i in (0, 1))
    return Integral.apply(integrand, found, BOX, *corners, *parameters.variables)


def has_slope(limits):
    return any(getattr(limit, "requires_grad", False) for limit in limits)


def stretched(u, low, high):
    """Where a number between 0 and 1 is between two limits, and how fast it moves."""
    if low > high:
        x, width = stretched(u, high, low)
        return x, -width
    if np.isfinite(low) and np.isfinite(high):
        return low + (high - low) * u, high - low
    up, down = 1.0 / (1.0 - u), 1.0 / u
    if np.isfinite(low):
        return low + up - 1.0, up * up
    if np.isfinite(high):
        return high + 1.0 - down, down * down
    return up - down, up * up + down * down


over_region = passing_on(integrate.nquad, nquad)


@functools.wraps(integrate.nquad)
def over_ranges(func, ranges, args=None, opts=None, full_output=False):
    """With inner limits as a function, which passes on the Variables in it."""
    ranges = list(ranges)
    if len(ranges) == 2 and not callable(ranges[0]):
        low, high = ranges[0]
        if has_slope((low, high)):
            ranges[0] = lambda *_: [low, high]
    return over_region(func, ranges, args, opts, full_output)


def numbers(ends):
    """Numbers and Variables as one vector."""
    if is_plain(ends):
        return np.array(ends, float)
    return np.stack([end * np.ones(()) for end in ends])


REPLACEMENTS[integrate.nquad] = over_ranges
LOOKING.add(over_ranges)


def always(*args):
    return False


@replaces(integrate.dblquad, is_looking=True, is_plain=always)
def dblquad(func, a, b, gfun, hfun, args, epsabs, epsrel):
    def inner(x, *_):
        return [of_limits(gfun)(x), of_limits(hfun)(x)]

    options = {"epsabs": epsabs, "epsrel": epsrel}
    return over_region(func, [inner, [a, b]], args, options)


@replaces(integrate.tplquad, is_looking=True, is_plain=always)
def tplquad(func, a, b, gfun, hfun, qfun, rfun, args, epsabs, epsrel):
    def innermost(y, x, *_):
        return [of_limits(qfun)(x, y), of_limits(rfun)(x, y)]

    def inner(x, *_):
        return [of_limits(gfun)(x), of_limits(hfun)(x)]

    ranges = [
        innermost if callable(qfun) or callable(rfun) else [qfun, rfun],
        inner if callable(gfun) or callable(hfun) else [gfun, hfun],
        [a, b],
    ]
    options = {"epsabs": epsabs, "epsrel": epsrel}
    return over_region(func, ranges, args, options)


@replaces(integrate.quad_vec, is_looking=True, raw=refusing_raws, passes=passing_on)
def quad_vec(found, f, a, b, args):
    parameters = Parameters(arguments(args))

    def integrand(x, *values):
        return f(x, *parameters.filled(values))

    found, *others = found
    out = Integral.apply(integrand, found, None, a, b, *parameters.variables)
    if others[1:]:
        close(others[1], "what scipy.integrate.quad_vec tells", [out])
    return (out, *others)


@replaces(integrate.fixed_quad, is_looking=True, is_plain=always)
def fixed_quad(func, a, b, args, n):
    """A sum, differentiated as such."""
    return sum_of_points(func, a, b, args, n)


sum_of_points = on_variables(integrate.fixed_quad)
