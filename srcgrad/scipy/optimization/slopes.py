"""``scipy.optimize``: slopes by differences, as functions of what they are made of.

The user's function is called on Variables, as it is.

>>> import srcgrad
>>> from srcgrad.scipy import optimize
>>> a = srcgrad.Variable(2.0, requires_grad=True)
>>> optimize.approx_fprime([3.0], lambda x: a * x[0] ** 2, 1e-6).sum().backward()
>>> round(a.grad.item(), 3)
6.0
"""

import functools

import numpy as np
from scipy import optimize

from srcgrad.protocols import first_variable
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import captured
from srcgrad.scipy.parameters import as_array, refuse

STEP = float(np.sqrt(np.finfo(float).eps))


def approx_fprime(xk, f, epsilon=STEP, *args):
    """``scipy.optimize.approx_fprime``"""
    if first_variable((xk, epsilon, args)) is None and not captured(f):
        return optimize.approx_fprime(xk, f, epsilon, *args)
    x = xk if hasattr(xk, "dtype") else as_array(list(xk))
    x = np.atleast_1d(1.0 * x)
    here = as_array(f(x, *args))
    steps = np.broadcast_to(epsilon, x.shape)
    units = np.eye(x.size)
    slopes = []
    for i in range(x.size):
        moved = x + steps[i] * units[i]
        slopes.append((as_array(f(moved, *args)) - here) / (moved[i] - x[i]))
    # One row for each result: one result alone is no row.
    found = np.stack(slopes, axis=-1)
    return found[0] if np.shape(found)[:-1] == (1,) else found


def check_grad(func, grad, x0, *args, epsilon=STEP, direction="all", **options):
    """``scipy.optimize.check_grad``"""
    around = captured((func, grad))
    if first_variable((x0, epsilon, args)) is None and not around:
        options |= {"epsilon": epsilon, "direction": direction}
        return optimize.check_grad(func, grad, x0, *args, **options)
    if direction != "all":
        refuse("optimize.check_grad", "with a direction that is drawn")
    off = grad(x0, *args) - approx_fprime(x0, func, epsilon, *args)
    return np.sqrt(np.sum(np.abs(off**2)))


for _own in (approx_fprime, check_grad):
    _original = getattr(optimize, _own.__name__)
    REPLACEMENTS[_original] = functools.wraps(_original)(_own)
    LOOKING.add(REPLACEMENTS[_original])
