"""``numpy.polynomial``: the functions of coefficients, of each family of polynomials.

Derivatives, integrals and changes of basis are linear in the coefficients, products in
each of two; NumPy's own results on unit vectors are the matrices.

>>> import srcgrad
>>> from numpy.polynomial import chebyshev
>>> srcgrad.grad(lambda c: chebyshev.chebval(0.5, c))(np.ones(3))
array([ 1. ,  0.5, -0.5])
"""

import functools
import itertools
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.polynomial import (
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
    polyutils,
)

from srcgrad.errors import describe, here, warn
from srcgrad.facts import declare
from srcgrad.protocols import first_variable, gives_way_to, raw_of
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import UNREACHED
from srcgrad.rules.scipy.scipy_sources import on_variables

least_squares = on_variables(polyutils._fit)
FAMILIES = {
    "poly": polynomial,
    "cheb": chebyshev,
    "leg": legendre,
    "herm": hermite,
    "herme": hermite_e,
    "lag": laguerre,
}


# ----- Coefficients -----
def series(c):
    """Coefficients as floats, one axis at least."""
    c = np.atleast_1d(c)
    return c if c.dtype.kind in "fc" else c + 0.0


def of_one_axis(c):
    c = series(c)
    if c.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    return c


def trimmed(c):
    """Without zeros for the highest degrees; at least one is left."""
    c = of_one_axis(c)
    while len(c) > 1 and not bool(c[-1] != 0):
        c = c[:-1]
    return c


def shortened(c):
    """A result as NumPy has it, without zeros for the highest degrees."""
    out = trimmed(c)
    if len(out) < len(c) and getattr(c, "requires_grad", False):
        warn(
            "NumPy leaves out coefficients of the highest degrees that are zero: what "
            f"flows through them has no gradient ({describe(here())}). Begin with "
            "other numbers, or add up values at points"
        )
    return out


def trimcoef(c, tol=0):
    """Without small numbers for the highest degrees."""
    if raw_of(tol) < 0:
        raise ValueError("tol must be non-negative")
    c = series(c)
    while len(c) > 1 and bool(abs(c[-1]) <= tol):
        c = c[:-1]
    return c * 0 if len(c) == 1 and bool(abs(c[-1]) <= tol) else c


def lengthened(c, n):
    return c if len(c) == n else np.concatenate([c, np.zeros(n - len(c), c.dtype)])


def plus(c1, c2):
    c1, c2 = of_one_axis(c1), of_one_axis(c2)
    n = max(len(c1), len(c2))
    return shortened(lengthened(c1, n) + lengthened(c2, n))


def minus(c1, c2):
    return plus(c1, -series(c2))


def fitted(matrix, *coefficients):
    """Plain real numbers in the precision of coefficients."""
    dtype = np.result_type(*coefficients)
    return np.asarray(matrix, np.zeros(0, dtype).real.dtype)


def along(matrix, c, axis):
    """A matrix times the coefficients, which lie along an axis."""
    product = np.tensordot(fitted(matrix, c), np.moveaxis(c, axis, 0), 1)
    return np.moveaxis(product, 0, axis)


