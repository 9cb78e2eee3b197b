"""rosenbrock_loop, traced at loop_programs.py:1, for x: float64[20]"""

import numpy as np


def forward(x):
    s = np.float64(0.0)
    getitems = []
    ds = []
    subtracts = []
    for i in range(19):
        # loop_programs.py:5: d = x[i + 1] - x[i] ** 2
        part = x[i]
        d = x[i + 1] - part * part

        # loop_programs.py:6: s = s + 100.0 * d**2 + (1 - x[i]) ** 2
        subtract = 1 - part
        s = s + 100.0 * (d * d) + subtract * subtract
        getitems.append(part)
        ds.append(d)
        subtracts.append(subtract)
    return s, (getitems, ds, subtracts)


def backward(saved, ds_1):
    getitems, ds, subtracts = saved
    dx = np.zeros(20)
    for i, getitem, d_1, subtract_1 in zip(
        reversed(range(19)),
        reversed(getitems),
        reversed(ds),
        reversed(subtracts),
        strict=True,
    ):
        # loop_programs.py:6: s = s + 100.0 * d**2 + (1 - x[i]) ** 2
        dx[i] -= 2.0 * ds_1 * subtract_1
        dd = 200.0 * ds_1 * d_1

        # loop_programs.py:5: d = x[i + 1] - x[i] ** 2
        dx[i] -= 2.0 * dd * getitem
        dx[i + 1] += dd
    return dx
