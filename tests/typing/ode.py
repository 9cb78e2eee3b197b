"""An oscillator, step by step, differentiated by what it starts with."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad

Array = NDArray[np.float64]


def slope(state: Array, friction: float) -> Array:
    """How the state changes."""
    return np.stack([state[1], -state[0] - friction * state[1]])


def end(start: Array, friction: float, steps: int = 20, dt: float = 0.1) -> Array:
    """Where it is in the end, by Runge and Kutta's method."""
    state = start
    for _ in range(steps):
        k1 = slope(state, friction)
        k2 = slope(state + dt / 2 * k1, friction)
        k3 = slope(state + dt / 2 * k2, friction)
        k4 = slope(state + dt * k3, friction)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state


def position(friction: float, start: Array) -> float:
    """The first number of the end."""
    return end(start, friction)[0]


def main() -> None:
    """Differentiate it."""
    start = np.array([1.0, 0.0])
    by_friction = srcgrad.grad(position)
    assert_type(by_friction(0.1, start), float)
    assert_type(srcgrad.grad(by_friction)(0.1, start), float)
    assert_type(srcgrad.value_and_grad(position, 1)(0.1, start)[0], float)

    value, flow = srcgrad.linearize(end, start, 0.1)
    assert_type(value, Array)
    assert_type(flow(np.array([1.0, 0.0]), 0.0), Array)
    assert srcgrad.jacobian(end)(start, 0.1, steps=5).shape == (2, 2)


if __name__ == "__main__":
    main()
