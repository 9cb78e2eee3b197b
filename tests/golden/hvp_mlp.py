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
    dsubtract = 0.25 * (h @ W2 - y)
    dh = dsubtract @ W2.T

    # programs.py:3: h = np.tanh(x @ W1 + b1)
    cosh = np.cosh(np.minimum(np.abs(add), 709.0))
    dadd = dh / cosh / cosh
    add_dot = x @ W1_dot + x_dot @ W1 + b1_dot
    h_dot = add_dot * (1.0 / cosh / cosh)

    # programs.py:4: return np.mean((h @ W2 - y) ** 2)
    dsubtract_1 = (h @ W2_dot + h_dot @ W2 - y_dot) * 0.25
    dy = -dsubtract_1
    dh_1 = dsubtract @ W2_dot.T + dsubtract_1 @ W2.T
    dW2 = h_dot.T @ dsubtract + h.T @ dsubtract_1

    # programs.py:3: h = np.tanh(x @ W1 + b1)
    dadd_1 = -2.0 * (add_dot * dh) * h / cosh / cosh + dh_1 / cosh / cosh
    db1 = np.add.reduce(dadd_1, axis=0)
    dx = dadd @ W1_dot.T + dadd_1 @ W1.T
    dW1 = x_dot.T @ dadd + x.T @ dadd_1
    return dW1, db1, dW2, dx, dy