class Family:
    """NumPy's functions of one family of polynomials, as compositions of others."""

    def __init__(self, prefix, module):
        self.prefix, self.module = prefix, module
        self._tables = functools.cache(self._table)

    def numpys(self, name):
        return getattr(self.module, self.prefix + name)

    # ----- Values -----
    def val(self, x, c, tensor=True):
        x = np.asarray(x) if isinstance(x, (list, tuple)) else x
        c = series(c)
        if tensor and not gives_way_to(x):
            c = np.reshape(c, c.shape + (1,) * np.ndim(x))
        return functools.reduce(operator.add, self._terms(x, c))

    def _terms(self, x, c):
        """Each coefficient times its polynomial."""
        return [c[n] * each for n, each in enumerate(self._basis(x, len(c)))]

    def _basis(self, x, count):
        """The values of the first polynomials, by their recurrence."""
        values = [x * 0.0 + 1.0 if gives_way_to(x) else np.ones_like(x + 0.0)]
        for n in range(count - 1):
            # x p_n is a sum of these, of which the last one is new.
            *lower, top = self.numpys("mulx")(np.eye(n + 1)[n]).tolist()
            rest = x * values[n]
            for part, value in zip(lower, values, strict=True):
                rest = rest - part * value if part else rest
            values.append(rest / top)
        return values

    def vander(self, x, deg):
        if deg < 0:
            raise ValueError("deg must be non-negative")
        return np.stack(self._basis(np.atleast_1d(x) + 0.0, deg + 1), axis=-1)

    def _at_points(self, c, *points):
        if len({np.shape(each) for each in points}) > 1:
            names = ", ".join("xyz"[: len(points)]) if len(points) < 4 else "ordinates"
            raise ValueError(f"{names} are incompatible")
        found = self.val(points[0], c)
        for each in points[1:]:
            found = self.val(each, found, tensor=False)
        return found

    def val2d(self, x, y, c):
        return self._at_points(c, x, y)

    def val3d(self, x, y, z, c):
        return self._at_points(c, x, y, z)

    def valnd(self, pts, c):  # from NumPy 2.5 on
        return self._at_points(c, *pts)

    def grid2d(self, x, y, c):
        return self.val(y, self.val(x, c))

    def grid3d(self, x, y, z, c):
        return self.val(z, self.val(y, self.val(x, c)))

    def vander2d(self, x, y, deg):
        first, second = self.vander(x, deg[0]), self.vander(y, deg[1])
        whole = first[..., :, None] * second[..., None, :]
        return np.reshape(whole, (*whole.shape[:-2], -1))

    def vander3d(self, x, y, z, deg):
        both = self.vander2d(x, y, deg[:2])
        whole = both[..., :, None] * self.vander(z, deg[2])[..., None, :]
        return np.reshape(whole, (*whole.shape[:-2], -1))

    # ----- Linear in the coefficients -----
    def der(self, c, m=1, scl=1, axis=0):
        c = series(c)
        matrix = self.numpys("der")(np.eye(c.shape[axis]), m)
        return along(matrix, c, axis) * scl**m if m else c

    def int(self, c, m=1, k=(), lbnd=0, scl=1, axis=0):
        c = series(c)
        axis = normalize_axis_index(axis, c.ndim)
        if first_variable(lbnd) is None and first_variable(scl) is None:
            n = c.shape[axis]
            options = {"lbnd": lbnd, "scl": scl}
            matrix = self.numpys("int")(np.eye(n), m, **options)
            out, k = along(matrix, c, axis), np.atleast_1d(k)
            k = k.astype(c.dtype) if np.can_cast(k.dtype, c.dtype, "same_kind") else k
            for i in range(len(k)):
                unit = np.eye(m)[i]
                line = self.numpys("int")(np.zeros(n), m, unit, **options)
                line = np.reshape(line, (-1,) + (1,) * (c.ndim - 1 - axis))
                out = out + k[i] * fitted(line, c)
            return out if m else c
        for i in range(m):
            constant = k[i] if i < len(k) else 0.0
            matrix = self.numpys("int")(np.eye(c.shape[axis]))
            c = (scl * along(matrix, c, axis)).astype(c.dtype)
            start = np.moveaxis(c, axis, 0)
            first = constant - self.val(lbnd, start) + start[0]
            first = first.astype(c.dtype)
            c = np.moveaxis(np.concatenate([first[None], start[1:]]), 0, axis)
        return c

    # ----- Products -----
    def _table(self, n, m):
        """The products of the first polynomials with the first."""
        table = np.zeros((n + m - 1, n, m))
        for i, j in itertools.product(range(n), range(m)):
            found = self.numpys("mul")(np.eye(n)[i], np.eye(m)[j])
            table[: len(found), i, j] = found
        return table

    def mul(self, c1, c2):
        c1, c2 = of_one_axis(c1), of_one_axis(c2)  # also the zeros have slopes
        if self.prefix == "poly":
            return shortened(np.convolve(c1, c2))
        table = fitted(self._tables(len(c1), len(c2)), c1, c2)
        return shortened(np.einsum("kij,i,j->k", table, c1, c2))

    def mulx(self, c):
        c = of_one_axis(c)
        matrix = np.zeros((len(c) + 1, len(c)))
        for n, unit in enumerate(np.eye(len(c))):
            found = self.numpys("mulx")(unit)
            matrix[: len(found), n] = found
        return shortened(fitted(matrix, c) @ c)

    def pow(self, c, pow, maxpower=16):
        c, power = of_one_axis(c), int(raw_of(pow))
        if power != pow or power < 0:
            raise ValueError("Power must be a non-negative integer.")
        if maxpower is not None and power > maxpower:
            raise ValueError("Power is too large")
        product = np.ones(1, c.dtype) if not power else c if power > 1 else shortened(c)
        for _ in range(power - 1):
            product = self.mul(product, c)
        return product

    def div(self, c1, c2):
        c1, c2 = trimmed(c1), trimmed(c2)
        c1, c2 = (c.astype(np.result_type(c1, c2)) for c in (c1, c2))
        if not bool(c2[-1] != 0):
            raise ZeroDivisionError
        if len(c1) < len(c2):
            return c1[:1] * 0, c1
        quotient: list[Any] = []
        rest = c1
        units = np.eye(len(c1))  # of which NumPy makes doubles in some families
        units = fitted(units, c2) if self.prefix in ("poly", "cheb") else units
        for i in range(len(c1) - len(c2), -1, -1):
            product = lengthened(self.mul(units[i, : i + 1], c2), len(rest))
            quotient.insert(0, rest[-1] / product[-1])
            rest = rest[:-1] - quotient[0] * product[:-1]
        rest = trimmed(rest) if len(rest) else c1[:1] * 0
        return np.stack(quotient).astype(c1.dtype), rest

    # ----- Roots -----
    def line(self, off, scl):
        if bool(scl == 0):
            return np.stack([off])
        first, second = self.numpys("line")(0.0, 1.0).tolist()
        return np.stack([off + scl * first, scl * second])

    def fromroots(self, roots):
        if len(roots) == 0:
            return np.ones(1)
        factors = [self.line(-root, 1) for root in np.sort(roots)]
        while len(factors) > 1:
            half, rest = divmod(len(factors), 2)
            last = factors[-1]
            factors = [self.mul(factors[i], factors[i + half]) for i in range(half)]
            if rest:
                factors[0] = self.mul(factors[0], last)
        return factors[0]

    def companion(self, c):
        c = trimmed(c)
        if len(c) < 2:
            raise ValueError("Series must have maximum degree of at least 1.")
        if len(c) == 2:
            first, second = self.numpys("line")(0.0, 1.0).tolist()
            return np.reshape(first - second * c[0] / c[1], (1, 1))
        n = len(c) - 1
        plain = self.numpys("companion")(np.eye(n + 1)[n])
        weights = [
            self.numpys("companion")(np.eye(n + 1)[n] + unit)[i, -1] - plain[i, -1]
            for i, unit in enumerate(np.eye(n + 1)[:n])
        ]
        last = fitted(weights, c) * (c[:-1] / c[-1])
        return fitted(plain, c) + last[:, None] * fitted(np.eye(n)[-1], c)

    def roots(self, c):
        c = trimmed(c)
        if len(c) < 2:
            return np.array([], c.dtype)
        if len(c) == 2:
            return np.reshape(self.companion(c), (1,))
        return np.sort(np.linalg.eigvals(self.companion(c)[::-1, ::-1]))

    # ----- Least squares -----
    def fit(self, x, y, deg, rcond=None, full=False, w=None):
        return least_squares(self.vander, x, y, deg, rcond, full, w)


