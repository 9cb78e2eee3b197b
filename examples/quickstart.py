"""The derivative of a NumPy function, and the same through a Variable."""

import numpy as np

import srcgrad


def damped(x):
    return np.exp(-x) * np.sin(x)


def main():
    slope = srcgrad.grad(damped)(0.5)
    x = srcgrad.Variable(0.5, requires_grad=True)
    damped(x).backward()
    print(f"damped'(0.5) = {slope:.6f}, on the tape {float(x.grad):.6f}")
    by_hand = np.exp(-0.5) * (np.cos(0.5) - np.sin(0.5))
    assert np.isclose(slope, by_hand)
    assert np.isclose(float(x.grad), by_hand)


if __name__ == "__main__":
    main()
