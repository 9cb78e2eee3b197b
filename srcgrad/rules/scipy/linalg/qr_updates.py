"""Rules for ``scipy.linalg``: QR factors of a matrix that has changed.

They depend on the product of the factors before: the slope is right for changes of
these that leave them factors.
"""

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import adjoint, is_complex
from srcgrad.rules.factorisations import factors_back, of_basis
from srcgrad.rules.registry import defvjp
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


def places_of(u, k, which):
    """Where the new rows or columns are."""
    count = 1 if np.ndim(u) == 1 else np.shape(u)[axis_of(which)]
    return np.arange(k, k + count)


# ----- Rows or columns that are put in -----
def before_inserting(g, out, u, k, which):
    whole = product_back(g, out, "qr_insert")
    return np.delete(whole, places_of(u, k, which), axis_of(which))


def inserted_back(g, out, u, k, which):
    whole = product_back(g, out, "qr_insert")
    found = np.take(whole, places_of(u, k, which), axis_of(which))
    return np.reshape(found, np.shape(u))


defvjp(
    linalg.qr_insert,
    Q=lambda g, R, u, k, which, out: before_inserting(g, out, u, k, which) @ adjoint(R),
    R=lambda g, Q, u, k, which, out: adjoint(Q) @ before_inserting(g, out, u, k, which),
    u=lambda g, u, k, which, out: inserted_back(g, out, u, k, which),
)


# ----- Rows or columns that are taken out -----
def before_deleting(g, out, k, p, which):
    whole = product_back(g, out, "qr_delete")
    axis = axis_of(which)
    return np.insert(whole, [k] * p, 0.0, axis)


defvjp(
    linalg.qr_delete,
    Q=lambda g, R, k, p, which, out: before_deleting(g, out, k, p, which) @ adjoint(R),
    R=lambda g, Q, k, p, which, out: adjoint(Q) @ before_deleting(g, out, k, p, which),
)


# ----- A product that is added -----
def updated_back(g, out):
    return product_back(g, out, "qr_update")


defvjp(
    linalg.qr_update,
    Q=lambda g, R, out: updated_back(g, out) @ adjoint(R),
    R=lambda g, Q, out: adjoint(Q) @ updated_back(g, out),
    u=lambda g, v, out: updated_back(g, out) @ v,
    v=lambda g, u, out: adjoint(updated_back(g, out)) @ u,
)
