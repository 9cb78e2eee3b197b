"""rosenbrock, traced at programs.py:1, for x: float64[4]"""

import numpy as np


def forward(x):
    # programs.py:3: return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[: ...
    part = x[:-1]
    subtract = x[1:] - part * part
    subtract_1 = 1.0 - part
    add = 100.0 * (subtract * subtract) + subtract_1 * subtract_1
    out = np.add.reduce(add, axis=None)
    dx = np.zeros(4)
    dx[:-1] = -2.0 * subtract_1
    dsubtract = 200.0 * subtract
    dx[:-1] -= 2.0 * dsubtract * part
    dx[1:] += dsubtract
    return out, dx
