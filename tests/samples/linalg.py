"""Samples for the rules of ``srcgrad.rules.linalg``."""

import math

import numpy as np

from tests.samples import COMPLEX, Draw, Made, S


def well_conditioned(*shape):
    """Matrices whose singular values differ by a factor that is not large."""

    def build(rng, dtype):
        x = Draw(shape)(rng, dtype)
        return (x + 4.0 * np.eye(*shape[-2:])).astype(dtype)

    return Made(build, shape)


def spread(*shape):
    """Matrices whose singular values are apart from each other and from zero."""

    def build(rng, dtype):
        x = Draw(shape, -0.3, 0.3)(rng, dtype)
        values = np.zeros(shape[-2:])
        np.fill_diagonal(values, np.arange(1.0, min(shape[-2:]) + 1.0))
        return (x + values).astype(dtype)

    return Made(build, shape)


def adjoint(x):
    return np.swapaxes(np.conjugate(x), -1, -2)


def positive_definite(x):
    return x @ adjoint(x) + 3.0 * np.eye(x.shape[-1])


def hermitian(x):
    return x + adjoint(x)


def cholesky_of(**kwargs):
    return lambda x: np.linalg.cholesky(positive_definite(x), **kwargs)


def magnitudes(result):
    """What of eigenvectors or singular vectors does not depend on their phases."""
    return [np.real(x * np.conjugate(x)) for x in result]


def projector(a):
    """The projector on the first eigenvector of a Hermitian matrix."""
    _, v = np.linalg.eigh(hermitian(a))
    return v[..., :1] @ adjoint(v[..., :1])


def low_rank(x, y):
    return np.linalg.pinv(x @ y, rcond=1e-4)


def svd_again(a, **kwargs):
    u, s, vh = np.linalg.svd(a, full_matrices=False, **kwargs)
    return (u * np.expand_dims(np.exp(s), -2)) @ vh


LOOSE = {"tolerance": 1e-3}
SOLVING = [
    S(np.linalg.inv, well_conditioned(3, 3), dtypes=COMPLEX),
    S(np.linalg.inv, well_conditioned(2, 3, 3), dtypes=COMPLEX),
    S(np.linalg.inv, (0, 0)),
    S(np.linalg.pinv, well_conditioned(3, 3), dtypes=COMPLEX),
    S(np.linalg.pinv, spread(4, 2), dtypes=COMPLEX, **LOOSE),
    S(np.linalg.pinv, spread(2, 2, 4), **LOOSE),
    S(np.linalg.pinv, spread(4, 2), spread(2, 3), call=low_rank, **LOOSE),
    S(np.linalg.solve, well_conditioned(3, 3), (3,), dtypes=COMPLEX),
    S(np.linalg.solve, well_conditioned(3, 3), (3, 2), dtypes=COMPLEX),
    S(np.linalg.solve, well_conditioned(2, 3, 3), (3,), dtypes=COMPLEX),
    S(np.linalg.solve, well_conditioned(2, 3, 3), (3, 1)),
    S(np.linalg.solve, well_conditioned(3, 3), (2, 3, 4), dtypes=COMPLEX),
    S(np.linalg.solve, well_conditioned(2, 1, 3, 3), (4, 3, 2)),
    S(np.linalg.solve, (0, 0), (0,)),
    S(
        np.linalg.tensorinv,
        (2, 3, 6),
        call=lambda x: np.linalg.tensorinv(x + 4.0 * np.reshape(np.eye(6), (2, 3, 6))),
    ),
    S(
        np.linalg.tensorsolve,
        (2, 3, 6),
        (2, 3),
        call=lambda x, b: np.linalg.tensorsolve(
            x + 4.0 * np.reshape(np.eye(6), (2, 3, 6)), b
        ),
    ),
    S(
        np.linalg.tensorsolve,
        (6, 2, 3),
        (2, 3),
        call=lambda x, b: np.linalg.tensorsolve(
            x + 4.0 * np.reshape(np.eye(6), (6, 2, 3)), b, axes=(0,)
        ),
    ),
]
DETERMINANTS = [
    S(np.linalg.det, well_conditioned(3, 3), dtypes=COMPLEX, tolerance=1e-2),
    S(np.linalg.det, well_conditioned(2, 2, 2), dtypes=COMPLEX, tolerance=1e-2),
    S(np.linalg.det, (1, 1)),
    S(np.linalg.slogdet, well_conditioned(3, 3), dtypes=COMPLEX),
    S(np.linalg.slogdet, well_conditioned(2, 2, 2), dtypes=COMPLEX),
    S(
        np.linalg.slogdet,
        (3, 3),
        call=lambda x: np.linalg.slogdet(positive_definite(x)).logabsdet,
    ),
]
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
    S(
        np.linalg.eigh,
        spread(3, 3),
        call=lambda x: np.linalg.eigh(hermitian(x)),
        only_real=True,
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
    S(np.linalg.svd, spread(3, 3), only_real=True, **LOOSE),
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
    S(np.linalg.svd, spread(3, 4), compute_uv=False, dtypes=COMPLEX, **LOOSE),
    S(np.linalg.svdvals, spread(2, 3, 2), **LOOSE),
]
VECTOR_ORDERS = (None, 2, 1, math.inf, -math.inf, 3, 2.5, 0.5, -1)
MATRIX_ORDERS = (None, "fro", "nuc", 2, -2, 1, -1, math.inf, -math.inf)
NORMS = [
    S(np.linalg.norm, (3,), dtypes=COMPLEX),
    S(np.linalg.norm, (2, 3), dtypes=COMPLEX),
    S(np.linalg.norm, (2, 3, 2)),
    S(np.linalg.norm, ()),
    S(np.linalg.norm, (0,)),
    S(np.linalg.norm, (2, 3), keepdims=True),
    *(S(np.linalg.norm, (6,), ord=ord, dtypes=COMPLEX) for ord in VECTOR_ORDERS),
    *(S(np.linalg.norm, (3, 4), ord=ord, axis=0) for ord in VECTOR_ORDERS),
    *(
        S(np.linalg.norm, spread(3, 4), ord=ord, dtypes=COMPLEX, **LOOSE)
        for ord in MATRIX_ORDERS
    ),
    *(
        S(np.linalg.norm, (3, 2, 4), ord=ord, axis=axis, keepdims=keepdims, **LOOSE)
        for ord in MATRIX_ORDERS
        for axis, keepdims in (((0, 1), True), ((-1, 0), False))
    ),
    S(np.linalg.norm, (2, 3), axis=-1, keepdims=True),
    S(np.linalg.norm, (2, 3), ord=2, axis=(1,)),
    S(
        np.linalg.norm,
        (6,),
        ord=0,
        call=lambda x, ord: np.linalg.norm(x, ord) + np.sum(x),
    ),
    *(S(np.linalg.vector_norm, (2, 4), ord=ord) for ord in VECTOR_ORDERS[1:]),
    S(
        np.linalg.vector_norm,
        (2, 3, 4),
        axis=(0, 2),
        keepdims=True,
        ord=3,
        dtypes=COMPLEX,
    ),
    S(np.linalg.vector_norm, (2, 3), axis=-1, ord=math.inf),
    *(
        S(np.linalg.matrix_norm, spread(2, 3, 4), ord=ord, **LOOSE)
        for ord in MATRIX_ORDERS[1:]
    ),
    S(np.linalg.matrix_norm, (2, 3), keepdims=True, dtypes=COMPLEX),
]

SAMPLES = [*SOLVING, *DETERMINANTS, *FACTORISATIONS, *NORMS]
