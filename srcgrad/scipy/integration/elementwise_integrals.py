"""``scipy.integrate``: integrals and sums of many elements at once."""

import functools

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import arguments
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import captured, passing_on
from srcgrad.scipy.integration.integrals import Integral, Kind
from srcgrad.scipy.parameters import Parameters, pulled_back, refuse, refusing
from srcgrad.scipy.replacing import is_plain


class Elementwise(Kind):
    """What a method makes of an integrand, element by element.

    ``method``: SciPy's function of the integrand, two limits and ``args``, which gives
    the numbers and all of its result. Its slope is what it makes of the slope.
    """

    def __init__(self, method):
        self.method = method

    def by_limit(self, integrand, limits, values, g, place):
        worth = g * integrand(limits[place], *values)
        return worth if place else -worth

    def by_values(self, integrand, limits, values, g):
        return [
            self.whole(slope_by(integrand, i), limits, (g, *values))
            for i in range(len(values))
        ]

    def whole(self, integrand, limits, values):
        found, _ = self.method(
            lambda x, *args: np.asarray(raw_of(integrand(x, *args))),
            *(*map(raw_of, limits), tuple(map(raw_of, values))),
        )
        return Integral.apply(integrand, found, self, *limits, *values)


def slope_by(integrand, i):
    """The VJP of an integrand in one of its values, element by element."""

    def slope(x, *values):
        g, *own = (np.broadcast_to(value, np.shape(x)) for value in values)
        return pulled_back(lambda *each: integrand(x, *each), own, g)[1][i]

    return slope


def node(method, f, low, high, args):
    """SciPy's result, with a node for what it has found."""
    parameters = Parameters(args)
    limits = raw_of(low), raw_of(high)
    found, result = method(refusing(f), *limits, parameters.raw)
    if not Parameters((low, high, args)).variables:
        return result, found
    shape = np.shape(found)
    if any(np.ndim(raw_of(arg)) > len(shape) for arg in args):
        refuse("integrate", "of a function that gives fewer elements than it is given")
    low, high, *values = (
        np.broadcast_to(item, shape) for item in (low, high, *parameters.variables)
    )

    def integrand(x, *values):
        return f(x, *parameters.filled(values))

    return result, Integral.apply(
        integrand, found, Elementwise(method), low, high, *values
    )


def tanhsinh(f, a, b, *, args=(), log=False, **options):
    """``scipy.integrate.tanhsinh``"""
    args = arguments(args)
    if not is_plain(a, b, args) and (log or options.get("preserve_shape")):
        refuse("integrate.tanhsinh", "with `log` or `preserve_shape`")

    def method(f, low, high, args):
        found = integrate.tanhsinh(f, low, high, args=args, log=log, **options)
        return found.integral, found

    result, result.integral = node(method, f, a, b, args)
    return result


def nsum(f, a, b, *, step=1, args=(), log=False, **options):
    """``scipy.integrate.nsum``"""
    args = arguments(args)
    if not is_plain(a, b, step):
        refuse("integrate.nsum", "by the limits, which are steps")
    if log and not is_plain(args):
        refuse("integrate.nsum", "with `log`")

    def method(f, low, high, args):
        found = integrate.nsum(f, low, high, step=step, args=args, log=log, **options)
        return found.sum, found

    result, result.sum = node(method, f, a, b, args)
    return result


def checked(original, passing):
    """With an error for what SciPy would take for parameters of single elements."""

    @functools.wraps(original)
    def call(f, *args, **kwargs):
        if any(np.ndim(raw_of(variable)) for variable in captured(f)):
            refuse(
                f"integrate.{original.__name__}",
                "by an array around the integrand: pass it on in `args`, element by "
                "element, or use quad_vec",
            )
        return passing(f, *args, **kwargs)

    return call


for _original, _replacement in ((integrate.tanhsinh, tanhsinh), (integrate.nsum, nsum)):
    REPLACEMENTS[_original] = checked(_original, passing_on(_original, _replacement))
    LOOKING.add(REPLACEMENTS[_original])
