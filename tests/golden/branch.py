"""branch, traced at programs.py:1, for x: float64[4]"""

import numpy as np


def forward(x):
    # programs.py:3: if x.sum() > 0:
    if not np.add.reduce(x, axis=None) > 0:
        return "programs.py:3: bool of `x.sum() > 0` was True"

    # programs.py:4: return x * 2.0
    out = x * 2.0
    return out, ()


def backward(saved, dout):
    # programs.py:4: return x * 2.0
    return dout * 2.0
