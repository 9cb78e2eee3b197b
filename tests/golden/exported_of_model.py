"""The gradient of `of_model` (exported_programs.py:1).

Written by srcgrad; it needs NumPy alone.

    from of_model_exported import of_model, of_model_grad
    value = of_model(model, x)
    gradient = of_model_grad(model, x)
"""

import numpy as np

__all__ = ["of_model", "of_model_grad"]

# What the derivatives are by.
DERIVATIVES_BY = "x"


def of_model(model: object, x: np.ndarray) -> np.float64:
    """Return the value of `of_model`.

    Parameters
    ----------
    model : Model
    x : ndarray of float64, shape (6, 4)

    Returns
    -------
    out : float64
    """
    x, W, b = _arguments(model, x)

    # exported_programs.py:-3: h = np.tanh(h @ self.W + self.b)
    h = np.tanh(x @ W + b)

    # exported_programs.py:2: return np.sum(model(x) ** 2)
    return np.add.reduce(h * h, axis=None)


def of_model_grad(model: object, x: np.ndarray) -> np.ndarray:
    """Return the gradient of `of_model` by `x`.

    The parameters are those of `of_model`.

    Returns
    -------
    dx : ndarray of float64, shape (6, 4)
    """
    x, W, b = _arguments(model, x)

    # exported_programs.py:-3: h = np.tanh(h @ self.W + self.b)
    add = x @ W + b
    h = np.tanh(add)

    # exported_programs.py:2: return np.sum(model(x) ** 2)
    dh = 2.0 * h

    # exported_programs.py:-3: h = np.tanh(h @ self.W + self.b)
    cosh = np.cosh(np.minimum(np.abs(add), 709.0))
    return dh / cosh / cosh @ W.T


def _arguments(model, x):
    """Return what the functions compute with, or raise an error."""
    if type(model.layers) is not int or model.layers != 1:
        raise ValueError(
            "`model.layers` was 1 when this was exported: export it for these "
            "arguments, too"
        )
    return (
        _array("x", x, np.float64, (6, 4)),
        _array("model.W", model.W, np.float64, (4, 3)),
        _array("model.b", model.b, np.float64, (3,)),
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
