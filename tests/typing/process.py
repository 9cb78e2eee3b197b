"""A Gaussian process: its likelihood differentiated by its two parameters."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad

Array = NDArray[np.float64]


def likelihood(length: float, noise: float, x: Array, y: Array) -> np.float64:
    """The logarithm of it, but for a constant."""
    distances = (x[:, None] - x[None, :]) / length
    covariance = np.exp(-0.5 * distances**2) + noise**2 * np.eye(len(x))
    factor = np.linalg.cholesky(covariance)
    whitened = np.linalg.solve(factor, y)
    return -0.5 * np.sum(whitened**2) - np.sum(np.log(np.diag(factor)))


def main() -> None:
    """Go uphill."""
    x = np.linspace(0.0, 5.0, 12)
    y = np.sin(x)
    length, noise = 0.5, 0.3
    uphill = srcgrad.value_and_grad(likelihood, argnums=(0, 1))
    first = likelihood(length, noise, x, y)
    for _ in range(10):
        value, (by_length, by_noise) = uphill(length, noise, x, y)
        assert_type(value, np.float64)
        assert_type(by_length, float)
        assert_type(by_noise, float)
        length, noise = length + 0.01 * by_length, noise + 0.001 * by_noise
    assert likelihood(length, noise, x, y) > first

    assert_type(srcgrad.grad(likelihood, (0, 1))(1.0, 0.3, x, y), tuple[float, float])
    if TYPE_CHECKING:
        uphill(length, noise, x)  # type: ignore[call-arg]
        uphill(x, noise, x, y)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
