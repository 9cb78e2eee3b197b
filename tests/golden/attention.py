"""attention, traced at programs.py:1, for q: float64[2, 4, 3], k: float64[2, 4,
3], v: float64[2, 4, 3]
"""

import numpy as np


def forward(q, k, v):
    # programs.py:3: scores = np.einsum("bid,bjd->bij", q, k) / np.sqrt(q.shape[-1])
    scores = np.einsum("bid,bjd->bij", q, k) / 1.7320508075688772

    # programs.py:4: weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = np.exp(scores - np.maximum.reduce(scores, axis=-1, keepdims=True))

    # programs.py:5: weights = weights / weights.sum(axis=-1, keepdims=True)
    sum_1 = np.add.reduce(weights, axis=-1, keepdims=True)
    weights_1 = weights / sum_1

    # programs.py:6: return np.einsum("bij,bjd->bid", weights, v)
    out = np.einsum("bij,bjd->bid", weights_1, v)
    return out, (q, k, v, weights, sum_1, weights_1)


def backward(saved, dout):
    q, k, v, weights, sum_1, weights_1 = saved

    # programs.py:6: return np.einsum("bij,bjd->bid", weights, v)
    dweights = np.einsum("bid,bjd->bij", dout, v)
    dv = np.einsum("bij,bid->bjd", weights_1, dout)

    # programs.py:5: weights = weights / weights.sum(axis=-1, keepdims=True)
    divide = dweights / sum_1
    dweights_1 = divide - np.add.reduce(divide * weights_1, axis=2, keepdims=True)

    # programs.py:4: weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    dscores = dweights_1 * weights

    # programs.py:3: scores = np.einsum("bid,bjd->bij", q, k) / np.sqrt(q.shape[-1])
    deinsum = dscores / 1.7320508075688772
    dq = np.einsum("bij,bjd->bid", deinsum, k)
    dk = np.einsum("bid,bij->bjd", q, deinsum)
    return dq, dk, dv
