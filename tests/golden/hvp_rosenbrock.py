"""rosenbrock, traced at programs.py:1, for x: float64[4], x_dot: float64[4]"""

import numpy as np


def forward(x, x_dot):
    # programs.py:3: return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[: ...
    part = x[:-1]
    getitem_dot = x_dot[:-1]
    dsubtract = (x_dot[1:] - 2.0 * (getitem_dot * part)) * 200.0
    dx = np.zeros(4)
    dx[:-1] = 2.0 * getitem_dot
    dx[:-1] += getitem_dot * (-400.0 * (x[1:] - part * part)) - 2.0 * dsubtract * part
    dx[1:] += dsubtract
    return dx
