"""log_sum_exp, traced at programs.py:1, for x: float64[4]"""

import numpy as np


def forward(x):
    # programs.py:3: m = np.max(x)
    m = np.maximum.reduce(x, axis=None)

    # programs.py:4: return m + np.log(np.sum(np.exp(x - m)))
    exp = np.exp(x - m)
    sum_1 = np.add.reduce(exp, axis=None)
    out = m + np.log(sum_1)
    return out, (exp, sum_1)


def backward(saved, dout):
    exp, sum_1 = saved

    # programs.py:4: return m + np.log(np.sum(np.exp(x - m)))
    return dout / sum_1 * exp
