"""reprojection, traced at programs.py:1, for w: float64[3], X: float64[3], t:
float64[3], focal: float, seen: float64[2]
"""

import numpy as np


def forward(w, X, t, focal, seen):
    # programs.py:3: p = X + np.cross(w, X) + t
    p = X + np.cross(w, X) + t

    # programs.py:4: e = focal * np.stack([p[0] / p[2], p[1] / p[2]]) - seen
    p_2 = p[2]
    divide = p[0] / p_2
    divide_1 = p[1] / p_2
    e = focal * np.stack([divide, divide_1]) - seen

    # programs.py:5: return e @ e + np.linalg.norm(w)
    norm = np.linalg.norm(w)
    out = e @ e + norm
    return out, (w, X, focal, p_2, divide, divide_1, e, norm)


def backward(saved, dout):
    w, X, focal, p_2, divide, divide_1, e, norm = saved

    # programs.py:5: return e @ e + np.linalg.norm(w)
    divide_2 = dout / np.where(norm == 0, 1.0, np.where(np.isinf(norm), np.nan, norm))
    multiply = w * divide_2
    de = 2.0 * dout * e

    # programs.py:4: e = focal * np.stack([p[0] / p[2], p[1] / p[2]]) - seen
    dseen = -de
    dstack = de * focal
    dgetitem = dstack[1] / p_2
    dp = np.zeros(3)
    dp[2] = -(dgetitem * divide_1)
    dp[1] += dgetitem
    dgetitem_1 = dstack[0] / p_2
    dp[2] -= dgetitem_1 * divide
    dp[0] += dgetitem_1

    # programs.py:3: p = X + np.cross(w, X) + t
    dw = multiply + np.cross(X, dp, axisa=-1, axisb=-1, axisc=-1)
    dX = dp + np.cross(dp, w, axisa=-1, axisb=-1, axisc=-1)
    return dw, dX, dp, dseen
