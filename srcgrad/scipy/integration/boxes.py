"""``scipy.integrate``: integrals over boxes of many dimensions.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import integrate
>>> a = srcgrad.Variable(2.0, requires_grad=True)
>>> found = integrate.cubature(
...     lambda x, a: a * x[:, 0] * x[:, 1] ** 2, [0, 0], [1, 3], args=(a,)
... )
>>> found.estimate.backward()
>>> round(a.grad.item(), 6)
4.5
"""

import dataclasses
import functools
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.algorithms import arguments
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import passing_on, way_back
from srcgrad.scipy.integration.integrals import (
    keep_limits,
    limits_of,
    sloped,
    split,
)
from srcgrad.scipy.parameters import Parameters, refuse, watched
from srcgrad.scipy.results import without_slope
from srcgrad.tape.function import Function


class Box(Function):
    """The integral of ``integrand(x, *values)`` over all ``x`` between two corners.

    By the values its slope is the integral of the integrand's; by a corner's coordinate
    it is the integral over the face that moves with it. So both are such nodes again.
    """

    is_algorithms = True

    @staticmethod
    def forward(ctx, integrand, found, low, high, *values):
        ctx.integrand = integrand
        keep_limits(ctx, (low, high), ctx.needs_input_grad[2:4], values)
        return np.array(found)

    @staticmethod
    @way_back
    def backward(ctx, g):
        (low, high), values = limits_of(ctx)
        at_corners: list[Any] = []
        for corner, is_value, sign in zip(
            (low, high), ctx.is_value, (-1.0, 1.0), strict=True
        ):
            faces = (
                sign
                * np.sum(g * over_face(ctx.integrand, k, corner, low, high, values))
                for k in range(len(corner) if is_value else 0)
            )
            at_corners.append(np.stack(list(faces)) if is_value else None)
        gradients: list[Any] = []
        if values:
            whole = over_box(sloped(ctx.integrand), low, high, (g, *values))
            gradients = split(whole, values)
        return (None, None, *at_corners, *gradients)


def over_face(integrand, k, corner, low, high, values):
    """The integral over all coordinates but one, which is a corner's."""
    if len(corner) == 1:
        return integrand(corner, *values)
    others = [i for i in range(len(corner)) if i != k]

    def on_face(x, end, *values):
        parts = [x[:k], np.reshape(end, (1,)), x[k:]]
        return integrand(np.concatenate(parts), *values)

    return over_box(on_face, low[others], high[others], (corner[k], *values))


def over_box(integrand, low, high, values):
    """Integrate as a node, where there are Variables."""
    raw = [raw_of(value) for value in values]
    ends = np.asarray(raw_of(low), float), np.asarray(raw_of(high), float)
    found = integrate.cubature(
        lambda x: np.stack([np.asarray(raw_of(integrand(u, *raw))) for u in x]),
        *ends,
        rule="gk21" if len(ends[0]) < 3 else "gk15",
        atol=1e-10,
    ).estimate
    return Box.apply(integrand, found, low, high, *values)


def corner(ends, ndim):
    """One of the two corners, as a vector."""
    ends = ends if first_variable(ends) is not None else np.asarray(ends, float)
    return np.broadcast_to(ends, (ndim,))


def cubature(f, a, b, *, args=(), points=None, **options):
    """``scipy.integrate.cubature``"""
    args = arguments(args)
    parameters = Parameters(args)
    found = integrate.cubature(
        *(watched(f), raw_of(a), raw_of(b)),
        **{"args": parameters.raw, "points": raw_of(points), **options},
    )
    if not Parameters((a, b, args)).variables:
        return found
    ndim = np.broadcast(raw_of(a), raw_of(b)).size

    def integrand(x, *values):
        return f(np.reshape(x, (1, -1)), *parameters.filled(values))[0]

    ends = corner(a, ndim), corner(b, ndim)
    out = Box.apply(integrand, found.estimate, *ends, *parameters.variables)
    regions = without_slope(found.regions, "`regions` of cubature", [out])
    return dataclasses.replace(found, estimate=out, regions=regions)


@functools.wraps(integrate.qmc_quad)
def qmc_quad(func, a, b, **options):
    """The slope is that of the estimate, by the same random points."""
    raw = np.atleast_1d(raw_of(a)), np.atleast_1d(raw_of(b))
    corners = [
        end if first_variable(end) is not None else np.array(end) for end in (a, b)
    ]
    low, high = np.minimum(*corners), np.maximum(*corners)
    results = []

    def called(x):
        if first_variable((low, high)) is not None:
            width = np.reshape(np.abs(raw[1] - raw[0]), (-1, *(1,) * (np.ndim(x) - 1)))
            start = np.reshape(np.minimum(*raw), np.shape(width))
            share = (x - start) / np.where(width == 0, 1.0, width)
            x = np.reshape(low, np.shape(width)) + share * np.reshape(
                high - low, np.shape(width)
            )
        results.append(func(x))
        return raw_of(results[-1])

    found = integrate.qmc_quad(called, *raw, **options)
    results = results[-options.get("n_estimates", 8) :]  # it has tried it before
    if first_variable((low, high, results)) is None or np.any(raw[0] == raw[1]):
        return found
    if options.get("log"):
        refuse("integrate.qmc_quad", "with `log`")
    size = np.prod(high - low) / options.get("n_points", 1024)
    estimates = np.stack([np.sum(result) * size for result in results])
    error = np.std(estimates, ddof=1) / np.sqrt(len(results))
    sign = (-1.0) ** np.count_nonzero(raw[1] < raw[0])
    return type(found)(sign * np.mean(estimates), error)


REPLACEMENTS[integrate.cubature] = passing_on(integrate.cubature, cubature)
LOOKING.add(REPLACEMENTS[integrate.cubature])
REPLACEMENTS[integrate.qmc_quad] = qmc_quad
LOOKING.add(qmc_quad)
