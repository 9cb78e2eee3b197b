"""``scipy.interpolate``: polynomials as objects of numpy.poly1d, of Variables.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> w = srcgrad.Variable(np.array([0.0, 1.0, 4.0]), requires_grad=True)
>>> found = interpolate.lagrange([0.0, 1.0, 2.0], w)
>>> found(3.0).backward()
>>> w.grad.data.tolist()
[1.0, -3.0, 3.0]
"""

import functools
import math
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.rules.poly1d import Poly1d
from srcgrad.scipy.interpolation.lagrange import derivatives, differences


def lagrange(x: Any, w: Any) -> Any:
    """``scipy.interpolate.lagrange``"""
    if first_variable((x, w)) is None:
        return interpolate.lagrange(x, w)
    x = x if first_variable(x) is not None else np.asarray(x, float)
    coefficients = differences(x, w)
    found = np.reshape(coefficients[-1], (1,))
    for k in range(len(coefficients) - 2, -1, -1):
        zero = np.zeros(1)
        found = np.concatenate([found, zero]) - x[k] * np.concatenate([zero, found])
        found = np.concatenate([found[:-1], found[-1:] + coefficients[k]])
    return Poly1d(found)


def pade(an: Any, m: int, n: Any = None) -> Any:
    """``scipy.interpolate.pade``"""
    if first_variable(an) is None:
        return interpolate.pade(an, m, n)
    an = np.stack(an) if isinstance(an, (list, tuple)) else an
    interpolate.pade(raw_of(an), m, n)  # SciPy's own errors
    n = np.shape(an)[0] - 1 - m if n is None else n
    order = m + n
    back = np.arange(order + 1)[:, None] - np.arange(1, m + 1)
    below = np.where(back >= 0, -an[np.maximum(back, 0)], 0.0)
    matrix = np.concatenate([np.eye(order + 1, n + 1), below], axis=1)
    found = np.linalg.solve(matrix, an[: order + 1])
    above, under = found[: n + 1], np.concatenate([np.ones(1), found[n + 1 :]])
    return Poly1d(above[::-1]), Poly1d(under[::-1])


@functools.wraps(interpolate.approximate_taylor_polynomial)
def approximate_taylor_polynomial(
    f: Any, x: Any, degree: int, scale: Any, order: Any = None
) -> Any:
    order = degree if order is None else order
    nodes = np.cos(np.linspace(0.0, np.pi, order + 1, endpoint=False))
    places = scale * nodes + x
    values = f(places)
    if first_variable((places, values)) is None:
        return interpolate.approximate_taylor_polynomial(
            lambda _: values, x, degree, scale, order
        )
    found = derivatives(places, values, x, degree + 1)
    factorials = np.array([math.factorial(j) for j in range(degree + 1)], float)
    return Poly1d((found / factorials)[::-1])


for _own in (lagrange, pade, approximate_taylor_polynomial):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
LOOKING.add(approximate_taylor_polynomial)  # for what its function closes over
