"""branch, traced at programs.py:1, for x: float64[4]"""

import numpy as np


def forward(x):
    # programs.py:3: if x.sum() > 0:
    greater = np.add.reduce(x, axis=None) > 0
    if greater:
        # programs.py:4: return x * 2.0
        out = x * 2.0
    else:
        # programs.py:5: return -x
        out = -x
    return out, (greater,)


def backward(saved, dout):
    (greater,) = saved

    # programs.py:3: if x.sum() > 0:
    if greater:
        # programs.py:4: return x * 2.0
        dx = dout * 2.0
    else:
        # programs.py:5: return -x
        dx = -dout
    return dx
