"""Rules for ``scipy.optimize``: assignments, least squares of one sign, Rosenbrock."""

import numpy as np
from scipy import optimize

from srcgrad.facts import declare
from srcgrad.function_parameters import SIGNATURES
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.matrices import nonzero
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.rules.scipy.precision import doubles

# ----- Assignments: the places are steps -----
SIGNATURES[optimize.linear_sum_assignment] = "cost_matrix, maximize=False"
defconstant(optimize.linear_sum_assignment)
declare(optimize.linear_sum_assignment, raises=True)
declare(optimize.nnls, raises=True)
assigned = reaching(optimize.linear_sum_assignment)


# ----- Least squares without negative solutions -----
def nnls_multiplier(g, A, out):
    """What the columns in use, and the residual, are worth."""
    of_x, _ = g
    used = doubles(A) * (out[0] > 0)
    inverse = np.linalg.pinv(used)
    of_columns = inverse.T @ of_x
    return of_columns, inverse @ of_columns


def unit_residual(g, A, b, out):
    x, norm = out
    return g[1] * (b - A @ x) / nonzero(norm)


def nnls_left(g, A, b, out):
    x, _ = out
    of_columns, of_x = nnls_multiplier(g, A, out)
    towards = of_columns + unit_residual(g, A, b, out)
    return np.outer(b - A @ x, of_x) - np.outer(towards, x)


def nnls_right(g, A, b, out):
    return nnls_multiplier(g, A, out)[0] + unit_residual(g, A, b, out)


defvjp(optimize.nnls, A=nnls_left, b=nnls_right)


# ----- Rosenbrock's function -----
def rosen(x):
    """``scipy.optimize.rosen``"""
    first, last = x[:-1], x[1:]
    return np.sum(100.0 * (last - first**2) ** 2 + (1.0 - first) ** 2, axis=0)


def rosen_der(x):
    """``scipy.optimize.rosen_der``"""
    first, last = x[:-1], x[1:]
    rise = 200.0 * (last - first**2)
    none = np.zeros_like(rise[:1])
    back = -2.0 * rise * first - 2.0 * (1.0 - first)
    return np.concatenate([none, rise]) + np.concatenate([back, none])


def rosen_hess(x):
    """``scipy.optimize.rosen_hess``"""
    across = np.diag(-400.0 * x[:-1], 1)
    return across + across.T + np.diag(rosen_diagonal(x))


def rosen_diagonal(x):
    first, last = x[:-1], x[1:]
    one = np.ones_like(first[:1])
    bend = 1200.0 * first**2 - 400.0 * last + 2.0
    return np.concatenate([bend, 0.0 * one]) + 200.0 * np.concatenate(
        [0.0 * one, np.ones_like(first)]
    )


def rosen_hess_prod(x, p):
    """``scipy.optimize.rosen_hess_prod``"""
    across, none = -400.0 * x[:-1], np.zeros_like(x[:1])
    above = np.concatenate([across * p[1:], none])
    return above + rosen_diagonal(x) * p + np.concatenate([none, across * p[:-1]])


for _own in (rosen, rosen_der, rosen_hess, rosen_hess_prod):
    defined_as(getattr(optimize, _own.__name__), _own)
