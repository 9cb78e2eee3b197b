"""Fit a Gaussian process to data by its marginal likelihood.

The kernel, the Cholesky factor and the likelihood are plain NumPy. SciPy minimises,
with the gradient from srcgrad; the curvature at the minimum tells how sure the fit is.
"""

import numpy as np
from scipy.optimize import minimize

import srcgrad


def kernel(x1, x2, length, height):
    """Return how much two places have in common: less the farther apart they are."""
    apart = (x1[:, None] - x2[None, :]) / length
    return height**2 * np.exp(-0.5 * apart**2)


@srcgrad.trace
def loss(log_parameters, x, y):
    """Return minus the logarithm of how likely the data are."""
    parameters = np.exp(log_parameters)
    length, height, noise = parameters[0], parameters[1], parameters[2]
    covariance = kernel(x, x, length, height) + noise**2 * np.eye(len(x))
    root = np.linalg.cholesky(covariance)
    white = np.linalg.solve(root, y)
    return 0.5 * np.sum(white**2) + np.sum(np.log(np.diag(root)))


def predict(parameters, x, y, places):
    """Return the mean of the process at other places."""
    length, height, noise = parameters
    covariance = kernel(x, x, length, height) + noise**2 * np.eye(len(x))
    return kernel(places, x, length, height) @ np.linalg.solve(covariance, y)


def main():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, 10.0, 60))
    y = np.sin(x) + 0.1 * rng.normal(size=60)

    start = np.log([0.5, 0.5, 0.5])
    result = minimize(srcgrad.value_and_grad(loss), start, args=(x, y), jac=True)
    length, height, noise = fitted = np.exp(result.x)
    curvature = srcgrad.hessian(loss)(result.x, x, y)
    spread = np.sqrt(np.diag(np.linalg.inv(curvature)))

    for name, value, share in zip(
        ("length", "height", "noise"), fitted, spread, strict=True
    ):
        print(f"{name:7}{value:6.3f}   give or take {100 * share:.0f} %")
    places = np.linspace(0.5, 9.5, 50)
    error = np.max(np.abs(predict(fitted, x, y, places) - np.sin(places)))
    print(f"largest error of the mean {error:.3f}")

    assert 0.07 < noise < 0.14
    assert 1.0 < length < 4.0
    assert 0.4 < height < 4.0
    assert np.allclose(curvature, curvature.T)
    assert error < 0.15


if __name__ == "__main__":
    main()
