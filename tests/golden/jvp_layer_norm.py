"""layer_norm, traced at programs.py:1, for x: float64[4, 4], gain: float64[4],
bias: float64[4], x_dot: float64[4, 4], gain_dot: float64[4], bias_dot: float64[4]
"""

import numpy as np


def forward(x, gain, bias, x_dot, gain_dot, bias_dot):
    # programs.py:3: mean = x.mean(axis=-1, keepdims=True)
    mean = np.add.reduce(x, axis=-1, keepdims=True) / 4

    # programs.py:4: centred = x - mean
    centred = x - mean

    # programs.py:5: var = (centred * centred).mean(axis=-1, keepdims=True)
    var = np.add.reduce(centred * centred, axis=-1, keepdims=True) / 4

    # programs.py:6: return centred / np.sqrt(var + 1e-5) * gain + bias
    sqrt = np.sqrt(var + 1e-05)
    divide = centred / sqrt
    out = divide * gain + bias

    # programs.py:3: mean = x.mean(axis=-1, keepdims=True)
    sum_1 = np.add.reduce(x_dot, axis=1, keepdims=True)

    # programs.py:4: centred = x - mean
    centred_dot = x_dot + sum_1 / -4

    # programs.py:5: var = (centred * centred).mean(axis=-1, keepdims=True)
    var_dot = np.add.reduce(2.0 * (centred_dot * centred), axis=1, keepdims=True) / 4

    # programs.py:6: return centred / np.sqrt(var + 1e-5) * gain + bias
    multiply = (-(var_dot / sqrt * 0.5 * divide) / sqrt + centred_dot / sqrt) * gain
    out_dot = gain_dot * divide + multiply + bias_dot
    return out, out_dot
