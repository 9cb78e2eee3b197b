"""Samples for the rules of ``srcgrad.rules.factorisations``."""

import functools

import numpy as np

from tests.samples import COMPLEX, S
from tests.samples.matrices import LOOSE, adjoint, hermitian, positive_definite, spread


def cholesky_of(**kwargs):
    return lambda x: np.linalg.cholesky(positive_definite(x), **kwargs)


def magnitudes(result):
    """What of eigenvectors or singular vectors does not depend on their phases."""
    return [np.real(x * np.conjugate(x)) for x in result]


def projector(a):
    """The projector on the first eigenvector of a Hermitian matrix."""
    _, v = np.linalg.eigh(hermitian(a))
    return v[..., :1] @ adjoint(v[..., :1])


def vectors_of(a, **kwargs):
    """Eigenvectors with LAPACK's choice of phases."""
    return np.linalg.eigh(hermitian(a), **kwargs).eigenvectors


def turned(function):
    """Call a function on matrices with complex eigenvalues."""

    def call(a):
        n = a.shape[-1]
        step = np.roll(np.eye(n), 1, 0) * np.arange(2.0, n + 2.0)
        return function(a * 0.2 + step)

    return call


def completed_svd(a):
    """What does not depend on how the singular vectors are completed to a basis."""
    u, s, vh = np.linalg.svd(a)
    n = s.shape[-1]
    more_u, more_v = u[..., n:], vh[..., n:, :]
    again = (u[..., :n] * np.expand_dims(s * s, -2)) @ vh[..., :n, :]
    return again, more_u @ adjoint(more_u), adjoint(more_v) @ more_v


def svd_again(a, **kwargs):
    u, s, vh = np.linalg.svd(a, full_matrices=False, **kwargs)
    return (u * np.expand_dims(np.exp(s), -2)) @ vh


def of_hermitian(function, *args, **kwargs):
    return lambda x: function(hermitian(x), *args, **kwargs)


def indefinite(a):
    return np.linalg.svd(hermitian(a) - 2.0 * np.eye(3), hermitian=True)


loose = functools.partial(S, **LOOSE)
each = functools.partial(S, dtypes=COMPLEX, **LOOSE)
phases = functools.partial(S, np.linalg.eigh, dtypes=(np.complex128,))
cholesky = functools.partial(S, np.linalg.cholesky, dtypes=COMPLEX)
eigh, eigvalsh, qr, svd = (
    np.linalg.eigh,
    np.linalg.eigvalsh,
    np.linalg.qr,
    np.linalg.svd,
)

SAMPLES = [
    cholesky((3, 3), call=cholesky_of()),
    cholesky((2, 2, 2), call=cholesky_of()),
    cholesky((3, 3), call=cholesky_of(upper=True), id="cholesky-upper"),
    loose(qr, spread(3, 3)),
    each(qr, spread(2, 4, 2)),
    S(qr, spread(3, 3), mode="complete"),
    each(qr, spread(2, 4)),
    loose(qr, spread(2, 2, 3), mode="complete"),
    each(qr, spread(3, 2), mode="complete"),
    each(qr, spread(2, 5, 2), mode="complete"),
    each(qr, spread(4, 2), mode="r"),
    each(qr, spread(2, 3), mode="r"),
    loose(eigh, spread(3, 3), call=of_hermitian(eigh)),
    each(eigh, spread(2, 3, 3), call=projector),
    each(
        *(eigh, spread(3, 3)),
        call=lambda x: magnitudes(eigh(hermitian(x), "U")),
        id="eigh-U",
    ),
    each(eigvalsh, spread(3, 3), call=of_hermitian(eigvalsh)),
    loose(eigvalsh, spread(2, 3, 3), call=of_hermitian(eigvalsh, "U"), id="eigvalsh-U"),
    phases(spread(3, 3), call=vectors_of),
    phases(spread(2, 3, 3), call=lambda x: vectors_of(x, UPLO="U"), id="eigh-phases-U"),
    each(np.linalg.eig, spread(3, 3)),
    each(np.linalg.eig, (4, 4), call=turned(np.linalg.eig)),
    loose(np.linalg.eig, spread(2, 2, 2)),
    each(np.linalg.eigvals, spread(3, 3)),
    each(np.linalg.eigvals, (2, 3, 3), call=turned(np.linalg.eigvals)),
    *(loose(svd, spread(n, 3), only_real=True) for n in (3, 4, 2)),
    each(svd, spread(2, 5, 2), call=completed_svd),
    each(svd, spread(2, 4), call=completed_svd, id="svd-complete-wide"),
    loose(svd, spread(4, 2), full_matrices=False, only_real=True),
    loose(svd, spread(2, 2, 4), full_matrices=False, only_real=True),
    each(svd, spread(4, 3), call=svd_again),
    each(svd, spread(3, 4), call=svd_again, id="svd-wide"),
    each(
        *(svd, spread(3, 3)),
        call=of_hermitian(svd_again, hermitian=True),
        id="svd-hermitian",
    ),
    loose(svd, spread(3, 3), call=indefinite, id="svd-indefinite"),
    each(svd, spread(3, 4), compute_uv=False),
    loose(np.linalg.svdvals, spread(2, 3, 2)),
]
