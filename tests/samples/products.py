"""Samples for the rules of ``srcgrad.rules.products``."""

import numpy as np

from tests.samples import COMPLEX, Constant, S, strided

MATMUL = [
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((2, 0), (0, 4)),
    ((0, 3), (3, 4)),
    ((0,), (0,)),
    ((0, 2, 3), (3, 4)),
    ((2, 3), (0, 3, 4)),
]
DOT = [
    ((), ()),
    ((), (2, 3)),
    ((2, 3), ()),
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((3,), (2, 3, 4)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (6, 3, 4)),
    ((2, 0), (0, 4)),
]
INNER = [
    ((), ()),
    ((), (3,)),
    ((2, 3), ()),
    ((3,), (3,)),
    ((3,), (2, 3)),
    ((2, 3), (3,)),
    ((2, 3), (4, 3)),
    ((5, 2, 3), (4, 3)),
    ((2, 3), (4, 5, 3)),
    ((2, 0), (4, 0)),
]
MATRICES = [
    *(S(np.matmul, *shapes, dtypes=COMPLEX) for shapes in MATMUL),
    *(S(np.dot, *shapes, dtypes=COMPLEX) for shapes in DOT),
    *(S(np.inner, *shapes, dtypes=COMPLEX) for shapes in INNER),
    S(np.matmul, strided(4, 3), (3, 2)),
    S(np.matmul, (3, 4), (4, 2), call=lambda a, b: a @ b, id="matmul-operator"),
    S(np.matmul, (3, 3), call=lambda a: a @ a.T, id="matmul-itself"),
    S(np.matmul, Constant(np.ones((2, 3))), (3, 2)),
    S(np.vdot, (3,), (3,), dtypes=COMPLEX),
    S(np.vdot, (2, 3), (3, 2), dtypes=COMPLEX),
    S(np.vdot, (), ()),
    S(np.outer, (3,), (4,), dtypes=COMPLEX),
    S(np.outer, (2, 2), (3, 1), dtypes=COMPLEX),
    S(np.outer, (), (3,)),
    S(np.outer, (0,), (3,)),
    S(np.vecdot, (3,), (3,), dtypes=COMPLEX),
    S(np.vecdot, (2, 1, 3), (4, 3), dtypes=COMPLEX),
    S(np.vecdot, (3, 2), (3, 1), axis=0),
    S(np.vecdot, (3, 2), (3, 2), axis=-2, keepdims=True, dtypes=COMPLEX),
    S(np.vecdot, (2, 0), (2, 0)),
    S(np.vecdot, (2, 3), (2, 4, 3), axis=0, dtypes=COMPLEX),
    S(np.vecdot, (4, 2, 1), (2, 3), axis=-2, dtypes=COMPLEX),
    S(np.vecdot, (3, 2), (3, 4, 2), axis=0, keepdims=True),
]
TENSORS = [
    S(np.tensordot, (2, 3, 4), (3, 4, 5), dtypes=COMPLEX),
    S(np.tensordot, (2, 3), (4,), axes=0),
    S(np.tensordot, (), (3,), axes=0),
    S(np.tensordot, (2, 3), (3, 2), axes=1),
    S(np.tensordot, (2, 3), (3, 2), axes=np.int64(1)),
    S(np.tensordot, (2, 3), (4, 3), axes=(1, 1)),
    S(np.tensordot, (2, 3, 4), (4, 5, 2), axes=((0, 2), (2, 0)), dtypes=COMPLEX),
    S(np.tensordot, (2, 3, 4), (4, 2, 3), axes=([2, 0, 1], [0, 1, 2])),
    S(np.tensordot, (5, 3, 4, 2), (4, 6, 3, 5), axes=((2, 0, 1), (0, -1, -2))),
    S(np.tensordot, (2, 0), (0, 3), axes=1),
    S(np.kron, (2, 3), (3, 2), dtypes=COMPLEX),
    S(np.kron, (3,), (2, 2)),
    S(np.kron, (2, 1, 2), (3,)),
    S(np.kron, (), (3,)),
    S(np.kron, (), ()),
    S(np.cross, (3,), (3,), dtypes=COMPLEX),
    S(np.cross, (4, 3), (3,)),
    S(np.cross, (2, 1, 3), (4, 3)),
    S(np.cross, (3, 4), (4, 3), axisa=0),
    S(np.cross, (3, 4), (3, 4), axis=0, dtypes=COMPLEX),
    S(np.cross, (3, 2), (4, 3, 1), axisa=0, axisb=1, axisc=0),
]
CONVOLUTION = [
    *(
        S(function, *shapes, mode=mode, dtypes=COMPLEX)
        for function in (np.convolve, np.correlate)
        for shapes in (((5,), (3,)), ((6,), (4,)), ((2,), (5,)), ((3,), (6,)))
        for mode in ("full", "same", "valid")
    ),
    S(np.convolve, (4,), (4,), mode="same"),
    *(S(np.convolve, (5,), (2,), mode=mode) for mode in (0, 1, 2)),
    S(np.convolve, (4,), (1,)),
    S(np.convolve, (), (3,)),
    S(np.correlate, (4,), (4,)),
]
ARRAY_API = [
    S(np.linalg.matmul, (2, 3), (3, 4)),
    S(np.linalg.outer, (2,), (3,), dtypes=COMPLEX),
    S(np.linalg.tensordot, (2, 3), (4, 3), axes=((1,), (1,))),
    S(np.linalg.vecdot, (2, 3), (3,), dtypes=COMPLEX),
    S(np.linalg.cross, (2, 3), (3,)),
    S(np.linalg.matrix_transpose, (2, 3, 4)),
    S(np.linalg.trace, (2, 3, 4), offset=1),
    S(np.linalg.diagonal, (2, 3, 4), offset=-1),
    S(np.linalg.multi_dot, [(2, 3), (3, 4)]),
    S(np.linalg.multi_dot, [(3,), (3, 4), (4, 2), (2,)], dtypes=COMPLEX),
    S(np.linalg.multi_dot, [(2, 5), (5, 1), (1, 4), (4, 3)]),
    *(S(np.linalg.matrix_power, (3, 3), Constant(n)) for n in (1, 2, 3, 6)),
    S(np.linalg.matrix_power, (2, 3, 3), Constant(4), dtypes=COMPLEX),
    S(
        np.linalg.matrix_power,
        (3, 3),
        call=lambda x: np.linalg.matrix_power(x + 4.0 * np.eye(3), -2),
        id="matrix_power-negative",
    ),
    S(
        np.linalg.matrix_power,
        (3, 3),
        call=lambda x: np.linalg.matrix_power(x, 0) * x,
        id="matrix_power-zeroth",
    ),
]
if hasattr(np, "matvec"):  # NumPy 2.2
    MATRICES += [
        S(np.matvec, (2, 3), (3,), dtypes=COMPLEX),
        S(np.matvec, (5, 1, 2, 3), (4, 3), dtypes=COMPLEX),
        S(np.vecmat, (3,), (3, 4), dtypes=COMPLEX),
        S(np.vecmat, (5, 1, 3), (2, 3, 4), dtypes=COMPLEX),
    ]

SAMPLES = [*MATRICES, *TENSORS, *CONVOLUTION, *ARRAY_API]
