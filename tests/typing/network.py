"""A network of NumPy's functions, with its parameters in a dict, and in a tuple."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad

Array = NDArray[np.float64]
Parameters = dict[str, Array]


class Layer(NamedTuple):
    """The weights of one layer."""

    w: Array
    b: Array


def predict(parameters: Parameters, x: Array) -> Array:
    """Two layers."""
    hidden = np.tanh(x @ parameters["w1"] + parameters["b1"])
    return hidden @ parameters["w2"]


def loss(parameters: Parameters, x: Array, y: Array) -> tuple[np.floating[Any], Array]:
    """The mean of squares, and what was predicted."""
    predicted = predict(parameters, x)
    return np.mean((predicted - y) ** 2), predicted


def size(layer: Layer) -> float:
    """The squares of the weights."""
    return np.sum(layer.w**2) + np.sum(layer.b**2)


def main() -> None:
    """Train it a little."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(8, 2)), rng.normal(size=8)
    parameters = {
        "w1": rng.normal(size=(2, 4)),
        "b1": np.zeros(4),
        "w2": rng.normal(size=4),
    }
    slope = srcgrad.grad(loss, has_aux=True)
    for _ in range(5):
        slopes, predicted = slope(parameters, x, y)
        assert_type(slopes, Parameters)
        assert_type(predicted, Array)
        parameters = {name: w - 0.1 * slopes[name] for name, w in parameters.items()}

    (value, _), by_all = srcgrad.value_and_grad(loss, has_aux=True)(parameters, x, y)
    assert_type(value, np.floating[Any])
    assert_type(by_all, Parameters)

    layer = Layer(np.ones((2, 2)), np.zeros(2))
    assert_type(srcgrad.grad(size)(layer), Layer)

    vector, unflatten = srcgrad.flatten(layer)
    assert_type(unflatten(2.0 * vector), Layer)


if __name__ == "__main__":
    main()
