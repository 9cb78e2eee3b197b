"""huber, traced at branch_programs.py:1, for w: float64[3], X: float64[40, 3], y:
float64[40], delta: float
"""

import numpy as np


def forward(w, X, y, delta):
    total = np.float64(0.0)
    rs = []
    less_equals = []
    for i in range(40):
        # branch_programs.py:4: r = y[i] - X[i] @ w
        r = y[i] - X[i] @ w

        # branch_programs.py:5: a = abs(r)
        a = np.abs(r)

        # branch_programs.py:6: if a <= delta:
        less_equal = a <= delta
        if less_equal:
            # branch_programs.py:7: loss = 0.5 * r * r
            loss = 0.5 * r * r

            # branch_programs.py:8: total = total + loss
            total = total + loss
        else:
            # branch_programs.py:10: total = total + delta * (a - 0.5 * delta)
            total = total + delta * (a - 0.5 * delta)
        rs.append(r)
        less_equals.append(less_equal)

    # branch_programs.py:11: return total / 40
    out = total / 40
    dw = np.zeros(3)
    for i, r_1, less_equal_1 in zip(
        reversed(range(40)), reversed(rs), reversed(less_equals), strict=True
    ):
        # branch_programs.py:6: if a <= delta:
        if less_equal_1:
            # branch_programs.py:7: loss = 0.5 * r * r
            dr = np.float64(0.025) * (0.5 * r_1) + np.float64(0.025) * r_1 * 0.5
        else:
            # branch_programs.py:10: total = total + delta * (a - 0.5 * delta)
            da = np.float64(0.025) * delta

            # branch_programs.py:5: a = abs(r)
            dr = da * np.sign(r_1)

        # branch_programs.py:4: r = y[i] - X[i] @ w
        part = X[i]
        dw -= dr * part
    return out, dw
