"""The gradient of `guarded` (exported_programs.py:1).

Written by srcgrad; it needs NumPy alone.

    from guarded_exported import guarded, guarded_grad
    value = guarded(x)
    gradient = guarded_grad(x)
"""

import numpy as np

__all__ = ["guarded", "guarded_grad"]

# What the derivatives are by.
DERIVATIVES_BY = "x"


def guarded(x: np.ndarray) -> np.float64:
    """Return the value of `guarded`.

    Parameters
    ----------
    x : ndarray of float64, shape (5,)

    Returns
    -------
    out : float64
    """
    x = _arguments(x)

    # exported_programs.py:2: total = np.sum(x)
    total = np.add.reduce(x, axis=None)

    # exported_programs.py:3: if total > 1000:
    if total > 1000:
        raise ValueError(
            "exported_programs.py:3: `total > 1000` was False when this was exported: "
            "export it for these arguments, too"
        )

    # exported_programs.py:5: return total * total
    return total * total


def guarded_grad(x: np.ndarray) -> np.ndarray:
    """Return the gradient of `guarded` by `x`.

    The parameters are those of `guarded`.

    Returns
    -------
    dx : ndarray of float64, shape (5,)
    """
    x = _arguments(x)

    # exported_programs.py:2: total = np.sum(x)
    total = np.add.reduce(x, axis=None)

    # exported_programs.py:3: if total > 1000:
    if total > 1000:
        raise ValueError(
            "exported_programs.py:3: `total > 1000` was False when this was exported: "
            "export it for these arguments, too"
        )

    # exported_programs.py:5: return total * total
    dtotal = 2.0 * total

    # exported_programs.py:2: total = np.sum(x)
    return np.full(5, dtotal)


def _arguments(x):
    """Return what the functions compute with, or raise an error."""
    return _array("x", x, np.float64, (5,))


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
    return (x,)


def check_gradient():
    """Compare it with finite differences, or raise an error."""
    (x,) = example()
    gradient = guarded_grad(x)
    rng = np.random.default_rng(1)
    for name, argument, found, moved in [
        ("x", x, gradient, lambda step: guarded(x + step)),
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
