"""softmax, traced at programs.py:1, for x: float64[4, 4]"""

import numpy as np


def forward(x):
    # programs.py:3: e = np.exp(x - x.max(axis=-1, keepdims=True))
    e = np.exp(x - np.maximum.reduce(x, axis=-1, keepdims=True))

    # programs.py:4: return e / e.sum(axis=-1, keepdims=True)
    sum_1 = np.add.reduce(e, axis=-1, keepdims=True)
    out = e / sum_1
    return out, (e, sum_1, out)


def backward(saved, dout):
    e, sum_1, out = saved

    # programs.py:4: return e / e.sum(axis=-1, keepdims=True)
    divide = dout / sum_1
    de = divide - np.add.reduce(divide * out, axis=1, keepdims=True)

    # programs.py:3: e = np.exp(x - x.max(axis=-1, keepdims=True))
    return de * e
