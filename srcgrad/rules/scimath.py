"""Compositions: ``np.emath``, whose results are complex where the real line ends."""

import numpy as np

from srcgrad.rules.complexes import is_complex
from srcgrad.rules.compositions import defined_as


def complex_where_negative(x):
    """The numbers, as complex ones if there is one below 0."""
    return as_complex(x) if not is_complex(x) and bool(np.any(np.less(x, 0))) else x


def complex_beyond_one(x):
    """The numbers, as complex ones if there is one below -1 or above 1."""
    beyond = not is_complex(x) and bool(np.any(np.greater(np.absolute(x), 1)))
    return as_complex(x) if beyond else x


def as_array(x):
    """A number has the precision of an array here, also while it is traced."""
    kind = type(getattr(x, "value", x))
    if kind in (int, float, complex):
        return np.multiply(x, np.ones((), kind))
    return np.asarray(x) if kind is list else x


def as_complex(x):
    # Of floating-point numbers of single precision, complex ones of single precision.
    single = np.result_type(x) in (np.float32, np.int8, np.int16, np.uint8, np.uint16)
    return np.multiply(x, np.ones((), np.complex64 if single else np.complex128))


def logn(n, x):
    x, n = map(complex_where_negative, (as_array(x), as_array(n)))
    return np.log(x) / np.log(n)


def power(x, p):
    x, p = as_array(x), as_array(p)
    # A whole number as exponent may be negative where the base is a whole number too.
    p = p * 1.0 if not is_complex(p) and bool(np.any(np.less(p, 0))) else p
    return np.power(complex_where_negative(x), p)


def on(domain, ufunc):
    """A ufunc, with complex results outside of its domain."""

    def function(x):
        return ufunc(domain(x))

    return function


for name in ("sqrt", "log", "log2", "log10"):
    function = on(complex_where_negative, getattr(np, name))
    defined_as(getattr(np.emath, name), function)
for name in ("arccos", "arcsin", "arctanh"):
    function = on(complex_beyond_one, getattr(np, name))
    defined_as(getattr(np.emath, name), function)
defined_as(np.emath.logn, logn)
defined_as(np.emath.power, power)