def plain_power(family):
    """``polypow``, which alone is not bounded."""
    return lambda c, pow, maxpower=None: family.pow(c, pow, maxpower)


def change(original):
    """``cheb2poly`` and the like: linear, and as long as what it is given."""

    def changed(c):
        c = of_one_axis(c)
        columns = [original(unit) for unit in np.eye(len(c))]
        matrix = np.stack([lengthened(each, len(c)) for each in columns], axis=1)
        matrix = fitted(matrix, c) if original.__name__.endswith("2poly") else matrix
        return shortened(matrix @ c)

    if original.__name__.endswith("2poly"):
        return changed
    return lambda pol: changed(pol)


# ----- Domains -----
def mapparms(old, new):
    oldlen, newlen = old[1] - old[0], new[1] - new[0]
    return (old[1] * new[0] - old[0] * new[1]) / oldlen, newlen / oldlen


def mapdomain(x, old, new):
    off, scl = mapparms(old, new)
    return x * scl + off  # in this order also for a polynomial


def polyvalfromroots(x, r, tensor=True):
    r = series(r)
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    if tensor:
        r = np.reshape(r, r.shape + (1,) * np.ndim(x))
    elif np.ndim(x) >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return np.prod(x - r, axis=0)


def chebinterpolate(func, deg, args=()):
    order = len(FAMILIES["cheb"].chebinterpolate(np.zeros_like, deg))  # or its errors
    places = chebyshev.chebpts1(order)
    matrix = chebyshev.chebvander(places, order - 1).T
    divisors = np.where(np.arange(order) == 0, order, 0.5 * order)
    return np.dot(matrix / divisors[:, None], func(places, *args))


COMMON = {"add": plus, "sub": minus}
NAMES = (
    *("val val2d val3d grid2d grid3d vander vander2d vander3d der int".split()),
    *("mul mulx pow div line fromroots companion roots fit".split()),
)
for _prefix, _module in FAMILIES.items():
    _family = Family(_prefix, _module)
    _own = {name: getattr(_family, name) for name in NAMES} | COMMON
    if hasattr(_module, f"{_prefix}valnd"):
        _own["valnd"] = _family.valnd
    if _prefix == "poly":
        _own["pow"] = plain_power(_family)
    for _name, _implementation in _own.items():
        _original = getattr(_module, f"{_prefix}{_name}")
        defined_as(_original, _implementation)
        UNREACHED.add(_original)
    if _prefix != "poly":
        for _name in (f"poly2{_prefix}", f"{_prefix}2poly"):
            _original = getattr(_module, _name)
            defined_as(_original, change(_original))
            UNREACHED.add(_original)
    if (_original := getattr(_module, f"{_prefix}weight", None)) is not None:
        defined_as(_original, _original)  # it is made of functions of arrays
    for _name in ("gauss", "pts1", "pts2"):
        if (_original := getattr(_module, _prefix + _name, None)) is not None:
            declare(_original, raises=True, about="nodes and weights, by their number")
for _original, _implementation in (
    (chebyshev.chebinterpolate, chebinterpolate),
    (polynomial.polyvalfromroots, polyvalfromroots),
    (np.polynomial.polyutils.trimcoef, trimcoef),
    (np.polynomial.polyutils.mapdomain, mapdomain),
    (np.polynomial.polyutils.mapparms, mapparms),
):
    defined_as(_original, _implementation)
    UNREACHED.add(_original)
