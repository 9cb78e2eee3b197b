"""cross_entropy, traced at programs.py:1, for logits: float64[4, 5], labels:
int64[4], logits_dot: float64[4, 5]
"""

import numpy as np

C1 = np.arange(4)


def forward(logits, labels, logits_dot):
    # programs.py:3: shifted = logits - np.max(logits, axis=1, keepdims=True)
    max_1 = np.maximum.reduce(logits, axis=1, keepdims=True)
    shifted = logits - max_1

    # programs.py:4: log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keep ...
    exp = np.exp(shifted)
    sum_1 = np.add.reduce(exp, axis=1, keepdims=True)
    log_p = shifted - np.log(sum_1)

    # programs.py:5: return -np.mean(log_p[np.arange(4), labels])
    out = -np.add.reduce(log_p[C1, labels], axis=None) / 4

    # programs.py:3: shifted = logits - np.max(logits, axis=1, keepdims=True)
    equal = logits == max_1
    sum_2 = np.add.reduce(equal, axis=1, dtype=np.float64, keepdims=True)
    sum_3 = np.add.reduce(np.where(equal, logits_dot, 0.0), axis=1, keepdims=True)
    shifted_dot = logits_dot - sum_3 / np.maximum(sum_2, 1.0)

    # programs.py:4: log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keep ...
    log_dot = np.add.reduce(shifted_dot * exp, axis=1, keepdims=True) / sum_1
    log_p_dot = shifted_dot - log_dot

    # programs.py:5: return -np.mean(log_p[np.arange(4), labels])
    out_dot = -np.add.reduce(log_p_dot[C1, labels], axis=0) / 4
    return out, out_dot
