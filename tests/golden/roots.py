"""roots, traced at loop_programs.py:1, for a: float64[3]"""

import numpy as np


def forward(a):
    # loop_programs.py:3: a = a + 2.0
    a_1 = a + 2.0

    # loop_programs.py:4: x = a * 0.5
    x = a_1 * 0.5
    step = x
    x_1 = x
    xs = []
    multiplys = []
    steps = []

    # loop_programs.py:6: while np.max(np.abs(step)) > 1e-9:
    while np.maximum.reduce(np.abs(step), axis=None) > 1e-09:
        xs.append(x_1)

        # loop_programs.py:7: step = (x * x - a) / (2.0 * x)
        multiply = 2.0 * x_1
        step = (x_1 * x_1 - a_1) / multiply

        # loop_programs.py:8: x = x - step
        x_1 = x_1 - step
        multiplys.append(multiply)
        steps.append(step)

    # loop_programs.py:9: return np.sum(x)
    out = np.add.reduce(x_1, axis=None)
    return out, (xs, multiplys, steps)


def backward(saved, dout):
    xs, multiplys, steps = saved

    # loop_programs.py:9: return np.sum(x)
    dx = np.broadcast_to(dout, (3,))
    da = np.zeros(3)
    for x_2, multiply_1, step_1 in zip(
        reversed(xs), reversed(multiplys), reversed(steps), strict=True
    ):
        # loop_programs.py:7: step = (x * x - a) / (2.0 * x)
        divide = dx / multiply_1
        dx = dx + divide * step_1 * 2.0 - 2.0 * (divide * x_2)
        da += divide

    # loop_programs.py:4: x = a * 0.5
    da += dx * 0.5
    return da
