"""in_place_on_locals, traced at programs.py:1, for x: float64[3]"""

import numpy as np


def forward(x):
    # programs.py:3: h = x * 2.0
    h = x * 2.0

    # programs.py:4: h += 1.0
    h += 1.0

    # programs.py:5: h[0] = x[1] * x[2]
    x_1 = x[1]
    x_2 = x[2]
    h[0] = x_1 * x_2

    # programs.py:6: h[1:] *= 3.0
    h[1:] *= 3.0

    # programs.py:7: return np.sum(h * h)
    out = np.add.reduce(h * h, axis=None)
    return out, (x_1, x_2, h)


def backward(saved, dout):
    x_1, x_2, h = saved

    # programs.py:7: return np.sum(h * h)
    dh = 2.0 * (dout * h)

    # programs.py:6: h[1:] *= 3.0
    dh[1:] *= 3.0

    # programs.py:5: h[0] = x[1] * x[2]
    dmultiply = dh[0]
    dh[0] = 0
    scattered = np.zeros(3)
    scattered[2] = dmultiply * x_1
    scattered[1] = dmultiply * x_2

    # programs.py:3: h = x * 2.0
    return scattered + dh * 2.0
