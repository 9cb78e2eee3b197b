"""unpacked, traced at programs.py:1, for W1: float64[3, 4], b1: float64[4], W2:
float64[4, 2], x: float64[4, 3]
"""

import numpy as np

WEIGHTS = np.array([1.0, 1.5, 2.0])


def forward(W1, b1, W2, x):
    # programs.py:12: return np.tanh(x * weights @ W1 + b1) @ W2
    multiply = x * WEIGHTS
    add = multiply @ W1 + b1
    tanh = np.tanh(add)
    out = tanh @ W2
    return out, (W1, W2, multiply, add, tanh)


def backward(saved, dout):
    W1, W2, multiply, add, tanh = saved

    # programs.py:12: return np.tanh(x * weights @ W1 + b1) @ W2
    dW2 = tanh.T @ dout
    cosh = np.cosh(np.minimum(np.abs(add), 709.0))
    dadd = dout @ W2.T / cosh / cosh
    db1 = np.add.reduce(dadd, axis=0)
    dW1 = multiply.T @ dadd
    dx = dadd @ W1.T * WEIGHTS
    return dW1, db1, dW2, dx
