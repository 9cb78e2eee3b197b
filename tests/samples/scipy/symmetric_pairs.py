"""Samples for the rules of ``srcgrad.rules.scipy.linalg.symmetric_pairs``."""

import numpy as np
from scipy import linalg

from tests.samples import S
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


SAMPLES = [
    S(linalg.eigh, definite(3, 3), call=of_symmetric("eigh"), dtypes=DOUBLE),
    S(linalg.eigh, definite(2, 3, 3), call=of_symmetric("eigh", lower=False)),
    S(linalg.eigh, definite(3, 3), call=of_symmetric("eigh", eigvals_only=True)),
    S(
        linalg.eigh,
        definite(3, 3),
        call=of_symmetric("eigh", eigvals_only=True, subset_by_index=[0, 1]),
    ),
    S(linalg.eigh, definite(3, 3), definite(3, 3), call=of_pair("eigh"), dtypes=DOUBLE),
    S(
        linalg.eigh,
        *(definite(3, 3), definite(3, 3)),
        call=of_pair("eigh", eigvals_only=True),
    ),
    S(linalg.eigvalsh, definite(3, 3), call=of_symmetric("eigvalsh"), dtypes=DOUBLE),
    S(linalg.eigvalsh, definite(3, 3), definite(3, 3), call=of_pair("eigvalsh")),
    *(
        S(linalg.eigh, definite(4, 4), call=of_symmetric("eigh", **part), dtypes=DOUBLE)
        for part in PARTS
    ),
    S(linalg.eigvalsh, definite(4, 4), call=of_symmetric("eigvalsh", **PARTS[1])),
    *(
        S(
            linalg.eigh,
            *(definite(3, 3), definite(3, 3)),
            call=of_pair("eigh", type=kind, **part),
            dtypes=DOUBLE,
        )
        for kind, part in ((1, PARTS[0]), (2, {}), (2, PARTS[0]), (3, PARTS[0]))
    ),
    S(
        linalg.eigh,
        *(definite(3, 3), definite(3, 3)),
        call=of_pair("eigh", type=2, lower=False, eigvals_only=True),
    ),
]
