"""``scipy.interpolate``: splines and polynomials of many variables, as products."""

import math

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.interpolation.bsplines import basis
from srcgrad.scipy.interpolation.pieces import in_first
from srcgrad.scipy.replacing import OfVariables, is_plain, of_variables, replace_class


def points_of(xi):
    """Points as rows, and their shape before."""
    if is_plain(xi):
        xi = np.asarray(xi, float)
    elif isinstance(xi, (list, tuple)):
        xi = np.stack(np.broadcast_arrays(*xi), axis=-1)
    return np.reshape(xi, (-1, np.shape(xi)[-1])), np.shape(xi)[:-1]


def products(bases, c):
    """The sum of coefficients times basis functions of each variable."""
    out = np.tensordot(bases[0], c, 1)
    for values in bases[1:]:
        out = np.einsum("pn,pn...->p...", values, out)
    return out


def only_inside(out, x, ends):
    """nan beyond the ends."""
    lows, highs = np.array(ends).T
    inside = np.all((lows <= raw_of(x)) & (raw_of(x) <= highs), axis=1)
    return np.where(in_first(inside, out), out, np.nan)


def summed(terms, apart, nu):
    """A polynomial's derivative number ``nu``; its terms are along the first axis."""
    degree = np.shape(terms)[0] - 1
    out = 0.0 * terms[0]
    for power in range(degree, nu - 1, -1):
        factor = math.perm(power, nu)
        out = out * apart + factor * terms[degree - power]
    return out


@replace_class(interpolate)
class NdBSpline(OfVariables, interpolate.NdBSpline):
    """``scipy.interpolate.NdBSpline``"""

    MEMBERS = {"derivative": "by its `derivative`: call it with `nu`"}

    def hold(self, t, c):
        self.own = tuple(np.asarray(own) if is_plain(own) else own for own in t), c

    @of_variables
    def __call__(self, xi, *, nu=None, extrapolate=None):
        x, shape = points_of(xi)
        knots, c = self.own
        orders = [0] * len(knots) if nu is None else nu
        each = zip(knots, self.k, orders, strict=True)
        bases = [basis(t, k, x[:, i], order) for i, (t, k, order) in enumerate(each)]
        out = products(bases, c)
        if not (self.extrapolate if extrapolate is None else extrapolate):
            ends = [(t[k], t[-k - 1]) for t, k in zip(self.t, self.k, strict=True)]
            out = only_inside(out, x, ends)
        return np.reshape(out, shape + np.shape(c)[len(knots) :])


@replace_class(interpolate)
class NdPPoly(OfVariables, interpolate.NdPPoly):
    """``scipy.interpolate.NdPPoly``"""

    MEMBERS = {
        name: f"by its `{name}`: call it with `nu`"
        for name in ("derivative", "antiderivative", "integrate", "integrate_1d")
    }

    def hold(self, c, x):
        self.own = c, tuple(x)

    @of_variables
    def __call__(self, x, nu=None, extrapolate=None):
        points, shape = points_of(x)
        c, breaks = self.own
        ndim = len(breaks)
        orders = [0] * ndim if nu is None else nu
        places, distances = [], []
        for i, (plain, own) in enumerate(zip(self.x, breaks, strict=True)):
            place = np.searchsorted(plain, raw_of(points[:, i]), "right") - 1
            places.append(np.clip(place, 0, len(plain) - 2))
            own = plain if is_plain(own) else own
            distances.append(points[:, i] - own[places[-1]])
        out = c[(slice(None),) * ndim + tuple(places)]
        trailing = (1,) * (np.ndim(c) - 2 * ndim)
        for i, (apart, order) in enumerate(zip(distances, orders, strict=True)):
            apart = np.reshape(apart, (1,) * (ndim - 1 - i) + (-1, *trailing))
            out = summed(out, apart, order)
        if not (self.extrapolate if extrapolate is None else extrapolate):
            ends = [(own[0], own[-1]) for own in self.x]
            out = only_inside(out, points, ends)
        return np.reshape(out, shape + np.shape(c)[2 * ndim :])
