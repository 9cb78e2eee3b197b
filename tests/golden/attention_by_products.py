"""attention_by_products, traced at programs.py:1, for q: float64[2, 4, 3], k:
float64[2, 4, 3], v: float64[2, 4, 3]
"""

import numpy as np


def forward(q, k, v):
    # programs.py:3: scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = q @ k.swapaxes(-1, -2) / 1.7320508075688772

    # programs.py:4: weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = np.exp(scores - np.maximum.reduce(scores, axis=-1, keepdims=True))

    # programs.py:5: weights = weights / weights.sum(axis=-1, keepdims=True)
    sum_1 = np.add.reduce(weights, axis=-1, keepdims=True)
    weights_1 = weights / sum_1

    # programs.py:6: return weights @ v
    out = weights_1 @ v
    return out, (q, k, v, weights, sum_1, weights_1)


def backward(saved, dout):
    q, k, v, weights, sum_1, weights_1 = saved

    # programs.py:6: return weights @ v
    dweights = dout @ v.swapaxes(-1, -2)
    dv = weights_1.swapaxes(-1, -2) @ dout

    # programs.py:5: weights = weights / weights.sum(axis=-1, keepdims=True)
    divide = dweights / sum_1
    dweights_1 = divide - np.add.reduce(divide * weights_1, axis=2, keepdims=True)

    # programs.py:4: weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    dscores = dweights_1 * weights

    # programs.py:3: scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    dmatmul = dscores / 1.7320508075688772
    dq = dmatmul @ k
    dk = dmatmul.swapaxes(-1, -2) @ q
    return dq, dk, dv
