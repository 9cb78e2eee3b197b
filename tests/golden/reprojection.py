"""reprojection, traced at programs.py:1, for w: float64[3], X: float64[3], t:
float64[3], focal: float, seen: float64[2]
"""

import math

import numpy as np


def forward_on_floats(w, X, t, focal, seen):
    """On Python's floats; where one of these raises, `forward` runs."""
    # programs.py:3: p = X + np.cross(w, X) + t
    X_0, X_1, X_2 = X.tolist()
    w_0, w_1, w_2 = w.tolist()
    t_0, t_1, t_2 = t.tolist()
    p_0 = X_0 + (w_1 * X_2 - w_2 * X_1) + t_0
    p_1 = X_1 + (w_2 * X_0 - w_0 * X_2) + t_1
    p_2 = X_2 + (w_0 * X_1 - w_1 * X_0) + t_2

    # programs.py:4: e = focal * np.stack([p[0] / p[2], p[1] / p[2]]) - seen
    divide = p_0 / p_2
    divide_1 = p_1 / p_2
    seen_0, seen_1 = seen.tolist()
    e_0 = focal * divide - seen_0
    e_1 = focal * divide_1 - seen_1

    # programs.py:5: return e @ e + np.linalg.norm(w)
    sqrt = math.sqrt(w_0 * w_0 + w_1 * w_1 + w_2 * w_2)
    out = e_0 * e_0 + e_1 * e_1 + sqrt
    if not math.isfinite(p_2 + out):
        raise OverflowError
    return np.float64(out), (w, X, focal, p_2, divide, divide_1, [e_0, e_1], sqrt)


def backward_on_floats(saved, dout):
    """On Python's floats; where one of these raises, `backward` runs."""
    w, X, focal, p_2, divide, divide_1, e, sqrt = saved
    e_0, e_1 = e

    # programs.py:5: return e @ e + np.linalg.norm(w)
    dout = float(dout)
    divide_2 = dout / (1.0 if sqrt == 0.0 else np.nan if math.isinf(sqrt) else sqrt)
    w_0, w_1, w_2 = w.tolist()
    multiply = w_0 * divide_2
    multiply_1 = w_1 * divide_2
    multiply_2 = w_2 * divide_2
    de_0 = 2.0 * (dout * e_0)
    de_1 = 2.0 * (dout * e_1)

    # programs.py:4: e = focal * np.stack([p[0] / p[2], p[1] / p[2]]) - seen
    dseen_0 = -de_0
    dseen_1 = -de_1
    dgetitem = de_1 * focal / p_2
    dgetitem_1 = de_0 * focal / p_2
    dp_2 = -(dgetitem * divide_1) - dgetitem_1 * divide

    # programs.py:3: p = X + np.cross(w, X) + t
    X_0, X_1, X_2 = X.tolist()
    dw_0 = multiply + (X_1 * dp_2 - X_2 * dgetitem)
    dw_1 = multiply_1 + (X_2 * dgetitem_1 - X_0 * dp_2)
    dw_2 = multiply_2 + (X_0 * dgetitem - X_1 * dgetitem_1)
    dX_0 = dgetitem_1 + (dgetitem * w_2 - dp_2 * w_1)
    dX_1 = dgetitem + (dp_2 * w_0 - dgetitem_1 * w_2)
    dX_2 = dp_2 + (dgetitem_1 * w_1 - dgetitem * w_0)
    if not math.isfinite(dw_0 + dw_1 + dw_2 + dX_0 + dX_1 + dX_2):
        raise OverflowError
    return (
        np.array([dw_0, dw_1, dw_2]),
        np.array([dX_0, dX_1, dX_2]),
        np.array([dgetitem_1, dgetitem, dp_2]),
        np.array([dseen_0, dseen_1]),
    )


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
    return out, (
        w,
        X,
        focal,
        float(p_2),
        float(divide),
        float(divide_1),
        e.tolist(),
        float(norm),
    )


def backward(saved, dout):
    w, X, focal, p_2, divide, divide_1, e, norm = saved
    p_2 = np.float64(p_2)
    divide = np.float64(divide)
    divide_1 = np.float64(divide_1)
    e = np.array(e)
    norm = np.float64(norm)

    # programs.py:5: return e @ e + np.linalg.norm(w)
    divide_2 = dout / np.where(norm == 0, 1.0, np.where(np.isinf(norm), np.nan, norm))
    multiply = w * divide_2
    de = 2.0 * (dout * e)

    # programs.py:4: e = focal * np.stack([p[0] / p[2], p[1] / p[2]]) - seen
    dseen = -de
    dstack = de * focal
    dgetitem = dstack[1] / p_2
    dp = np.zeros(3)
    dp[2] = -(dgetitem * divide_1)
    dp[1] = dgetitem
    dgetitem_1 = dstack[0] / p_2
    dp[2] -= dgetitem_1 * divide
    dp[0] = dgetitem_1

    # programs.py:3: p = X + np.cross(w, X) + t
    dw = multiply + np.cross(X, dp, axisa=-1, axisb=-1, axisc=-1)
    dX = dp + np.cross(dp, w, axisa=-1, axisb=-1, axisc=-1)
    return dw, dX, dp, dseen
