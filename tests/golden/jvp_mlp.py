"""mlp, traced at programs.py:1, for W1: float64[3, 4], b1: float64[4], W2:
float64[4, 2], x: float64[4, 3], y: float64[4, 2], W1_dot: float64[3, 4], b1_dot:
float64[4], W2_dot: float64[4, 2], x_dot: float64[4, 3], y_dot: float64[4, 2]
"""

import numpy as np


def forward(W1, b1, W2, x, y, W1_dot, b1_dot, W2_dot, x_dot, y_dot):
    # programs.py:3: h = np.tanh(x @ W1 + b1)
    add = x @ W1 + b1
    h = np.tanh(add)

    # programs.py:4: return np.mean((h @ W2 - y) ** 2)
    subtract = h @ W2 - y
    out = np.add.reduce(subtract * subtract, axis=None) / 8

    # programs.py:3: h = np.tanh(x @ W1 + b1)
    cosh = np.cosh(np.minimum(np.abs(add), 709.0))
    h_dot = (x @ W1_dot + x_dot @ W1 + b1_dot) * (1.0 / cosh / cosh)

    # programs.py:4: return np.mean((h @ W2 - y) ** 2)
    sum_1 = np.add.reduce((h @ W2_dot + h_dot @ W2 - y_dot) * subtract, axis=None)
    out_dot = sum_1 / 4.0
    return out, out_dot
