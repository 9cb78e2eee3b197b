"""Functions of one element over a batch."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad

Array = NDArray[np.float64]


def loss(w: Array, x: Array, y: Array) -> np.float64:
    """Of one example."""
    return np.sum((w @ x - y) ** 2)


def normalized(x: Array) -> Array:
    """Of one row."""
    return x / np.sqrt(np.sum(x * x))


def main() -> None:
    """All examples at once."""
    rng = np.random.default_rng(0)
    w, xs, ys = rng.normal(size=2), rng.normal(size=(6, 2)), rng.normal(size=6)

    by_example = srcgrad.vmap(srcgrad.grad(loss), in_axes=(None, 0, 0))
    assert_type(by_example(w, xs, ys), Array)
    assert by_example(w, xs, ys).shape == (6, 2)
    assert_type(srcgrad.vmap(normalized)(xs), Array)
    losses = srcgrad.vmap(loss, (None, 0, 0))(w, xs, ys)
    assert losses.shape == (6,)

    dots = srcgrad.vmap(np.dot, in_axes=(0, None))
    assert dots(xs, w).shape == (6,)
    squares = srcgrad.vmap(srcgrad.grad(lambda x: x**3))
    assert np.allclose(squares(ys), 3 * ys**2)
    assert np.allclose(srcgrad.elementwise_grad(np.sin)(ys), np.cos(ys))

    if TYPE_CHECKING:
        by_example(w, xs)  # type: ignore[call-arg]
        srcgrad.vmap(normalized)(xs, 0)  # type: ignore[call-arg]


if __name__ == "__main__":
    main()
