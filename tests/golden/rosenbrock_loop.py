"""rosenbrock_loop, traced at loop_programs.py:1, for x: float64[20]"""

import math

import numpy as np


def forward_on_floats(x):
    """On Python's floats; where one of these raises, `forward` runs."""
    x = x.tolist()
    s = 0.0
    getitems = []
    ds = []
    subtracts = []
    for i in range(19):
        # loop_programs.py:5: d = x[i + 1] - x[i] ** 2
        part = x[i]
        d = x[i + 1] - part * part

        # loop_programs.py:6: s = s + 100.0 * d**2 + (1 - x[i]) ** 2
        subtract = 1.0 - part
        s = s + 100.0 * (d * d) + subtract * subtract
        getitems.append(part)
        ds.append(d)
        subtracts.append(subtract)
    if not math.isfinite(s):
        raise OverflowError
    return np.float64(s), (getitems, ds, subtracts)


def backward_on_floats(saved, ds_1):
    """On Python's floats; where one of these raises, `backward` runs."""
    getitems, ds, subtracts = saved
    dx = [0.0] * 20
    ds_1 = float(ds_1)
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
    if not math.isfinite(sum(dx)):
        raise OverflowError
    return np.array(dx)


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
    return s, (
        list(map(float, getitems)),
        list(map(float, ds)),
        list(map(float, subtracts)),
    )


def backward(saved, ds_1):
    getitems, ds, subtracts = saved
    getitems = list(map(np.float64, getitems))
    ds = list(map(np.float64, ds))
    subtracts = list(map(np.float64, subtracts))
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
