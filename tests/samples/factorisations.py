"""Samples for the rules of ``srcgrad.rules.factorisations``."""

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


FACTORISATIONS = [
    S(np.linalg.cholesky, (3, 3), call=cholesky_of(), dtypes=COMPLEX),
    S(np.linalg.cholesky, (2, 2, 2), call=cholesky_of(), dtypes=COMPLEX),
    S(
        np.linalg.cholesky,
        (3, 3),
        call=cholesky_of(upper=True),
        dtypes=COMPLEX,
        id="cholesky-upper",
    ),
    S(np.linalg.qr, spread(3, 3), **LOOSE),
    S(np.linalg.qr, spread(2, 4, 2), dtypes=COMPLEX, **LOOSE),
    S(np.linalg.qr, spread(3, 3), mode="complete"),
    S(np.linalg.qr, spread(2, 4), dtypes=COMPLEX, **LOOSE),
    S(np.linalg.qr, spread(2, 2, 3), mode="complete", **LOOSE),
    S(np.linalg.qr, spread(3, 2), mode="complete", dtypes=COMPLEX, **LOOSE),
    S(np.linalg.qr, spread(2, 5, 2), mode="complete", dtypes=COMPLEX, **LOOSE),
    S(np.linalg.qr, spread(4, 2), mode="r", dtypes=COMPLEX, **LOOSE),
    S(np.linalg.qr, spread(2, 3), mode="r", dtypes=COMPLEX, **LOOSE),
    S(
        np.linalg.eigh,
        spread(3, 3),
        call=lambda x: np.linalg.eigh(hermitian(x)),
        **LOOSE,
    ),
    S(np.linalg.eigh, spread(2, 3, 3), call=projector, dtypes=COMPLEX, **LOOSE),
    S(
        np.linalg.eigh,
        spread(3, 3),
        call=lambda x: magnitudes(np.linalg.eigh(hermitian(x), "U")),
        dtypes=COMPLEX,
        id="eigh-U",
        **LOOSE,
    ),
    S(
        np.linalg.eigvalsh,
        spread(3, 3),
        call=lambda x: np.linalg.eigvalsh(hermitian(x)),
        dtypes=COMPLEX,
        **LOOSE,
    ),
    S(
        np.linalg.eigvalsh,
        spread(2, 3, 3),
        call=lambda x: np.linalg.eigvalsh(hermitian(x), "U"),
        id="eigvalsh-U",
        **LOOSE,
    ),
    S(np.linalg.eigh, spread(3, 3), call=vectors_of, dtypes=(np.complex128,)),
    S(
        np.linalg.eigh,
        spread(2, 3, 3),
        call=lambda x: vectors_of(x, UPLO="U"),
        dtypes=(np.complex128,),
        id="eigh-phases-U",
    ),
    S(np.linalg.eig, spread(3, 3), dtypes=COMPLEX, **LOOSE),
    S(np.linalg.eig, (4, 4), call=turned(np.linalg.eig), dtypes=COMPLEX, **LOOSE),
    S(np.linalg.eig, spread(2, 2, 2), **LOOSE),
    S(np.linalg.eigvals, spread(3, 3), dtypes=COMPLEX, **LOOSE),
    S(
        np.linalg.eigvals,
        (2, 3, 3),
        call=turned(np.linalg.eigvals),
        dtypes=COMPLEX,
        **LOOSE,
    ),
    S(np.linalg.svd, spread(3, 3), only_real=True, **LOOSE),
    S(np.linalg.svd, spread(4, 3), only_real=True, **LOOSE),
    S(np.linalg.svd, spread(2, 3), only_real=True, **LOOSE),
    S(np.linalg.svd, spread(2, 5, 2), call=completed_svd, dtypes=COMPLEX, **LOOSE),
    S(
        np.linalg.svd,
        spread(2, 4),
        call=completed_svd,
        dtypes=COMPLEX,
        id="svd-complete-wide",
        **LOOSE,
    ),
    S(np.linalg.svd, spread(4, 2), full_matrices=False, only_real=True, **LOOSE),
    S(np.linalg.svd, spread(2, 2, 4), full_matrices=False, only_real=True, **LOOSE),
    S(np.linalg.svd, spread(4, 3), call=svd_again, dtypes=COMPLEX, **LOOSE),
    S(
        np.linalg.svd,
        spread(3, 4),
        call=svd_again,
        dtypes=COMPLEX,
        id="svd-wide",
        **LOOSE,
    ),
    S(
        np.linalg.svd,
        spread(3, 3),
        call=lambda x: svd_again(hermitian(x), hermitian=True),
        dtypes=COMPLEX,
        id="svd-hermitian",
        **LOOSE,
    ),
    S(
        np.linalg.svd,
        spread(3, 3),
        call=lambda x: np.linalg.svd(hermitian(x) - 2.0 * np.eye(3), hermitian=True),
        id="svd-indefinite",
        **LOOSE,
    ),
    S(np.linalg.svd, spread(3, 4), compute_uv=False, dtypes=COMPLEX, **LOOSE),
    S(np.linalg.svdvals, spread(2, 3, 2), **LOOSE),
]
SAMPLES = FACTORISATIONS
