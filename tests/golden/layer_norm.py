"""layer_norm, traced at programs.py:1, for x: float64[4, 4], gain: float64[4],
bias: float64[4]
"""

import numpy as np


def forward(x, gain, bias):
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
    return out, (gain, centred, sqrt, divide)


def backward(saved, dout):
    gain, centred, sqrt, divide = saved

    # programs.py:6: return centred / np.sqrt(var + 1e-5) * gain + bias
    dbias = np.add.reduce(dout, axis=0)
    dgain = np.add.reduce(dout * divide, axis=0)
    divide_1 = dout * gain / sqrt
    dvar = 0.5 * np.add.reduce(-(divide_1 * divide), axis=1, keepdims=True) / sqrt

    # programs.py:5: var = (centred * centred).mean(axis=-1, keepdims=True)
    multiply = dvar / 4 * centred
    dcentred = divide_1 + multiply + multiply

    # programs.py:3: mean = x.mean(axis=-1, keepdims=True)
    dx = dcentred - np.add.reduce(dcentred, axis=1, keepdims=True) / 4
    return dx, dgain, dbias
