"""elements, traced at programs.py:1, for x: float64[3], W: float64[2, 2]"""

import numpy as np


def forward(x, W):
    # programs.py:3: return (x[1] - x[0] ** 2) ** 2 * W[0, 1] + x[0] * x[-1]
    x_0 = x[0]
    subtract = x[1] - x_0 * x_0
    multiply = subtract * subtract
    W_0_1 = W[0, 1]
    x_last = x[-1]
    out = multiply * W_0_1 + x_0 * x_last
    return out, (x_0, subtract, multiply, W_0_1, x_last)


def backward(saved, dout):
    x_0, subtract, multiply, W_0_1, x_last = saved

    # programs.py:3: return (x[1] - x[0] ** 2) ** 2 * W[0, 1] + x[0] * x[-1]
    dx = np.zeros(3)
    dx[-1] = dout * x_0
    dx[0] = dout * x_last
    dW = np.zeros((2, 2))
    dW[0, 1] = dout * multiply
    dsubtract = 2.0 * (dout * W_0_1) * subtract
    dx[0] -= 2.0 * dsubtract * x_0
    dx[1] = dsubtract
    return dx, dW
