"""``scipy.optimize``: slopes by differences, as functions of what they are made of.

The user's function is called on Variables, as it is.
"""

import numpy as np
from scipy import optimize

from srcgrad.scipy.captures import captured
from srcgrad.scipy.parameters import as_array, refuse
from srcgrad.scipy.replacing import is_plain, replaces


def is_of_numbers(*args):
    return is_plain(*args) and not captured([arg for arg in args if callable(arg)])


@replaces(optimize.approx_fprime, is_looking=True, is_plain=is_of_numbers)
def approx_fprime(xk, f, epsilon, args):
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


@replaces(optimize.check_grad, is_looking=True, is_plain=is_of_numbers)
def check_grad(func, grad, x0, args, epsilon, direction):
    if direction != "all":
        refuse("optimize.check_grad", "with a direction that is drawn")
    off = grad(x0, *args) - approx_fprime(x0, func, epsilon, *args)
    return np.sqrt(np.sum(np.abs(off**2)))
