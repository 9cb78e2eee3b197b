"""softmax, traced at programs.py:1, for x: float64[4, 4], x_dot: float64[4, 4]"""

import numpy as np


def forward(x, x_dot):
    # programs.py:3: e = np.exp(x - x.max(axis=-1, keepdims=True))
    max_1 = np.maximum.reduce(x, axis=-1, keepdims=True)
    e = np.exp(x - max_1)

    # programs.py:4: return e / e.sum(axis=-1, keepdims=True)
    sum_1 = np.add.reduce(e, axis=-1, keepdims=True)
    out = e / sum_1

    # programs.py:3: e = np.exp(x - x.max(axis=-1, keepdims=True))
    equal = x == max_1
    sum_2 = np.add.reduce(equal, axis=-1, dtype=np.float64, keepdims=True)
    sum_3 = np.add.reduce(np.where(equal, x_dot, 0.0), axis=1, keepdims=True)
    e_dot = (x_dot - sum_3 / np.maximum(sum_2, 1.0)) * e

    # programs.py:4: return e / e.sum(axis=-1, keepdims=True)
    divide = np.add.reduce(e_dot, axis=1, keepdims=True) * out / sum_1
    out_dot = e_dot / sum_1 - divide
    return out, out_dot
