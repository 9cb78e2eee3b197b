"""mlp, traced at programs.py:1, for W1: float64[3, 4], b1: float64[4], W2:
float64[4, 2], x: float64[4, 3], y: float64[4, 2]
"""

import numpy as np


def forward(W1, b1, W2, x, y):
    # programs.py:3: h = np.tanh(x @ W1 + b1)
    add = x @ W1 + b1
    h = np.tanh(add)

    # programs.py:4: return np.mean((h @ W2 - y) ** 2)
    subtract = h @ W2 - y
    out = np.add.reduce(subtract * subtract, axis=None) / 8
    dsubtract = 0.25 * subtract
    dy = -dsubtract
    dh = dsubtract @ W2.T
    dW2 = h.T @ dsubtract

    # programs.py:3: h = np.tanh(x @ W1 + b1)
    cosh = np.cosh(np.minimum(np.abs(add), 709.0))
    dadd = dh / cosh / cosh
    db1 = np.add.reduce(dadd, axis=0)
    dx = dadd @ W1.T
    dW1 = x.T @ dadd
    return out, dW1, db1, dW2, dx, dy
