"""The value and the gradient of `of_tree` (exported_programs.py:1).

Written by srcgrad; it needs NumPy alone.

    from of_tree_exported import of_tree, of_tree_value_and_grad
    value = of_tree(params, x)
    value, gradient = of_tree_value_and_grad(params, x)
"""

import numpy as np

__all__ = ["of_tree", "of_tree_value_and_grad"]

# What the derivatives are by.
DERIVATIVES_BY = "params"


def of_tree(
    params: dict[str, np.ndarray | tuple[np.ndarray, float]], x: np.ndarray
) -> np.float64:
    """Return the value of `of_tree`.

    Parameters
    ----------
    params : dict
        `params["W"]` is ndarray of float64, shape (4, 3)
        `params["b"][0]` is ndarray of float64, shape (3,)
        `params["b"][1]` is float
    x : ndarray of float64, shape (6, 4)

    Returns
    -------
    out : float64
    """
    W, b, b_1, x = _arguments(params, x)

    # exported_programs.py:3: return scale * np.sum(np.tanh(x @ params["W"] + b))
    return b_1 * np.add.reduce(np.tanh(x @ W + b), axis=None)


def of_tree_value_and_grad(
    params: dict[str, np.ndarray | tuple[np.ndarray, float]], x: np.ndarray
) -> tuple[np.float64, dict[str, np.ndarray | tuple[np.ndarray, float]]]:
    """Return the value and the gradient of `of_tree` by `params`.

    The parameters are those of `of_tree`.

    Returns
    -------
    out : float64
    dW : ndarray of float64, shape (4, 3)
    db : ndarray of float64, shape (3,)
    float
    """
    W, b, b_1, x = _arguments(params, x)

    # exported_programs.py:3: return scale * np.sum(np.tanh(x @ params["W"] + b))
    add = x @ W + b
    sum_1 = np.add.reduce(np.tanh(add), axis=None)
    out = b_1 * sum_1
    cosh = np.cosh(np.minimum(np.abs(add), 709.0))
    dadd = np.float64(1.0) * b_1 / cosh / cosh
    db = np.add.reduce(dadd, axis=0)
    dW = x.T @ dadd
    return out, {"W": dW, "b": (db, float(sum_1))}


def _arguments(params, x):
    """Return what the functions compute with, or raise an error."""
    if params.keys() != {"W", "b"}:
        raise ValueError("params must have the keys W, b: export again for others")
    if len(params["b"]) != 2:
        raise ValueError("params['b'] must have length 2: export again for another")
    return (
        _array("params['W']", params["W"], np.float64, (4, 3)),
        _array("params['b'][0]", params["b"][0], np.float64, (3,)),
        _number("params['b'][1]", params["b"][1], float),
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


def _number(name, value, kind):
    """Return an argument as a number, or raise if the functions are not for it."""
    if isinstance(value, (str, bytes)) or np.ndim(value):
        raise TypeError(f"{name} must be a number, but is a {type(value).__name__}")
    return kind(value)


def example():
    """Return arguments to try the functions with."""
    rng = np.random.default_rng(0)
    params = {"W": rng.normal(size=(4, 3)), "b": (rng.normal(size=3), 0.5)}
    x = rng.normal(size=(6, 4))
    return params, x


def check_gradient():
    """Compare it with finite differences, or raise an error."""
    params, x = example()
    gradient = of_tree_value_and_grad(params, x)[1]
    rng = np.random.default_rng(1)
    for name, argument, found, moved in [
        (
            "params['W']",
            params["W"],
            gradient["W"],
            lambda step: of_tree({**params, "W": params["W"] + step}, x),
        ),
        (
            "params['b'][0]",
            params["b"][0],
            gradient["b"][0],
            lambda step: of_tree(
                {**params, "b": (params["b"][0] + step, params["b"][1])}, x
            ),
        ),
        (
            "params['b'][1]",
            params["b"][1],
            gradient["b"][1],
            lambda step: of_tree(
                {**params, "b": (params["b"][0], params["b"][1] + step)}, x
            ),
        ),
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
