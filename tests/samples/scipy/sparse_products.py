"""Samples for the rules of ``srcgrad.rules.scipy.sparse_products``."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

import srcgrad
from srcgrad.rules.scipy.sparse_products import (
    found_solution,
    parts,
    product,
    solution,
    solved,
    times_array,
)
from srcgrad.scipy.sparse_matrices.arrays import exponential_product, factor_solution
from tests.samples import Constant, Made, S

DOUBLE = (np.float64, np.complex128)

MATRIX = np.array([[4.0, 0.0, 1.0], [0.5, -3.0, 0.0], [0.0, 2.0, 5.0]])
WIDE = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 3.0, 0.0, -1.0]])


def stored(array, kind):
    """The elements to differentiate by, and their pattern."""
    data, pattern = parts(kind(array))
    return Made(lambda rng, dtype: data.astype(dtype), data.shape), Constant(pattern)


# As users write them: the operators give way to a Variable's.
def from_right(S, x):
    return S @ x


def from_left(S, x):
    return x @ S


def found(data, pattern, b):
    """Where the iteration has ended: at the solution."""
    x = srcgrad.stop_gradient(solved(data, pattern, b))
    return found_solution(data, pattern, b, x)


SAMPLES = [
    *(
        S(product, *stored(array, kind), shape, dtypes=DOUBLE, call=times_array)
        for array, shape in ((MATRIX, (3,)), (WIDE, (4,)), (WIDE, (4, 2)))
        for kind in (sparse.csr_array, sparse.csc_array)
    ),
    *(
        S(solution, *stored(MATRIX, kind), shape, dtypes=DOUBLE, call=solved)
        for kind in (sparse.csr_array, sparse.csc_array)
        for shape in ((3,), (3, 2))
    ),
    S(
        found_solution,
        *stored(MATRIX, sparse.csr_array),
        (3,),
        dtypes=DOUBLE,
        call=found,
    ),
    *(
        S(product, Constant(kind(WIDE)), shape, call=call, id=f"{call.__name__}-{kind}")
        for kind in (sparse.csr_array, sparse.csc_matrix, sparse.dia_array)
        for call, shape in (
            (from_right, (4,)),
            (from_right, (4, 3)),
            (from_left, (2,)),
            (from_left, (3, 2)),
        )
    ),
    S(
        exponential_product,
        *(Constant(sparse.csr_array(MATRIX)), (3,)),
        call=exponential_product,
        dtypes=DOUBLE,
    ),
    S(
        factor_solution,
        *(Constant(linalg.splu(sparse.csc_array(MATRIX))), (3, 2), Constant("N")),
        call=factor_solution,
        only_real=True,
        dtypes=(np.float64,),
    ),
]
