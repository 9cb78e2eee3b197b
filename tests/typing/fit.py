"""A curve fitted by SciPy, with value and gradient from one function."""

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from typing_extensions import assert_type

import srcgrad

Array = NDArray[np.float64]


def loss(w: Array, x: Array, y: Array) -> float:
    """Squares of what a curve misses."""
    predicted = w[0] * np.exp(-w[1] * x) + w[2]
    return np.sum((predicted - y) ** 2)


def main() -> None:
    """Fit it."""
    x = np.linspace(0.0, 4.0, 30)
    y = 2.5 * np.exp(-1.3 * x) + 0.5

    value_and_slope = srcgrad.value_and_grad(loss)
    value, slope = value_and_slope(np.ones(3), x, y=y)
    assert_type(value, float)
    assert_type(slope, Array)

    found = optimize.minimize(value_and_slope, np.ones(3), args=(x, y), jac=True)
    assert np.allclose(found.x, [2.5, 1.3, 0.5], atol=1e-3)

    by_name = srcgrad.grad(loss, argnames="w")(w=found.x, x=x, y=y)
    assert np.max(np.abs(by_name)) < 1e-3


if __name__ == "__main__":
    main()
