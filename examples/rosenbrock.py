"""Minimise Rosenbrock's function with SciPy, the gradient from srcgrad."""

import numpy as np
from scipy.optimize import minimize

import srcgrad


@srcgrad.trace
def rosenbrock(x):
    """Return the height of the banana-shaped valley; its minimum is 0, at all ones."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def main():
    start = np.zeros(10)
    result = minimize(srcgrad.value_and_grad(rosenbrock), start, jac=True, tol=1e-9)

    print(rosenbrock.source())
    print(f"minimum {result.fun:.2e} after {result.nfev} calls")
    print(f"{rosenbrock.stats.compiled} of {rosenbrock.stats.calls} calls ran compiled")
    assert np.allclose(result.x, 1.0, atol=1e-5)


if __name__ == "__main__":
    main()
