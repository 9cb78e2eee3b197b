"""Conjugates that cost nothing for real numbers."""

import numpy as np
import pytest

from srcgrad.rules.complexes import adjoint, conj, is_complex

REAL = np.arange(6.0).reshape(2, 3)
COMPLEX = REAL + 1j * REAL[::-1]


def test_a_real_array_is_its_own_conjugate():
    assert conj(REAL) is REAL
    np.testing.assert_array_equal(conj(COMPLEX), np.conjugate(COMPLEX))


@pytest.mark.parametrize("x", [REAL, COMPLEX, np.stack([COMPLEX, 2.0 * COMPLEX])])
def test_the_adjoint_is_that_of_each_matrix(x):
    expected = np.conjugate(np.swapaxes(x, -1, -2))
    np.testing.assert_array_equal(adjoint(x), expected)


def test_the_adjoint_of_real_numbers_is_a_view():
    assert np.shares_memory(adjoint(REAL), REAL)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (REAL, False),
        (COMPLEX.astype(np.complex64), True),
        (np.float32(1.0), False),
        (np.complex128(1.0), True),
        (1.0, False),
        (1j, True),
        (3, False),
        ([1.0, 2.0], False),
        ([1.0, 2j], True),
    ],
)
def test_the_dtype_tells(x, expected):
    assert is_complex(x) is expected
