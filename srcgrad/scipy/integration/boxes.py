"""``scipy.integrate``: integrals over boxes of many dimensions."""

import dataclasses

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import arguments
from srcgrad.scipy.algorithm_results import without_slope
from srcgrad.scipy.captures import passing_on
from srcgrad.scipy.integration.integrals import Integral, Kind
from srcgrad.scipy.parameters import Parameters, refuse, refusing
from srcgrad.scipy.replacing import is_plain, raws, replaces


def refusing_raws(item):
    """What SciPy gets: numbers, and functions that lose no gradient."""
    return refusing(raws(item))


class Box(Kind):
    """Between two corners; a coordinate of these moves a face with it."""

    def by_limit(self, integrand, limits, values, g, place):
        corner, sign = limits[place], 1.0 if place else -1.0
        faces = (
            sign * np.sum(g * over_face(integrand, k, corner, *limits, values))
            for k in range(len(corner))
        )
        return np.stack(list(faces))

    def integrated(self, function, limits):
        ends = [np.asarray(limit, float) for limit in limits]
        return integrate.cubature(
            lambda x: np.stack([function(u) for u in x]),
            *ends,
            rule="gk21" if len(ends[0]) < 3 else "gk15",
            atol=1e-10,
        ).estimate


BOX = Box()


def over_face(integrand, k, corner, low, high, values):
    """The integral over all coordinates but one, which is a corner's."""
    if len(corner) == 1:
        return integrand(corner, *values)
    others = [i for i in range(len(corner)) if i != k]

    def on_face(x, end, *values):
        parts = [x[:k], np.reshape(end, (1,)), x[k:]]
        return integrand(np.concatenate(parts), *values)

    return BOX.whole(on_face, (low[others], high[others]), (corner[k], *values))


def corner(ends, ndim):
    """One of the two corners, as a vector."""
    ends = np.asarray(ends, float) if is_plain(ends) else ends
    return np.broadcast_to(ends, (ndim,))


@replaces(integrate.cubature, is_looking=True, raw=refusing_raws, passes=passing_on)
def cubature(found, f, a, b, args):
    args = arguments(args)
    parameters = Parameters(args)
    ndim = np.broadcast(raw_of(a), raw_of(b)).size

    def integrand(x, *values):
        return f(np.reshape(x, (1, -1)), *parameters.filled(values))[0]

    ends = corner(a, ndim), corner(b, ndim)
    variables = parameters.variables
    out = Integral.apply(integrand, found.estimate, BOX, *ends, *variables)
    regions = without_slope(found.regions, "`regions` of cubature", [out])
    return dataclasses.replace(found, estimate=out, regions=regions)


@replaces(integrate.qmc_quad, is_looking=True, is_plain=lambda *args: False)
def qmc_quad(func, a, b, n_estimates, n_points, qrng, log):
    """The slope is that of the estimate, by the same random points."""
    raw = np.atleast_1d(raw_of(a)), np.atleast_1d(raw_of(b))
    corners = [np.array(end) if is_plain(end) else end for end in (a, b)]
    low, high = np.minimum(*corners), np.maximum(*corners)
    results = []

    def called(x):
        if not is_plain(low, high):
            width = np.reshape(np.abs(raw[1] - raw[0]), (-1, *(1,) * (np.ndim(x) - 1)))
            start = np.reshape(np.minimum(*raw), np.shape(width))
            share = (x - start) / np.where(width == 0, 1.0, width)
            x = np.reshape(low, np.shape(width)) + share * np.reshape(
                high - low, np.shape(width)
            )
        results.append(func(x))
        return raw_of(results[-1])

    options = {"n_estimates": n_estimates, "n_points": n_points, "log": log}
    found = integrate.qmc_quad(called, *raw, qrng=qrng, **options)
    results = results[-n_estimates:]  # it has tried it before
    if is_plain(low, high, results) or np.any(raw[0] == raw[1]):
        return found
    if log:
        refuse("integrate.qmc_quad", "with `log`")
    size = np.prod(high - low) / n_points
    estimates = np.stack([np.sum(result) * size for result in results])
    error = np.std(estimates, ddof=1) / np.sqrt(len(results))
    sign = (-1.0) ** np.count_nonzero(raw[1] < raw[0])
    return type(found)(sign * np.mean(estimates), error)
