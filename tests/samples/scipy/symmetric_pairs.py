"""Samples for the rules of ``srcgrad.rules.scipy.linalg.symmetric_pairs``."""

import numpy as np
from scipy import linalg

from tests.samples import REAL, S
from tests.samples.matrices import adjoint
from tests.samples.scipy.factorizations import (
    DOUBLE,
    function_named,
    of_symmetric,
    phaseless,
)
from tests.samples.scipy.linear_equations import definite

PARTS = ({"subset_by_index": [1, 2]}, {"subset_by_value": [-np.inf, 4.0]})


def of_pair(name, **kwargs):
    def call(a, b):
        a, b = 0.5 * (a + adjoint(a)), 0.5 * (b + adjoint(b))
        return phaseless(function_named(name)(a, b, **kwargs))

    return call


def one(name, n=3, dtypes=REAL, **kwargs):
    call = of_symmetric(name, **kwargs)
    return S(getattr(linalg, name), definite(n, n), call=call, dtypes=dtypes)


def two(name, dtypes=REAL, **kwargs):
    matrices = definite(3, 3), definite(3, 3)
    call = of_pair(name, **kwargs)
    return S(getattr(linalg, name), *matrices, call=call, dtypes=dtypes)


SAMPLES = [
    one("eigh", dtypes=DOUBLE),
    S(linalg.eigh, definite(2, 3, 3), call=of_symmetric("eigh", lower=False)),
    one("eigh", eigvals_only=True),
    one("eigh", eigvals_only=True, subset_by_index=[0, 1]),
    two("eigh", DOUBLE),
    two("eigh", eigvals_only=True),
    one("eigvalsh", dtypes=DOUBLE),
    two("eigvalsh"),
    *(one("eigh", 4, DOUBLE, **part) for part in PARTS),
    one("eigvalsh", 4, **PARTS[1]),
    two("eigh", DOUBLE, type=1, **PARTS[0]),
    two("eigh", DOUBLE, type=2),
    two("eigh", DOUBLE, type=2, **PARTS[0]),
    two("eigh", DOUBLE, type=3, **PARTS[0]),
    two("eigh", type=2, lower=False, eigvals_only=True),
]
