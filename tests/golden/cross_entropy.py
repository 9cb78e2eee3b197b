"""cross_entropy, traced at programs.py:1, for logits: float64[4, 5], labels:
int64[4]
"""

import numpy as np

C1 = np.arange(4)


def forward(logits, labels):
    # programs.py:3: shifted = logits - np.max(logits, axis=1, keepdims=True)
    shifted = logits - np.maximum.reduce(logits, axis=1, keepdims=True)

    # programs.py:4: log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keep ...
    exp = np.exp(shifted)
    sum_1 = np.add.reduce(exp, axis=1, keepdims=True)
    log_p = shifted - np.log(sum_1)

    # programs.py:5: return -np.mean(log_p[np.arange(4), labels])
    out = -np.add.reduce(log_p[C1, labels], axis=None) / 4
    return out, (labels, exp, sum_1)


def backward(saved, dout):
    labels, exp, sum_1 = saved

    # programs.py:5: return -np.mean(log_p[np.arange(4), labels])
    divide = -dout / 4
    dlog_p = np.zeros((4, 5))
    np.add.at(
        dlog_p.reshape(-1),
        np.ravel_multi_index((C1, labels), (4, 5), mode="wrap"),
        divide,
    )

    # programs.py:4: log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keep ...
    return dlog_p - np.add.reduce(dlog_p, axis=1, keepdims=True) / sum_1 * exp
