"""Rules for ``scipy.linalg``: QR factors of a matrix that has changed.

They depend on the product of the factors before: the slope is right for changes of
these that leave them factors.
"""

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import adjoint, is_complex
from srcgrad.rules.factorisations import factors_back, of_basis
from srcgrad.rules.registry import defvjps
from srcgrad.rules.scipy.linalg.factorizations import refuse


def product_back(g, out, name):
    """The gradient in the product of the new factors."""
    (of_q, of_r), (q, r) = g, out
    if is_complex(q):
        refuse(name, "of complex numbers")
    shape = (q.shape[-2], r.shape[-1])
    n = min(shape)
    if q.shape[-1] > n:  # the other columns span the rest of the space
        of_q, q = of_basis(of_q, q, n), q[..., :n]
        of_r, r = of_r[..., :n, :], r[..., :n, :]
    return factors_back((of_q, of_r), (q, r), shape)


def axis_of(which):
    return 0 if which == "row" else 1


def factors_of(whole, Q, R):
    """The gradients in the factors before, of that in their product."""
    return whole @ adjoint(R), adjoint(Q) @ whole


def insert_back(g, Q, R, u, k, which, out):
    whole, axis = product_back(g, out, "qr_insert"), axis_of(which)
    places = np.arange(k, k + (1 if np.ndim(u) == 1 else np.shape(u)[axis]))
    of_u = np.reshape(np.take(whole, places, axis), np.shape(u))
    return *factors_of(np.delete(whole, places, axis), Q, R), of_u


def delete_back(g, Q, R, k, p, which, out):
    whole = product_back(g, out, "qr_delete")
    return factors_of(np.insert(whole, [k] * p, 0.0, axis_of(which)), Q, R)


def update_back(g, Q, R, u, v, out):
    whole = product_back(g, out, "qr_update")
    return *factors_of(whole, Q, R), whole @ v, adjoint(whole) @ u


defvjps(linalg.qr_insert, insert_back, "Q", "R", "u")
defvjps(linalg.qr_delete, delete_back, "Q", "R")
defvjps(linalg.qr_update, update_back, "Q", "R", "u", "v")
