"""The value and the derivative of `layer` (exported_programs.py:1).

Written by srcgrad; it needs NumPy alone.

    from layer_exported import layer, layer_vjp
    value = layer(W, x)
    (out, out_1), pullback = layer_vjp(W, x)
"""

from collections.abc import Callable

import numpy as np

__all__ = ["layer", "layer_vjp"]

# What the derivatives are by.
DERIVATIVES_BY = "W"


def layer(W: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the value of `layer`.

    Parameters
    ----------
    W : ndarray of float64, shape (4, 3)
    x : ndarray of float64, shape (6, 4)

    Returns
    -------
    out : ndarray of float64, shape (6, 3)
    out_1 : ndarray of float64, shape (6, 3)
    """
    W, x = _arguments(W, x)
    (out, out_1), _ = _layer_forward(W, x)
    return out, out_1


def layer_vjp(
    W: np.ndarray, x: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray], Callable]:
    """Return the value of `layer`, and the way back to gradients by `W`.

    The parameters are those of `layer`.

    Returns
    -------
    out : ndarray of float64, shape (6, 3)
    out_1 : ndarray of float64, shape (6, 3)
    `pullback(dout, dout_1)`, which gives
    dW : ndarray of float64, shape (4, 3)
    """
    W, x = _arguments(W, x)
    (out, out_1), saved = _layer_forward(W, x)

    def pullback(dout, dout_1):
        return _layer_backward(saved, dout, dout_1)

    return (out, out_1), pullback


def _layer_forward(W, x):
    # exported_programs.py:2: h = np.tanh(x @ W)
    matmul = x @ W
    h = np.tanh(matmul)

    # exported_programs.py:3: return h, 2.0 * h
    out = 2.0 * h
    return (h, out), (x, matmul)


def _layer_backward(saved, dh, dout):
    x, matmul = saved

    # exported_programs.py:3: return h, 2.0 * h
    add = dh + dout * 2.0

    # exported_programs.py:2: h = np.tanh(x @ W)
    cosh = np.cosh(np.minimum(np.abs(matmul), 709.0))
    return x.T @ (add / cosh / cosh)


def _arguments(W, x):
    """Return what the functions compute with, or raise an error."""
    return (
        _array("W", W, np.float64, (4, 3)),
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
    x = rng.normal(size=(6, 4))
    return W, x


def check_gradient():
    """Compare it with finite differences, or raise an error."""
    W, x = example()
    rng = np.random.default_rng(1)
    value, pullback = layer_vjp(W, x)
    cotangents = [rng.normal(size=np.shape(out)) for out in (value[0], value[1])]
    gradient = pullback(*cotangents)

    def project(value):
        pairs = zip(cotangents, (value[0], value[1]), strict=True)
        return sum(np.sum(cotangent * out) for cotangent, out in pairs)

    for name, argument, found, moved in [
        ("W", W, gradient, lambda step: project(layer(W + step, x))),
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
