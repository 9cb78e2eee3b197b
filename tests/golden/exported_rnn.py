"""The gradient of `rnn` (exported_programs.py:1).

Written by srcgrad; it needs NumPy alone.

    from rnn_exported import rnn, rnn_grad
    value = rnn(W, x)
    dW = rnn_grad(W, x)
"""

import numpy as np

__all__ = ["rnn", "rnn_grad"]

# What the derivatives are by.
DERIVATIVES_BY = "W"

H = np.zeros(3)


def rnn(W: np.ndarray, x: np.ndarray) -> np.float64:
    """Return the value of `rnn`.

    Parameters
    ----------
    W : ndarray of float64, shape (3, 3)
    x : ndarray of float64, shape (30, 3)

    Returns
    -------
    out : float64
    """
    W, x = _arguments(W, x)
    h = H
    for t in range(30):
        # exported_programs.py:4: h = np.tanh(W @ h + x[t])
        h = np.tanh(W @ h + x[t])

    # exported_programs.py:5: return np.sum(h)
    return np.add.reduce(h, axis=None)


def rnn_grad(W: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the gradient of `rnn` by `W`.

    The parameters are those of `rnn`.

    Returns
    -------
    dW : ndarray of float64, shape (3, 3)
    """
    W, x = _arguments(W, x)
    h = H
    hs = []
    adds = []
    for t in range(30):
        hs.append(h)
        # exported_programs.py:4: h = np.tanh(W @ h + x[t])
        add = W @ h + x[t]
        h = np.tanh(add)
        adds.append(add)

    # exported_programs.py:5: return np.sum(h)
    dh = np.broadcast_to(np.float64(1.0), (3,))
    dW = np.zeros((3, 3))
    for h_1, add_1 in zip(reversed(hs), reversed(adds), strict=True):
        # exported_programs.py:4: h = np.tanh(W @ h + x[t])
        cosh = np.cosh(np.minimum(np.abs(add_1), 709.0))
        dadd = dh / cosh / cosh
        dh = W.T @ dadd
        dW += dadd[:, None] * h_1
    return dW


def _arguments(W, x):
    """Return what the functions compute with, or raise an error."""
    return (
        _array("W", W, np.float64, (3, 3)),
        _array("x", x, np.float64, (30, 3)),
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
    W = rng.normal(size=(3, 3))
    x = rng.normal(size=(30, 3))
    return W, x


def check_gradient():
    """Compare it with finite differences, or raise an error."""
    W, x = example()
    gradient = rnn_grad(W, x)
    rng = np.random.default_rng(1)
    for name, argument, found, moved in [
        ("W", W, gradient, lambda step: rnn(W + step, x)),
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
