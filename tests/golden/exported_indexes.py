"""The gradient of `indexes` (exported_programs.py:1).

Written by srcgrad; it needs NumPy alone.

    from indexes_exported import indexes, indexes_grad
    value = indexes(x, places)
    dx = indexes_grad(x, places)
"""

import numpy as np

__all__ = ["indexes", "indexes_grad"]

# What the derivatives are by.
DERIVATIVES_BY = "x"


def indexes(x: np.ndarray, places: np.ndarray) -> np.float64:
    """Return the value of `indexes`.

    Parameters
    ----------
    x : ndarray of float64, shape (5,)
    places : ndarray of int64, shape (3,)

    Returns
    -------
    out : float64
    """
    x, places = _arguments(x, places)

    # exported_programs.py:2: return np.sum(x[places] ** 2)
    part = x[places]
    return np.add.reduce(part * part, axis=None)


def indexes_grad(x: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the gradient of `indexes` by `x`.

    The parameters are those of `indexes`.

    Returns
    -------
    dx : ndarray of float64, shape (5,)
    """
    x, places = _arguments(x, places)

    # exported_programs.py:2: return np.sum(x[places] ** 2)
    dx = np.zeros(5)
    np.add.at(dx, places, 2.0 * x[places])
    return dx


def _arguments(x, places):
    """Return what the functions compute with, or raise an error."""
    return (
        _array("x", x, np.float64, (5,)),
        _array("places", places, np.int64, (3,)),
    )


def _array(name, value, dtype, shape):
    """Return an argument as an array, or raise if the functions are not for it."""
    array = np.asanyarray(value)
    if type(array) is not np.ndarray or array.dtype != dtype:
        raise TypeError(
            f"{name} must be an array of {np.dtype(dtype)}, but is a "
            f"{type(array).__name__} of {array.dtype}: convert it, or export again"
        )
    if array.shape != shape:
        raise ValueError(
            f"{name} must have shape {shape}, but has {array.shape}: export again for "
            "other shapes"
        )
    return array


def example():
    """Return arguments to try the functions with."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=5)
    places = np.array([0, 2, 2], np.int64)
    return x, places


def check_gradient():
    """Compare it with finite differences, or raise an error."""
    x, places = example()
    gradient = indexes_grad(x, places)
    rng = np.random.default_rng(1)
    for name, argument, found, moved in [
        ("x", x, gradient, lambda step: indexes(x + step, places)),
    ]:
        direction = rng.normal(size=np.shape(argument))
        along = np.sum(found * direction)
        slope = np.sum(moved(1e-6 * direction) - moved(-1e-6 * direction)) / 2e-6
        if not np.allclose(along, slope, 1e-5, 1e-5):
            raise AssertionError(
                f"{name}: {along} by derivative, {slope} by differences"
            )


if __name__ == "__main__":
    check_gradient()
    print("the derivative agrees with finite differences")
