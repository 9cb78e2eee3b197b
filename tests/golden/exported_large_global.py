"""The Hessian of `large_global` (exported_programs.py:1).

Written by srcgrad; it needs NumPy alone.

    from large_global_exported import large_global, large_global_hessian
    value = large_global(x)
    hessian = large_global_hessian(x)
"""

from pathlib import Path

import numpy as np

__all__ = ["large_global", "large_global_hessian"]

# What the derivatives are by.
DERIVATIVES_BY = "x"

with np.load(Path(__file__).with_suffix(".npz")) as data:
    LARGE = data["LARGE"]

C1 = np.eye(200)


def large_global(x: np.ndarray) -> np.float64:
    """Return the value of `large_global`.

    Parameters
    ----------
    x : ndarray of float64, shape (200,)

    Returns
    -------
    out : float64
    """
    x = _arguments(x)

    # exported_programs.py:2: return np.sum(np.tanh(LARGE * x))
    return np.add.reduce(np.tanh(LARGE * x), axis=None)


def large_global_hessian(x: np.ndarray) -> np.ndarray:
    """Return the Hessian of `large_global` by `x`.

    The parameters are those of `large_global`.

    Returns
    -------
    dx : ndarray of float64, shape (200, 200)
    """
    x = _arguments(x)

    # exported_programs.py:2: return np.sum(np.tanh(LARGE * x))
    multiply = LARGE * x
    cosh = np.cosh(np.minimum(np.abs(multiply), 709.0))
    return -2.0 * (C1 * LARGE) * np.tanh(multiply) / cosh / cosh * LARGE


def _arguments(x):
    """Return what the functions compute with, or raise an error."""
    return _array("x", x, np.float64, (200,))


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
    x = rng.normal(size=200)
    return (x,)


def check_gradient():
    """Compare it with finite differences, or raise an error."""
    (x,) = example()
    gradient = large_global_hessian(x)
    rng = np.random.default_rng(1)
    for name, argument, found, moved in [
        ("x", x, gradient, lambda step: large_global(x + step)),
    ]:
        direction = rng.normal(size=np.shape(argument))
        along = np.sum(direction * np.tensordot(found, direction, np.ndim(direction)))
        slope = (
            moved(1e-4 * direction)
            - 2 * moved(0 * direction)
            + moved(-1e-4 * direction)
        ) / 1e-4**2
        if not np.allclose(along, slope, 1e-3, 1e-3):
            raise AssertionError(
                f"{name}: {along} by derivative, {slope} by differences"
            )


if __name__ == "__main__":
    check_gradient()
    print("the derivative agrees with finite differences")
