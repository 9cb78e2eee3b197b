"""numbers, traced at programs.py:1, for t: float, s: float64[]"""

import numpy as np


def forward(t, s):
    # programs.py:3: return t * t, s + t, np.sin(t), t**2 * s, -t, abs(s), t / 3
    out = t * t
    out_1 = s + t
    out_2 = np.sin(t)
    pow_1 = t**2
    out_3 = pow_1 * s
    out_4 = -t
    out_5 = np.abs(s)
    out_6 = t / 3
    return (out, out_1, out_2, out_3, out_4, out_5, out_6), (s, pow_1)


def backward(saved, dout, dout_1, dout_2):
    s, pow_1 = saved

    # programs.py:3: return t * t, s + t, np.sin(t), t**2 * s, -t, abs(s), t / 3
    return dout_2 * np.sign(s) + dout_1 * pow_1 + dout
