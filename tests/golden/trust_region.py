"""trust_region, traced at programs.py:1, for x: float64[3], radius: float"""

import numpy as np


def forward(x, radius):
    # programs.py:3: size = np.sqrt(x @ x)
    size = np.sqrt(x @ x)

    # programs.py:4: if size < radius:
    if not size < radius:
        return "programs.py:4: bool of `size < radius` was True"

    # programs.py:5: return x * 1.0
    out = x * 1.0
    return out, ()


def backward(saved, dout):
    return np.copy(dout)
