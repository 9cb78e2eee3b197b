"""huber, traced at branch_programs.py:1, for w: float64[3], X: float64[40, 3], y:
float64[40], delta: float
"""

import numpy as np


def forward(w, X, y, delta):
    dw = np.zeros(3)
    total = np.float64(0.0)
    for i in range(40):
        # branch_programs.py:4: r = y[i] - X[i] @ w
        part = X[i]
        r = y[i] - part @ w

        # branch_programs.py:5: a = abs(r)
        a = np.abs(r)

        # branch_programs.py:6: if a <= delta:
        if a <= delta:
            # branch_programs.py:7: loss = 0.5 * r * r
            loss = 0.5 * r * r

            # branch_programs.py:8: total = total + loss
            total = total + loss

            # branch_programs.py:7: loss = 0.5 * r * r
            dr = 0.025 * r
        else:
            # branch_programs.py:10: total = total + delta * (a - 0.5 * delta)
            total = total + delta * (a - 0.5 * delta)
            da = np.float64(0.025) * delta

            # branch_programs.py:5: a = abs(r)
            dr = da * np.sign(r)

        # branch_programs.py:4: r = y[i] - X[i] @ w
        dw -= dr * part

    # branch_programs.py:11: return total / 40
    out = total / 40
    return out, dw
