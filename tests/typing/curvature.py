"""Jacobians, Hessians, and their products with vectors."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad

Array = NDArray[np.float64]


def residuals(w: Array, x: Array) -> Array:
    """What a curve misses."""
    return w[0] * np.sin(w[1] * x) - x


def energy(w: Array) -> float:
    """A valley."""
    return (1.0 - w[0]) ** 2 + 100.0 * (w[1] - w[0] ** 2) ** 2


def main() -> None:
    """All of them."""
    w, x = np.array([1.0, 0.5]), np.linspace(0.0, 1.0, 5)
    jacobian = srcgrad.jacobian(residuals, mode="forward")
    step = np.linalg.lstsq(jacobian(w, x), -residuals(w, x))[0]
    assert step.shape == (2,)

    hessian = srcgrad.hessian(energy)
    assert np.allclose(hessian(w) @ w, srcgrad.hvp(energy, w, w))
    assert_type(srcgrad.hvp(energy, w, w), NDArray[Any])
    assert "def " in hessian.source()

    value, tangent = srcgrad.jvp(residuals, (w, x), (w, np.zeros(5)))
    assert_type(value, Array)
    assert_type(tangent, Array)
    value, pullback = srcgrad.vjp(residuals, w, x)
    assert_type(value, Array)
    by_w, _ = pullback(np.ones(5))
    assert by_w.shape == (2,)
    assert srcgrad.sparse_hessian(energy)(w).nnz == 4

    if TYPE_CHECKING:
        jacobian(w)  # type: ignore[call-arg]
        hessian(w, x)  # type: ignore[call-arg]
        srcgrad.jacobian(energy, mood="forward")  # type: ignore[call-arg]


if __name__ == "__main__":
    main()
