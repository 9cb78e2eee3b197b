"""``scipy.interpolate``: splines and polynomials of many variables, as products.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> c = srcgrad.Variable(np.array([[1.0, 2.0], [3.0, 7.0]]), requires_grad=True)
>>> knots = np.array([0.0, 0.0, 1.0, 1.0])
>>> interpolate.NdBSpline((knots, knots), c, 1)([0.25, 0.5]).backward()
>>> c.grad.data
array([[0.375, 0.375],
       [0.125, 0.125]])
"""

import math
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import basis
from srcgrad.scipy.parameters import refuse


def points_of(xi: Any) -> tuple[Any, tuple[int, ...]]:
    """Points as rows, and their shape before."""
    if first_variable(xi) is None:
        xi = np.asarray(xi, float)
    elif isinstance(xi, (list, tuple)):
        xi = np.stack(np.broadcast_arrays(*xi), axis=-1)
    return np.reshape(xi, (-1, np.shape(xi)[-1])), np.shape(xi)[:-1]


def products(bases: Any, c: Any) -> Any:
    """The sum of coefficients times basis functions of each variable."""
    out = np.tensordot(bases[0], c, 1)
    for values in bases[1:]:
        out = np.einsum("pn,pn...->p...", values, out)
    return out


def only_inside(out: Any, x: Any, ends: Any) -> Any:
    """nan beyond the ends."""
    lows, highs = np.array(ends).T
    inside = np.all((lows <= raw_of(x)) & (raw_of(x) <= highs), axis=1)
    return np.where(np.reshape(inside, (-1,) + (1,) * (np.ndim(out) - 1)), out, np.nan)


class NdBSpline(interpolate.NdBSpline):  # type: ignore[misc]
    """``scipy.interpolate.NdBSpline``"""

    def __init__(self, t: Any, c: Any, k: Any, *, extrapolate: Any = None) -> None:
        super().__init__(
            tuple(raw_of(knots) for knots in t), raw_of(c), k, extrapolate=extrapolate
        )
        self.has_variables = first_variable((t, c)) is not None
        self.own = tuple(t), c

    def __call__(self, xi: Any, *, nu: Any = None, extrapolate: Any = None) -> Any:
        if not self.has_variables and first_variable(xi) is None:
            return super().__call__(xi, nu=nu, extrapolate=extrapolate)
        x, shape = points_of(xi)
        own, c = self.own
        knots = [t if first_variable(t) is not None else np.asarray(t) for t in own]
        orders = [0] * len(knots) if nu is None else nu
        each = zip(knots, self.k, orders, strict=True)
        bases = [basis(t, k, x[:, i], order) for i, (t, k, order) in enumerate(each)]
        out = products(bases, c)
        if not (self.extrapolate if extrapolate is None else extrapolate):
            ends = [(t[k], t[-k - 1]) for t, k in zip(self.t, self.k, strict=True)]
            out = only_inside(out, x, ends)
        return np.reshape(out, shape + np.shape(c)[len(knots) :])

    def derivative(self, nu: Any) -> Any:
        if self.has_variables:
            refuse("interpolate.NdBSpline", "by its `derivative`: call it with `nu`")
        return super().derivative(nu)


class NdPPoly(interpolate.NdPPoly):  # type: ignore[misc]
    """``scipy.interpolate.NdPPoly``"""

    def __init__(self, c: Any, x: Any, extrapolate: Any = None) -> None:
        super().__init__(raw_of(c), [raw_of(breaks) for breaks in x], extrapolate)
        self.has_variables = first_variable((c, x)) is not None
        self.own = c, tuple(x)

    def __call__(self, x: Any, nu: Any = None, extrapolate: Any = None) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().__call__(x, nu, extrapolate)
        points, shape = points_of(x)
        c, breaks = self.own
        ndim = len(breaks)
        orders = [0] * ndim if nu is None else nu
        places, distances = [], []
        for i, (plain, own) in enumerate(zip(self.x, breaks, strict=True)):
            place = np.searchsorted(plain, raw_of(points[:, i]), "right") - 1
            places.append(np.clip(place, 0, len(plain) - 2))
            own = own if first_variable(own) is not None else plain
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

    def checked(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if self.has_variables:
            refuse("interpolate.NdPPoly", f"by its `{name}`: call it with `nu`")
        return getattr(super(), name)(*args, **kwargs)

    def derivative(self, *args: Any) -> Any:
        return self.checked("derivative", *args)

    def antiderivative(self, *args: Any) -> Any:
        return self.checked("antiderivative", *args)

    def integrate(self, *args: Any, **kwargs: Any) -> Any:
        return self.checked("integrate", *args, **kwargs)

    def integrate_1d(self, *args: Any, **kwargs: Any) -> Any:
        return self.checked("integrate_1d", *args, **kwargs)


def summed(terms: Any, apart: Any, nu: int) -> Any:
    """A polynomial's derivative number ``nu``; its terms are along the first axis."""
    degree = np.shape(terms)[0] - 1
    out = 0.0 * terms[0]
    for power in range(degree, nu - 1, -1):
        factor = math.perm(power, nu)
        out = out * apart + factor * terms[degree - power]
    return out


for _own in (NdBSpline, NdPPoly):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
