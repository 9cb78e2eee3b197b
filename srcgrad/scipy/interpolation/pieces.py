"""``scipy.interpolate``: polynomials between breakpoints; what splines share."""

import math

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import OfVariables, is_plain, of_variables, replace_class

# What splines are made of, by the names in SciPy's objects and in ours.
HELD = {"c": "coefficients", "t": "knots", "x": "breaks"}


def floats(x):
    """A Variable as it is, all else as an array."""
    return np.asarray(x, float) if is_plain(x) else x


def in_first(values, like):
    """A vector along the first axis of something."""
    return np.reshape(values, (-1,) + (1,) * (np.ndim(like) - 1))


def spread(values, ndim):
    """The same with so many axes of length 1 behind."""
    return np.reshape(values, np.shape(values) + (1,) * ndim)


def moved(out, ndim, axis):
    """Put the axes of the points, which come first, where the values' axis was."""
    places = range(axis, axis + ndim)
    return np.moveaxis(out, range(ndim), places) if axis else out


class Pieces:
    """Polynomials between breakpoints, their coefficients (highest first) Variables."""

    def __init__(self, breaks, coefficients):
        self.breaks, self.coefficients = breaks, coefficients

    def __call__(self, x, nu=0):
        """The value, or derivative number ``nu``, at each point."""
        c, last = self.coefficients, len(self.breaks) - 2
        place = np.searchsorted(raw_of(self.breaks), raw_of(x), "right") - 1
        index = np.clip(place, 0, last)
        apart = spread(x - self.breaks[index], np.ndim(c) - 2)
        degree = np.shape(c)[0] - 1
        out = np.zeros_like(raw_of(apart)) + 0.0 * c[0][index]
        for k in range(degree - nu + 1):
            out = out * apart + float(math.perm(degree - k, nu)) * c[k][index]
        return out

    def derivative(self, nu=1):
        c = self.coefficients
        for _ in range(nu):
            powers = np.arange(np.shape(c)[0] - 1, 0, -1.0)
            if not powers.size:
                return Pieces(self.breaks, 0.0 * c)
            c = c[:-1] * in_first(powers, c)
        return Pieces(self.breaks, c)

    def antiderivative(self, nu=1):
        c, width = self.coefficients, np.diff(self.breaks)
        for _ in range(nu):
            c = c / in_first(np.arange(np.shape(c)[0], 0, -1.0), c)
            whole = 0.0 * c[0]
            for term in c:
                whole = (whole + term) * in_first(width, c[0])
            sums = np.cumsum(whole[:-1], axis=0)
            starts = np.concatenate([np.zeros_like(raw_of(whole[:1])), sums])
            c = np.concatenate([c, starts[None]])
        return Pieces(self.breaks, c)


class Differentiable(OfVariables):
    """What splines share: they are SciPy's, until a Variable comes in."""

    MEMBERS = {each: f"by its method {each!r}" for each in ("extend", "insert_knot")}

    def __getattribute__(self, name):
        is_held = name in HELD and name not in type(self).MEMBERS
        if is_held and object.__getattribute__(self, "has_variables"):
            return getattr(self.known, HELD[name])
        return super().__getattribute__(name)

    def way(self):
        """How the polynomials are made: of what SciPy's object holds."""
        return Pieces(self.x, self.c)

    @property
    def known(self):
        """The polynomials, made when they are asked for first."""
        if "pieces" not in vars(self):
            self.pieces = self.way()
        return self.pieces

    @of_variables
    def __call__(self, x, nu=0, extrapolate=None):
        x = floats(x)
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        low, high = self.known.breaks[0], self.known.breaks[-1]
        if extrapolate == "periodic":
            x = low + (x - low) % (high - low)
        out = self.known(x, nu)
        if not extrapolate:
            point = raw_of(x)
            inside = (raw_of(low) <= point) & (point <= raw_of(high))
            out = np.where(spread(inside, np.ndim(out) - np.ndim(x)), out, np.nan)
        return moved(out, np.ndim(x), self.axis)

    @of_variables
    def derivative(self, nu=1):
        return Derived(self.known.derivative(nu), self)

    @of_variables
    def antiderivative(self, nu=1):
        return Derived(self.known.antiderivative(nu), self)

    @of_variables
    def integrate(self, a, b, extrapolate=None):
        chosen = self.extrapolate if extrapolate is None else extrapolate
        if chosen == "periodic":
            refuse(f"interpolate.{type(self).__name__}", "as an integral over periods")
        whole = Derived(self.known.antiderivative(), self)
        return whole(b, 0, chosen) - whole(a, 0, chosen)

    @of_variables
    def solve(self, y=0.0, discontinuity=True, extrapolate=None):
        name, known = f"interpolate.{type(self).__name__}", self.known
        if np.ndim(known.coefficients) > 2:
            refuse(name, "by the roots of several")
        chosen = self.extrapolate if extrapolate is None else extrapolate
        raw = interpolate.PPoly(
            raw_of(known.coefficients), raw_of(known.breaks), chosen
        )
        found = raw.solve(raw_of(y), discontinuity)
        if not np.allclose(raw(found), raw_of(y)):
            refuse(name, "by the roots at its jumps")
        return polished(known, found, y)

    def roots(self, discontinuity=True, extrapolate=None):
        return self.solve(0.0, discontinuity, extrapolate)


def polished(known, x, y):
    """Places where a function is ``y``, by two of Newton's steps, which go nowhere.

    They have the slope of the places, and the slope's.
    """
    for _ in range(2):
        x = x - (known(x) - y) / known(x, 1)
    return x


class Derived(Differentiable):
    """A derivative or an integral of a spline of Variables."""

    has_variables = True

    def __init__(self, pieces, of):
        self.pieces, self.axis, self.extrapolate = pieces, of.axis, of.extrapolate


class OfPieces(Differentiable):
    """What is made of coefficients and breakpoints."""

    powers = staticmethod(lambda c, x: Pieces(x, c))

    def hold(self, c, x, axis):
        if axis:  # the axes of the pieces come first
            c = np.moveaxis(c, (axis, axis + 1), (0, 1))
        self.way = lambda: self.powers(c, floats(x))

    def way(self):
        return self.powers(self.c, self.x)


@replace_class(interpolate)
class PPoly(OfPieces, interpolate.PPoly):
    """``scipy.interpolate.PPoly``"""


def powers(c, x):
    """Bernstein's polynomials by their powers: each is a sum of these."""
    k = np.shape(c)[0] - 1
    change = np.zeros((k + 1, k + 1))
    for j in range(k + 1):
        for i in range(j + 1):
            change[k - j, i] = (-1.0) ** (j - i) * math.comb(k, j) * math.comb(j, i)
    exponents = np.arange(k, -1, -1)
    width = spread(np.diff(x), np.ndim(c) - 2)
    return Pieces(x, np.tensordot(change, c, 1) / width ** in_first(exponents, c))


@replace_class(interpolate)
class BPoly(OfPieces, interpolate.BPoly):
    """``scipy.interpolate.BPoly``: Bernstein's polynomials, as powers"""

    MEMBERS = dict.fromkeys(("c", "roots", "solve", "extend"))
    powers = staticmethod(powers)
