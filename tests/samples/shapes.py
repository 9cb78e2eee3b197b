"""Samples for the rules of ``srcgrad.rules.shapes``."""

import numpy as np

from tests.samples import COMPLEX, Constant, S, strided

RESHAPING = [
    S(np.reshape, (3, 4), Constant((2, 6)), dtypes=COMPLEX),
    S(np.reshape, (3, 4), Constant(-1)),
    S(np.reshape, (3, 4), Constant((2, -1)), order="F"),
    S(np.reshape, (6,), Constant((2, 3)), order="A"),
    S(np.reshape, (), Constant((1, 1))),
    S(np.reshape, (0, 3), Constant((3, 0))),
    S(np.reshape, strided(4, 3), Constant((2, 6))),
    S(np.ravel, (2, 3, 2), dtypes=COMPLEX),
    S(np.ravel, (2, 3), order="F"),
    S(np.ravel, (4,), order="K"),
    S(np.ravel, ()),
    S(np.expand_dims, (3, 4), axis=1),
    S(np.expand_dims, (3, 4), axis=(0, -1)),
    S(np.expand_dims, (), axis=0),
    S(np.squeeze, (1, 3, 1)),
    S(np.squeeze, (1, 3, 1), axis=-1),
    S(np.squeeze, (1, 1)),
    *(
        S(function, shape)
        for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d)
        for shape in ((), (3,), (2, 3))
    ),
    S(np.atleast_2d, (), (3,), (2, 3, 2)),
    S(np.broadcast_to, (3, 1), Constant((2, 3, 4)), dtypes=COMPLEX),
    S(np.broadcast_to, (), Constant((2, 3))),
    S(np.broadcast_to, (1, 3), Constant((0, 3))),
    S(np.broadcast_arrays, (3, 1), (4,), ()),
    S(np.broadcast_arrays, (3,)),
]
AXES = [
    S(np.transpose, (3, 4), dtypes=COMPLEX),
    S(np.transpose, (2, 3, 4)),
    S(np.transpose, (2, 3, 4), axes=(2, 0, 1)),
    S(np.transpose, (2, 3, 4), axes=(-1, 0, -2)),
    S(np.transpose, ()),
    S(np.transpose, (3,), axes=np.int64(0)),
    S(np.transpose, (0, 3)),
    S(np.matrix_transpose, (2, 3, 4)),
    S(np.swapaxes, (2, 3, 4), Constant(0), Constant(-1)),
    S(np.moveaxis, (2, 3, 4), Constant(0), Constant(-1)),
    S(np.moveaxis, (2, 3, 4), Constant((0, 1)), Constant((-1, 0))),
    S(np.rollaxis, (2, 3, 4, 5), Constant(3), Constant(1)),
    S(np.rollaxis, (2, 3, 4), Constant(0), Constant(3)),
    S(np.rollaxis, (2, 3, 4), Constant(-3), Constant(-1)),
]
ORDER = [
    S(np.flip, (3, 4), dtypes=COMPLEX),
    S(np.flip, (3, 4), axis=-1),
    S(np.flip, (2, 3, 4), axis=(0, 2)),
    S(np.fliplr, (3, 4)),
    S(np.flipud, (3, 4)),
    S(np.rot90, (3, 4)),
    S(np.rot90, (2, 3, 4), k=3, axes=(0, 2)),
    S(np.roll, (3, 4), Constant(5)),
    S(np.roll, (3, 4), Constant(-1), axis=1),
    S(np.roll, (3, 4), Constant((1, 2)), axis=(0, 1)),
    S(np.roll, (3, 4), Constant((1, 2)), axis=(-1, -1)),
    S(np.roll, (0,), Constant(1)),
    S(np.sort, (7,)),
    S(np.sort, (3, 4), axis=0),
    S(np.sort, (3, 4), axis=None),
    S(np.sort, (2, 3, 4), kind="stable"),
    S(np.sort, (2, 0)),
    # All places, since NumPy may order the others by the dtype.
    S(np.partition, (9,), Constant((*range(9),))),
    S(np.partition, (3, 8), Constant((1, 5)), axis=-1),
    S(np.partition, (8, 3), Constant(2), axis=0),
    S(np.partition, (2, 4), Constant(3), axis=None),
]
ZEROS = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 0.0])
TRIMMING = [
    *(
        S(np.trim_zeros, (6,), call=lambda x, t=trim: np.trim_zeros(x * ZEROS, t))
        for trim in ("fb", "f", "B")
    ),
    S(np.trim_zeros, (6,), call=lambda x: np.trim_zeros(x * 0.0) + np.sum(x)),
    S(np.sort_complex, (5,), dtypes=COMPLEX),
]
DIAGONALS = [
    S(np.diag, (4,), dtypes=COMPLEX),
    S(np.diag, (3,), k=2),
    S(np.diag, (3,), k=-1),
    *(S(np.diag, (3, 5), k=k) for k in (-3, -2, 0, 1, 4, 5)),
    S(np.diag, (5, 3), k=-2, dtypes=COMPLEX),
    S(np.diag, (0,)),
    S(np.diagflat, (2, 3), k=1),
    S(np.diagflat, ()),
    S(np.diagonal, (3, 4)),
    S(np.diagonal, (2, 3, 4), dtypes=COMPLEX),
    S(np.diagonal, (2, 3, 4), offset=1, axis1=-1, axis2=0),
    S(np.diagonal, (4, 2, 3), offset=-2, axis1=0, axis2=2),
    S(np.trace, (3, 3), dtypes=COMPLEX),
    S(np.trace, (3, 5), offset=3),
    S(np.trace, (3, 5), offset=-4),
    S(np.trace, (2, 3, 4), offset=-1, axis1=1, axis2=2),
    S(np.trace, (2, 3, 4), axis1=2, axis2=0),
    S(np.trace, (0, 0)),
    S(np.tril, (3, 4), dtypes=COMPLEX),
    S(np.tril, (2, 3, 3), k=-1),
    S(np.tril, (3,)),
    S(np.triu, (3, 4), k=1),
    S(np.triu, (2, 3, 3)),
]
NEW = [
    S(np.full_like, (2, 3), (), call=np.full_like),
    S(np.full_like, (2, 3), (3,)),
    S(np.zeros_like, (2, 3), call=lambda x: np.zeros_like(x) + x),
    S(np.ones_like, (2, 3), call=lambda x: np.ones_like(x) * x),
    S(np.empty_like, (2, 3), call=lambda x: np.empty_like(x) * 0.0 + x),
]

SAMPLES = [*RESHAPING, *AXES, *ORDER, *TRIMMING, *DIAGONALS, *NEW]
