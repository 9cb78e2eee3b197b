"""``scipy.integrate.quad``: by its limits, and by parameters of the integrand.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import integrate
>>> rate = srcgrad.Variable(2.0, requires_grad=True)
>>> area, _ = integrate.quad(lambda x, rate: np.exp(-rate * x), 0, np.inf, args=(rate,))
>>> area.backward()
>>> round(rate.grad.item(), 6)  # of 1 / rate
-0.25
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import arguments
from srcgrad.scipy.captures import way_back
from srcgrad.scipy.parameters import Opened, Parameters, pulled_back, watched
from srcgrad.scipy.results import close
from srcgrad.tape.function import Function

Integrand = Callable[..., Any]

# So many integrals at most are computed one by one.
FEW = 32


def keep_limits(ctx, limits, is_value, values):
    """Save the limits of an integral, and the values in its integrand.

    A limit that is made of plain numbers may be infinite, and has no gradient.
    """
    ctx.limits, ctx.is_value = limits, is_value
    kept = [x if own else None for x, own in zip(limits, is_value, strict=True)]
    ctx.save_for_backward(*kept, *values)


def limits_of(ctx):
    """What ``keep_limits`` has saved: the limits, and the values."""
    (*kept,) = ctx.saved_tensors
    pairs = zip(kept, ctx.is_value, ctx.limits, strict=False)
    return [own if is_value else plain for own, is_value, plain in pairs], kept[
        len(ctx.limits) :
    ]


class Integral(Function):
    """The integral of ``integrand(x, *values)`` between two limits.

    Its slope is the integral of the integrand's slope, so it is itself such a node, and
    differentiable to any order. ``points`` are where the integrand is not smooth.
    """

    is_algorithms = True

    @staticmethod
    def forward(ctx, integrand, found, points, low, high, *values):
        ctx.integrand, ctx.points = integrand, points
        keep_limits(ctx, (low, high), ctx.needs_input_grad[3:5], values)
        return np.array(found)

    @staticmethod
    @way_back
    def backward(ctx, g):
        (low, high), values = limits_of(ctx)
        at_ends = []
        for end, is_value, sign in zip(
            (low, high), ctx.is_value, (-1.0, 1.0), strict=True
        ):
            worth = sign * np.sum(g * ctx.integrand(end, *values)) if is_value else None
            at_ends.append(worth)
        gradients: list[Any] = []
        if values:
            slope = sloped(ctx.integrand)
            whole = integral(slope, low, high, (g, *values), ctx.points)
            gradients = split(whole, values)
        return (None, None, None, *at_ends, *gradients)


def sloped(integrand):
    """The VJP of an integrand in all its values, in one vector."""

    def slope(x, g, *values):
        args = [x, *values]
        _, found = pulled_back(integrand, args, g, range(1, len(args)))
        return np.concatenate([np.reshape(each, -1) for each in found])

    return slope


def split(whole, values):
    """Cut a vector into pieces with the shapes of some values."""
    parts, start = [], 0
    for value in values:
        size = int(np.prod(np.shape(raw_of(value))))
        piece = whole[start : start + size]
        parts.append(np.reshape(piece, np.shape(raw_of(value))))
        start += size
    return parts


def integral(integrand, low, high, values, points=None):
    """Integrate a vector: as a node where there are Variables."""
    raw = [raw_of(value) for value in values]
    found = integrated(
        lambda x: np.asarray(raw_of(integrand(x, *raw))),
        *(float(raw_of(low)), float(raw_of(high)), points),
    )
    return Integral.apply(integrand, found, points, low, high, *values)


def integrated(function, a, b, points):
    """The integral of a vector: a few numbers one by one, at the same points mostly."""
    computed = functools.lru_cache(maxsize=None)(function)
    size = np.size(computed(middle_of(a, b)))
    if size > FEW:
        ends = {"points": points} if points is not None else {}
        return integrate.quad_vec(function, a, b, epsabs=1e-12, epsrel=1e-10, **ends)[0]
    # `full_output` keeps it from warning.
    options = {"epsabs": 1e-12, "epsrel": 1e-10, "limit": 500, "full_output": 1}
    each = [
        integrate.quad(lambda x, i=i: computed(x)[i], a, b, points=points, **options)[0]
        for i in range(size)
    ]
    return np.array(each)


def middle_of(a, b):
    """Where QUADPACK begins."""
    if np.isfinite(a) and np.isfinite(b):
        return 0.5 * (a + b)
    if np.isfinite(a) or np.isfinite(b):
        return a + 1.0 if np.isfinite(a) else b - 1.0
    return 1.0


def quad(original, func, a, b, args=(), **kwargs):
    """``scipy.integrate.quad`` of real numbers without a weight."""
    parameters = Parameters(arguments(args))
    if not Parameters((a, b, args)).variables:
        return original(watched(func), a, b, args, **kwargs)
    integrand = Opened(func, parameters, (0,))
    limits = raw_of(a), raw_of(b)
    # Where it is cut makes no difference to it.
    kwargs = Parameters(kwargs).raw
    found, *others = original(watched(func), *limits, parameters.raw, **kwargs)
    points = kwargs.get("points")
    out = Integral.apply(integrand, found, points, a, b, *parameters.variables)
    if others[1:]:
        close(others[1], "what scipy.integrate.quad tells", [out])
    return (out[()], *others)
