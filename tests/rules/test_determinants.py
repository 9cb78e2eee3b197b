"""Rules for determinants: every sample; large matrices, singular or not."""

import numpy as np
import pytest

import srcgrad


def by_minors(a):
    """Laplace's expansion: products only."""
    if a.shape[-1] < 5:
        return np.linalg.det(a)
    rest = range(a.shape[-1])
    return sum(
        (-1.0) ** k * a[0, k] * by_minors(a[1:, [j for j in rest if j != k]])
        for k in rest
    )


@pytest.mark.parametrize("rank", [6, 5, 4, 3])
@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_the_first_two_derivatives_are_those_of_minors(rank, traced):
    rng = np.random.default_rng(rank)
    a, t, u = rng.normal(size=(3, 6, 6))
    a = a[:, :rank] @ t[:rank]

    def slopes(determinant):
        function = lambda x: determinant(x)  # noqa: E731
        first = srcgrad.grad(srcgrad.trace(function) if traced else function)
        second = srcgrad.grad(lambda x: np.sum(srcgrad.grad(determinant)(x) * t))
        along = srcgrad.jvp(srcgrad.grad(determinant), (a,), (u,))[1]
        return first(a), second(a), along

    for found, expected in zip(slopes(np.linalg.det), slopes(by_minors), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_three_derivatives_of_a_matrix_with_an_inverse():
    cube = np.diag(np.arange(1.0, 6.0))

    def third(determinant):
        def first(x):
            return np.sum(srcgrad.grad(determinant)(x) * np.cos(x))

        return srcgrad.grad(lambda x: np.sum(srcgrad.grad(first)(x) ** 2))(cube)

    np.testing.assert_allclose(third(np.linalg.det), third(by_minors), atol=1e-8)
