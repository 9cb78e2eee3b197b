"""Rules for ``scipy.signal``: filters of signals that go on mirrored, splines by them.

All are linear in the signal: their matrix is what SciPy makes of unit vectors, each of
which is one of its rows.
"""

import math

import numpy as np
from scipy import signal as of_scipy

from srcgrad.function_parameters import SIGNATURES
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.without import refuse


def plain(name, *numbers):
    """Numbers for SciPy, which carry no gradient."""
    if any(getattr(number, "requires_grad", False) for number in numbers):
        refuse(f"{name} by its numbers", "only by the signal")
    return [float(number) for number in numbers]


def units(x, axis):
    """Unit vectors as long as a signal is along an axis, in its precision."""
    dtype = np.result_type(x.dtype, np.float32)
    return np.eye(np.shape(x)[axis], dtype=np.finfo(dtype).dtype)


# ----- Filters of both directions -----
def symiirorder1(signal, c0, z1, precision=-1.0):
    """``scipy.signal.symiirorder1``"""
    numbers = plain("symiirorder1", c0, z1, precision)
    return signal @ of_scipy.symiirorder1(units(signal, -1), *numbers)


def symiirorder2(input, r, omega, precision=-1.0):
    """``scipy.signal.symiirorder2``"""
    numbers = plain("symiirorder2", r, omega, precision)
    return input @ of_scipy.symiirorder2(units(input, -1), *numbers)


# ----- Coefficients of splines -----
def of_line(name):
    """``scipy.signal.cspline1d`` and ``qspline1d``"""

    def coefficients(signal, lamb=0.0):
        (lamb,) = plain(name, lamb)
        units = np.eye(np.shape(signal)[0])
        rows = [getattr(of_scipy, name)(unit, lamb) for unit in units]
        return signal @ np.stack(rows)

    return coefficients


def smoothing(lamb):
    """The filter of a smoothing spline, as SciPy has it."""
    root = math.sqrt(3.0 + 144.0 * lamb)
    xi = 1.0 - 96.0 * lamb + 24.0 * lamb * root
    r = (24.0 * lamb - 1.0 - math.sqrt(xi)) / (24.0 * lamb)
    r = r * math.sqrt(48.0 * lamb + 24.0 * lamb * root) / math.sqrt(xi)
    return r, math.atan(math.sqrt((144.0 * lamb - 1.0) / xi))


def of_image(name, root, factor):
    """``scipy.signal.cspline2d`` and ``qspline2d``: one axis after the other."""

    def coefficients(signal, lamb=0.0, precision=-1.0):
        lamb, precision = plain(name, lamb, precision)
        if not 0.0 <= precision < 1.0:
            precision = 1e-3 if signal.dtype in (np.float32, np.complex64) else 1e-6
        run, numbers = of_scipy.symiirorder1, (-root * factor, root)
        if name == "qspline2d" and lamb > 0:
            raise ValueError("lambda must be negative or zero")
        if lamb > 1 / 144.0:
            run, numbers = of_scipy.symiirorder2, smoothing(lamb)
        first, second = (
            run(units(signal, axis), *numbers, precision) for axis in (0, 1)
        )
        return first.T @ signal @ second

    return coefficients


cspline2d = of_image("cspline2d", -2.0 + math.sqrt(3.0), 6.0)


SIGNATURES[of_scipy.sepfir2d] = "input, hrow, hcol"


def sepfir2d(input, hrow, hcol):
    """``scipy.signal.sepfir2d``, also by its filters"""
    first = by_filter(np.shape(input)[0], hcol)
    return first.T @ input @ by_filter(np.shape(input)[1], hrow)


def by_filter(n, h):
    """The matrix of a filter: of each of its elements, times that."""
    size = np.shape(h)[0]
    if size % 2 == 0:
        raise ValueError("hrow and hcol must be odd length")
    one = np.ones(1)
    each = [of_scipy.sepfir2d(np.eye(n), unit, one) for unit in np.eye(size)]
    return np.tensordot(h, np.stack(each), 1)


def spline_filter(Iin, lmbda=5.0):
    """``scipy.signal.spline_filter``"""
    if np.iscomplexobj(Iin):
        refuse("spline_filter of complex images", "filter the parts")
    smooth = np.array([1.0, 4.0, 1.0], np.float32) / 6.0
    return sepfir2d(cspline2d(Iin, lmbda), smooth, smooth).astype(Iin.dtype)


# ----- Values of splines -----
def cubic(x):
    x = np.abs(x)
    inner = 2.0 / 3.0 - 0.5 * x * x * (2.0 - x)
    return np.where(x < 1.0, inner, np.maximum(2.0 - x, 0.0) ** 3 / 6.0)


def quadratic(x):
    x = np.abs(x)
    return np.where(x < 0.5, 0.75 - x * x, 0.5 * np.maximum(1.5 - x, 0.0) ** 2)


def values_by(basis, width):
    """``scipy.signal.cspline1d_eval`` and ``qspline1d_eval``"""

    def values(cj, newx, dx=1.0, x0=0):
        last = np.shape(cj)[0] - 1
        if last < 1:
            raise ValueError("Spline coefficients 'cj' must be two at least.")
        place = np.mod(np.subtract(newx, x0) / dx, 2.0 * last)
        place = np.where(place > last, 2.0 * last - place, place)
        first = np.floor(place - 0.5 * width) + 1.0
        total = 0.0
        for i in range(width):
            knot = first + i
            index = np.clip(knot, 0, last).astype(int)
            total = total + cj[index] * basis(place - knot)
        return total

    return values


for _name, _own in (
    ("cspline1d", of_line("cspline1d")),
    ("qspline1d", of_line("qspline1d")),
    ("cspline2d", cspline2d),
    ("qspline2d", of_image("qspline2d", -3.0 + 2.0 * math.sqrt(2.0), 8.0)),
    ("cspline1d_eval", values_by(cubic, 4)),
    ("qspline1d_eval", values_by(quadratic, 3)),
):
    defined_as(getattr(of_scipy, _name), _own)
for _own in (symiirorder1, symiirorder2, sepfir2d, spline_filter):
    defined_as(getattr(of_scipy, _own.__name__), _own)
