"""Eigenvalues of symmetric matrices and of pairs of them: every sample."""

import numpy as np
import pytest
import scipy.linalg

import srcgrad


@pytest.mark.parametrize(
    "options", [{}, {"subset_by_index": [0, 1]}, {"subset_by_value": [0.0, 99.0]}]
)
def test_the_phases_of_complex_vectors_are_not_known(options):
    upper = np.triu(np.ones((3, 3)), 1)
    a = np.diag([1.0, 2.0, 4.0]) + 1j * (upper - upper.T)

    def of_phases(a):
        return np.sum(np.real(scipy.linalg.eigh(a, **options)[1]))

    def of_none(a):
        return np.sum(np.abs(scipy.linalg.eigh(a, **options)[1]) ** 4)

    assert np.all(np.isnan(srcgrad.grad(of_phases)(a)))
    assert np.all(np.isfinite(srcgrad.grad(of_none)(a)))


def test_values_between_bounds_of_a_stack():
    a = np.stack([np.diag([1.0, 2.0, 4.0]), np.diag([3.0, 9.0, 1.0])])

    def between(a):
        return np.sum(scipy.linalg.eigvalsh(a, subset_by_value=[1.5, 5.0])[..., 0])

    expected = [np.diag([0.0, 1.0, 0.0]), np.diag([1.0, 0.0, 0.0])]
    np.testing.assert_allclose(
        srcgrad.grad(between)(a[:, :2, :2]), [each[:2, :2] for each in expected]
    )
