"""Rules for ``scipy.linalg``: ``eigh`` and ``eigvalsh``, of pairs, and in part.

A pair of ``type`` 3, ``b @ a @ v == w * v``, is one of type 1 with ``b`` inverted;
so is one of type 2, ``a @ b @ v == w * v``, with the vectors ``b @ v``. A part of the
eigenvectors changes along all the others too, which are computed again.
"""

import numpy as np
from scipy import linalg

from srcgrad.rules.complexes import adjoint, conj
from srcgrad.rules.factorisations import of_any_phases, over_gaps
from srcgrad.rules.libraries import reaching
from srcgrad.rules.matrices import columns, rows, symmetric
from srcgrad.rules.registry import defvjps

eigh = reaching(linalg.eigh)


# ----- A part of the eigenvalues -----
def places_among(among, by_index, by_value):
    """Which of all eigenvalues are asked for: those from one on, or between bounds."""
    if by_value is not None:
        low, high = by_value
        return np.flatnonzero((among > low) & (among <= high))
    first, last = (0, among.shape[-1] - 1) if by_index is None else by_index
    return np.arange(int(first), int(last) + 1)


def through_all(of_vectors, values, among, vectors, places):
    """What flows into some of the vectors, through all the others of them."""
    own = places == np.arange(among.shape[-1])[:, None]
    inner = over_gaps(adjoint(vectors) @ of_vectors, values, among=among, own=own)
    return vectors @ inner


def selected(select, select_range):
    """The two last arguments of ``places_among``, as other functions take them."""
    if select in ("a", "all", 0):
        return None, None
    is_by_value = select in ("v", "value", 1)
    return (None, select_range) if is_by_value else (select_range, None)


def matrix_back(g, out, solve, eigvals_only, select, select_range):
    """The cotangent of a matrix, all of whose eigenvectors ``solve()`` gives."""
    which = selected(select, select_range)
    is_whole = not eigvals_only and which == (None, None)
    among, every = out if is_whole else solve()
    places = places_among(among, *which)
    if eigvals_only:
        part = every[:, places]
        return (part * columns(g)) @ adjoint(part)
    (of_values, of_vectors), (values, vectors) = g, out
    of_vectors = of_any_phases(of_vectors, vectors)
    changes = through_all(of_vectors, values, among, every, places)
    return symmetric((changes + vectors * columns(of_values)) @ adjoint(vectors))


# ----- Matrices, and pairs of them -----
class Pair:
    """What the rules need of a call: the matrices of a pair of type 1, all its vectors.

    ``whole`` are all eigenvalues with their vectors, if the call has given them.
    """

    def __init__(self, a, b, lower, type, subset_by_index, subset_by_value, whole=None):
        self.type = 1 if b is None else type
        if self.type != 1:
            self.b = of_triangle(b, lower)
            self.inverse = b = np.linalg.inv(self.b)
        if whole is None:
            whole = eigh(a, b, lower=lower)
        elif self.type == 2:
            whole = whole[0], self.b @ whole[1]
        self.among, self.vectors = whole
        self.places = places_among(self.among, subset_by_index, subset_by_value)

    def picked(self):
        """The eigenvalues that are asked for, with their vectors."""
        return self.among[..., self.places], self.vectors[..., self.places]

    def changes(self, g, out):
        """What flows into the vectors asked for, through all the others; the rest.

        That is the cotangents of the values and vectors, and these themselves.
        """
        (of_values, of_vectors), (values, vectors) = g, out
        of_vectors = of_any_phases(of_vectors, vectors)
        if self.type == 2:
            of_vectors, vectors = self.inverse @ of_vectors, self.b @ vectors
        changes = through_all(of_vectors, values, self.among, self.vectors, self.places)
        return changes, of_values, of_vectors, values, vectors

    def in_b(self, of_b, beyond=0.0):
        """The cotangent of ``b``, of that of the matrix that stands for it."""
        if self.type == 1:
            return of_b
        return symmetric(beyond - self.inverse @ of_b @ self.inverse)


def of_triangle(a, lower):
    """A Hermitian matrix, by the triangle that is read."""
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    diagonal = np.real(np.diagonal(a, 0, -2, -1))
    return half + adjoint(half) + rows(diagonal) * np.eye(a.shape[-1], dtype=a.dtype)


def eigh_back(
    g, a, b, out, lower, eigvals_only, type, subset_by_index, subset_by_value
):
    """In both matrices; in the second, if there is one."""
    is_whole = not eigvals_only and subset_by_index is None and subset_by_value is None
    whole = out if is_whole else None
    pair = Pair(a, b, lower, type, subset_by_index, subset_by_value, whole)
    if eigvals_only:
        values, vectors = pair.picked()
        of_a = (vectors * columns(g)) @ adjoint(vectors)
        if b is None:
            return of_a, None
        return of_a, pair.in_b(-(vectors * columns(g * values)) @ adjoint(vectors))
    changes, of_values, of_vectors, values, vectors = pair.changes(g, out)
    of_a = symmetric((changes + vectors * columns(of_values)) @ adjoint(vectors))
    if b is None:
        return of_a, None
    norms = 0.5 * np.real(np.sum(conj(vectors) * of_vectors, axis=-2))
    changes = changes * columns(values) + vectors * columns(of_values * values + norms)
    # Of type 2 they are the inverse times those of type 1.
    beyond = -of_vectors @ adjoint(out[1]) if type == 2 else 0.0
    return of_a, pair.in_b(-symmetric(changes @ adjoint(vectors)), beyond)


def eigvalsh_back(g, a, b, lower, type, subset_by_index, subset_by_value):
    options = lower, True, type, subset_by_index, subset_by_value
    return eigh_back(g, a, b, None, *options)


defvjps(linalg.eigh, eigh_back, "a", "b")
defvjps(linalg.eigvalsh, eigvalsh_back, "a", "b")
