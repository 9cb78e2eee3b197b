"""Where the elements of a sparse matrix stand."""

import numpy as np
import pytest
from scipy import sparse

from srcgrad.rules.compressed import Pattern

MATRIX = np.array([[4.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 2.0, 5.0], [7.0, 0.0, 0.0]])


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_places_are_those_of_the_elements(kind):
    S = kind(MATRIX)
    pattern = Pattern(S.indices, S.indptr, S.shape, S.format)
    np.testing.assert_array_equal(MATRIX[pattern.places], S.data)
    turned = pattern.transposed
    assert turned.form == (S.T.shape, S.T.format)
    np.testing.assert_array_equal(MATRIX.T[turned.places], S.data)
