"""Matrices for the samples of linear algebra."""

import numpy as np

from tests.samples import Draw, Made


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


LOOSE = {"tolerance": 1e-3}
