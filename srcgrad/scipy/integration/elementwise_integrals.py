"""``scipy.integrate``: integrals and sums of many elements at once, tanhsinh and nsum.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import integrate
>>> rates = srcgrad.Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> integrate.tanhsinh(
...     lambda x, rate: np.exp(-rate * x), 0, np.inf, args=(rates,)
... ).integral.sum().backward()
>>> rates.grad.data.round(8)  # of 1 / rate
array([-1.  , -0.25])
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.algorithms import arguments
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import captured, passing_on, way_back
from srcgrad.scipy.integration.integrals import keep_limits, limits_of
from srcgrad.scipy.parameters import Parameters, pulled_back, refuse, watched
from srcgrad.tape.function import Function

# SciPy's function of the integrand, two limits and ``args``, and its result's name.
Method = Callable[..., Any]


class Elementwise(Function):
    """What a method makes of ``integrand(x, *values)``, element by element.

    Its slope is what the same method makes of the integrand's slope.
    """

    @staticmethod
    def forward(ctx, method, integrand, found, low, high, *values):
        ctx.method, ctx.integrand = method, integrand
        keep_limits(ctx, (low, high), ctx.needs_input_grad[3:5], values)
        return np.array(found)

    @staticmethod
    @way_back
    def backward(ctx, g):
        (low, high), values = limits_of(ctx)
        ends = zip((low, high), ctx.is_value, (-1.0, 1.0), strict=True)
        at_ends = [
            sign * g * ctx.integrand(end, *values) if is_value else None
            for end, is_value, sign in ends
        ]
        gradients = [
            whole(ctx.method, slope_by(ctx.integrand, i), low, high, (g, *values))
            for i in range(len(values))
        ]
        return (None, None, None, *at_ends, *gradients)


def slope_by(integrand, i):
    """The VJP of an integrand in one of its values, element by element."""

    def slope(x, *values):
        g, *own = (np.broadcast_to(value, np.shape(x)) for value in values)
        return pulled_back(lambda *each: integrand(x, *each), own, g)[1][i]

    return slope


def whole(method, integrand, low, high, values):
    """What a method makes of it: as a node, where there are Variables."""
    raw = tuple(raw_of(value) for value in values)
    found, _ = method(
        lambda x, *args: np.asarray(raw_of(integrand(x, *args))),
        *(raw_of(low), raw_of(high), raw),
    )
    return Elementwise.apply(method, integrand, found, low, high, *values)


def node(method, f, low, high, args):
    """SciPy's result, with a node for what it has found."""
    parameters = Parameters(args)
    limits = raw_of(low), raw_of(high)
    found, result = method(watched(f), *limits, parameters.raw)
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

    return result, Elementwise.apply(method, integrand, found, low, high, *values)


def tanhsinh(f, a, b, *, args=(), log=False, **options):
    """``scipy.integrate.tanhsinh``"""
    args = arguments(args)
    is_plain = first_variable((a, b, args)) is None
    if not is_plain and (log or options.get("preserve_shape")):
        refuse("integrate.tanhsinh", "with `log` or `preserve_shape`")

    def method(f, low, high, args):
        found = integrate.tanhsinh(f, low, high, args=args, log=log, **options)
        return found.integral, found

    result, result.integral = node(method, f, a, b, args)
    return result


def nsum(f, a, b, *, step=1, args=(), log=False, **options):
    """``scipy.integrate.nsum``"""
    args = arguments(args)
    if first_variable((a, b, step)) is not None:
        refuse("integrate.nsum", "by the limits, which are steps")
    if log and first_variable(args) is not None:
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
