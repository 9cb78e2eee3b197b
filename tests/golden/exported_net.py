"""The value and the derivative of `net` (exported_programs.py:1).

Written by srcgrad; it needs NumPy alone.

    from net_exported import net, net_grad, net_value_and_grad
    value = net(W, b, x)
    dW = net_grad(W, b, x)
    value, dW = net_value_and_grad(W, b, x)
"""

import numpy as np

__all__ = ["net", "net_grad", "net_value_and_grad"]

# What the derivatives are by.
DERIVATIVES_BY = "W"


def net(W: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.float64:
    """Return the value of `net`.

    Parameters
    ----------
    W : ndarray of float64, shape (4, 3)
    b : ndarray of float64, shape (3,)
    x : ndarray of float64, shape (6, 4)

    Returns
    -------
    out : float64
    """
    W, b, x = _arguments(W, b, x)
    out, _ = _net_forward(W, b, x)
    return out


def net_grad(W: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the gradient of `net` by `W`.

    The parameters are those of `net`.

    Returns
    -------
    dW : ndarray of float64, shape (4, 3)
    """
    return net_value_and_grad(W, b, x)[1]


def net_value_and_grad(
    W: np.ndarray, b: np.ndarray, x: np.ndarray
) -> tuple[np.float64, np.ndarray]:
    """Return the value and the gradient of `net` by `W`.

    The parameters are those of `net`.

    Returns
    -------
    out : float64
    dW : ndarray of float64, shape (4, 3)
    """
    W, b, x = _arguments(W, b, x)
    out, saved = _net_forward(W, b, x)
    dW = _net_backward(saved, np.float64(1.0))
    return out, dW


def _net_forward(W, b, x):
    # exported_programs.py:2: h = np.tanh(x @ W + b)
    add = x @ W + b
    h = np.tanh(add)

    # exported_programs.py:3: return np.mean(h**2)
    out = np.add.reduce(h * h, axis=None) / 18
    return out, (x, add, h)


def _net_backward(saved, dout):
    x, add, h = saved

    # exported_programs.py:3: return np.mean(h**2)
    dh = dout / 9.0 * h

    # exported_programs.py:2: h = np.tanh(x @ W + b)
    cosh = np.cosh(np.minimum(np.abs(add), 709.0))
    return x.T @ (dh / cosh / cosh)


def _arguments(W, b, x):
    """Return what the functions compute with, or raise an error."""
    return (
        _array("W", W, np.float64, (4, 3)),
        _array("b", b, np.float64, (3,)),
        _array("x", x, np.float64, (6, 4)),
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
    W = rng.normal(size=(4, 3))
    b = rng.normal(size=3)
    x = rng.normal(size=(6, 4))
    return W, b, x


def check_gradient():
    """Compare it with finite differences, or raise an error."""
    W, b, x = example()
    gradient = net_grad(W, b, x)
    rng = np.random.default_rng(1)
    for name, argument, found, moved in [
        ("W", W, gradient, lambda step: net(W + step, b, x)),
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
