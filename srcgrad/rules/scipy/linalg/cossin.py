"""Rules for ``scipy.linalg``: the cosine-sine decomposition.

It is of an orthogonal matrix, and the slope for changes that leave it one: these are
turns, and so are those of the parts of both bases, and of two columns by each angle.
"""

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import adjoint, is_complex
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.linalg.factorizations import refuse
from srcgrad.rules.scipy.linalg.schur import along, below, columns_of, turns, units

cossin = reaching(linalg.cossin)


def cossin_back(g, X, p, q, swap_sign, compute_u, compute_vh, out):
    if not p or not q or not compute_u or not compute_vh:
        refuse("cossin", "of four blocks, or without all factors: give it p and q")
    if is_complex(X):
        refuse("cossin", "of complex numbers")
    m = X.shape[-1]
    (u, form, vh), (of_u, of_form, of_vh) = out, g
    left, right = (turns_of_parts(m, size) for size in (p, q))
    plane = angle_turns(m, p, q, -1.0 if swap_sign else 1.0)
    pairs = turns(m, 0, False)
    if len(left) + len(right) + len(plane) != len(pairs):
        refuse("cossin", "of these sizes, where its factors are not unique")
    of_angles = along(form[..., None, :, :] @ plane, of_form[..., None, :, :])[..., 0]
    moves = adjoint(form)[..., None, :, :] @ left @ form[..., None, :, :]
    still = np.zeros((*np.shape(moves)[:-3], 1, 1, 1))
    change = np.concatenate([moves, still - right, still + plane], axis=-3)
    slopes = [
        along(left, (adjoint(u) @ of_u)[..., None, :, :])[..., 0],
        along(right, (vh @ adjoint(of_vh))[..., None, :, :])[..., 0],
        of_angles,
    ]
    weights = np.linalg.solve(
        along(change, pairs), columns_of(np.concatenate(slopes, axis=-1))
    )
    inner = np.sum(weights[..., None] * pairs, axis=-3)
    return X @ (adjoint(vh) @ inner @ vh)


def turns_of_parts(m, size):
    """Turns of the first vectors among themselves, and of the others."""
    rows, cols = np.array(below(m), int).reshape(-1, 2).T
    return turns(m, 0, False)[(rows < size) == (cols < size)]


def angle_columns(m, p, q):
    """The columns, and the rows of the first, in which the angles are."""
    count = min(p, q, m - p, m - q)
    places = np.arange(count)
    return min(p, q) - count + places, q + min(m - p, m - q) - count + places


def angle_turns(m, p, q, sign):
    """The turn of two columns that each angle makes."""
    first, second = angle_columns(m, p, q)
    lower = units(m, np.stack([second, first], axis=1))
    return sign * (lower - np.swapaxes(lower, 1, 2))


def cossin_in_parts(
    X, p=None, q=None, separate=False, swap_sign=False, compute_u=True, compute_vh=True
):
    """``scipy.linalg.cossin`` with ``separate=True``; without, it has a rule."""
    if not separate:
        return NotImplemented
    if not p or not q or not compute_u or not compute_vh:
        refuse("cossin", "of four blocks, or without all factors: give it p and q")
    if np.ndim(X) > 2:  # SciPy takes the parts of one matrix for a stack
        refuse("cossin", "of parts of stacks of matrices: take them one by one")
    u, form, vh = cossin(X, p, q, swap_sign=swap_sign)
    first, second = angle_columns(X.shape[-1], p, q)
    sines = form[..., first, second] * (1.0 if swap_sign else -1.0)
    angles = np.arctan2(sines, form[..., first, first])
    of_left = u[..., :p, :p], u[..., p:, p:]
    return of_left, angles, (vh[..., :q, :q], vh[..., q:, q:])


defvjp(linalg.cossin, X=cossin_back)
defined_as(linalg.cossin, cossin_in_parts)
