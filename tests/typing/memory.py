"""Deep programs: checkpoints, constants, modes, and the code as a file."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad

Array = NDArray[np.float64]


@srcgrad.checkpoint
def layer(x: Array, w: Array) -> Array:
    """One of many."""
    return np.tanh(w @ x)


class Deep:
    """A network whose layers are computed again on the way back."""

    def __init__(self, w: Array) -> None:
        self.w = w

    @srcgrad.checkpoint
    def layer(self, x: Array) -> Array:
        """One of many."""
        return np.tanh(self.w @ x)

    def __call__(self, x: Array) -> float:
        """All of them."""
        for _ in range(3):
            x = self.layer(x)
        return np.sum(x)


def loss(w: Array, x: Array) -> float:
    """Many layers."""
    for _ in range(3):
        x = layer(x, w=w)
    return np.sum(x)


def penalized(w: Array, x: Array) -> float:
    """With a penalty whose scale is a constant."""
    return loss(w, x) + np.sum(srcgrad.stop_gradient(w) * w)


def main() -> None:
    """Differentiate it, and write it down."""
    w, x = np.eye(2), np.array([0.5, -0.5])
    assert_type(layer(x, w), Array)
    assert_type(srcgrad.stop_gradient(2.0), float)
    slope = srcgrad.grad(loss)
    assert_type(slope(w, x), Array)
    assert np.allclose(srcgrad.grad(penalized)(w, x), slope(w, x) + w)
    assert_type(srcgrad.grad(Deep(w))(x), Array)
    with srcgrad.set_stance("tape"):
        assert np.allclose(slope(w, x), slope(w, x))
    slope.compile(w, x)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "loss_grad.py")
        slope.export(path, w, x)
        again = srcgrad.load(path)
    assert np.allclose(again(w, x), loss(w, x))

    if TYPE_CHECKING:
        layer(x)  # type: ignore[call-arg]
        layer(x, 1.0)  # type: ignore[arg-type]
        slope.compile(w)  # type: ignore[call-arg]
        Deep(w).layer(x, w)  # type: ignore[call-arg]


if __name__ == "__main__":
    main()
