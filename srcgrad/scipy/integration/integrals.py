"""``scipy.integrate``: integrals as nodes, by their limits and integrands."""

import functools

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.scipy.captures import way_back
from srcgrad.scipy.parameters import pulled_back
from srcgrad.tape.function import Function

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
    """The integral of ``integrand(x, *values)``.

    Its slope is the integral of the integrand's slope, so it is itself such a node, and
    differentiable to any order. ``kind``: over what is integrated; for a list (or None)
    from one limit to another, and not smooth at these points.
    """

    is_algorithms = True

    @staticmethod
    def forward(ctx, integrand, found, kind, *given):
        ctx.kind = kind if isinstance(kind, Kind) else Between(kind)
        ctx.integrand, n = integrand, ctx.kind.count
        keep_limits(ctx, given[:n], ctx.needs_input_grad[3 : 3 + n], given[n:])
        return np.array(found)

    @staticmethod
    @way_back
    def backward(ctx, g):
        limits, values = limits_of(ctx)
        call = ctx.integrand, limits, values, g
        worths = [
            ctx.kind.by_limit(*call, place) if is_value else None
            for place, is_value in enumerate(ctx.is_value)
        ]
        gradients = ctx.kind.by_values(*call) if values else []
        return (None, None, None, *worths, *gradients)


class Kind:
    """Over what is integrated, so what limits and values are worth."""

    count = 2  # of limits

    def by_limit(self, integrand, limits, values, g, place):
        """What a limit adds: 0 or 1 for the lower or the upper one."""
        worth = np.sum(g * integrand(limits[place], *values))
        return worth if place else -worth

    def by_values(self, integrand, limits, values, g):
        return split(self.whole(sloped(integrand), limits, (g, *values)), values)

    def whole(self, integrand, limits, values):
        """Integrate a vector: as a node where there are Variables."""
        raw = [raw_of(value) for value in values]

        def of_numbers(x):
            return np.asarray(raw_of(integrand(x, *raw)))

        found = self.integrated(of_numbers, [raw_of(limit) for limit in limits])
        return Integral.apply(integrand, found, self, *limits, *values)

    def integrated(self, function, limits):
        """The numbers of a vector's integral."""
        raise NotImplementedError


class Between(Kind):
    """From one limit to another; at some points the integrand is not smooth."""

    def __init__(self, points=None):
        self.points = points

    def integrated(self, function, limits):
        return integrated(function, *map(float, limits), self.points)


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
