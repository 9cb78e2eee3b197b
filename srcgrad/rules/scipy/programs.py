"""Rules for ``scipy.optimize``: assignments, least squares of one sign, Rosenbrock."""

import numpy as np
from scipy import optimize

from srcgrad.facts import declare
from srcgrad.function_parameters import SIGNATURES
from srcgrad.rules.libraries import reaching
from srcgrad.rules.matrices import nonzero
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy

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


as_in_scipy(optimize, "rosen rosen_der rosen_hess rosen_hess_prod")
