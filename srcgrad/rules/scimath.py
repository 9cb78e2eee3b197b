"""Compositions: ``np.emath``, whose functions give complex numbers where it takes them.

As in NumPy, one element outside of the real function's domain makes all complex.
"""

import numpy as np

from srcgrad.rules.compositions import defined_as
from srcgrad.updates import cast


def as_complex(x, is_outside):
    """The argument as complex numbers, if one element is outside of the domain."""
    x = x if hasattr(x, "dtype") else np.asarray(x)
    if x.dtype.kind == "c" or not np.any(is_outside(x)):
        return x
    # As in NumPy: only half precision becomes more than it needs.
    double = x.dtype == np.float16
    return cast(x, np.result_type(x.dtype, np.complex128 if double else np.complex64))


def is_negative(x):
    return x < 0


def is_beyond_one(x):
    return np.abs(x) > 1


def of_domain(function, is_outside):
    def implementation(x):
        return function(as_complex(x, is_outside))

    return implementation


def logn(n, x):
    return np.log(as_complex(x, is_negative)) / np.log(as_complex(n, is_negative))


def power(x, p):
    # A number does not adapt to the base here: it becomes an array of its own.
    if type(getattr(p, "value", p)) in (int, float):
        p = np.positive(p)
    p = p if hasattr(p, "dtype") else np.asarray(p)
    if p.dtype.kind in "iu" and np.any(is_negative(p)):
        p = cast(p, np.float64)
    return np.power(as_complex(x, is_negative), p)


for name, is_outside in (
    *((name, is_negative) for name in ("sqrt", "log", "log2", "log10")),
    *((name, is_beyond_one) for name in ("arccos", "arcsin", "arctanh")),
):
    defined_as(getattr(np.emath, name), of_domain(getattr(np, name), is_outside))
defined_as(np.emath.logn, logn)
defined_as(np.emath.power, power)
