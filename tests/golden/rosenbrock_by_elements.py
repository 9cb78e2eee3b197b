"""rosenbrock_by_elements, traced at programs.py:1, for x: float64[5]"""

import math

import numpy as np


def forward_on_floats(x):
    """On Python's floats; where one of these raises, `forward` runs."""
    # programs.py:5: total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 -  ...
    x_0, x_1, x_2, x_3, x_4 = x.tolist()
    subtract = x_1 - x_0 * x_0
    subtract_1 = 1.0 - x_0
    total = 0.0 + 100.0 * (subtract * subtract) + subtract_1 * subtract_1
    subtract_2 = x_2 - x_1 * x_1
    subtract_3 = 1.0 - x_1
    total_1 = total + 100.0 * (subtract_2 * subtract_2) + subtract_3 * subtract_3
    subtract_4 = x_3 - x_2 * x_2
    subtract_5 = 1.0 - x_2
    total_2 = total_1 + 100.0 * (subtract_4 * subtract_4) + subtract_5 * subtract_5
    subtract_6 = x_4 - x_3 * x_3
    subtract_7 = 1.0 - x_3
    total_3 = total_2 + 100.0 * (subtract_6 * subtract_6) + subtract_7 * subtract_7
    if not math.isfinite(total_3):
        raise OverflowError
    return np.float64(total_3), (
        x_1,
        x_0,
        subtract,
        subtract_1,
        x_2,
        subtract_2,
        subtract_3,
        x_3,
        subtract_4,
        subtract_5,
        subtract_6,
        subtract_7,
    )


def backward_on_floats(saved, dtotal):
    """On Python's floats; where one of these raises, `backward` runs."""
    (
        x_1,
        x_0,
        subtract,
        subtract_1,
        x_2,
        subtract_2,
        subtract_3,
        x_3,
        subtract_4,
        subtract_5,
        subtract_6,
        subtract_7,
    ) = saved

    # programs.py:5: total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 -  ...
    dtotal = float(dtotal)
    multiply = 2.0 * dtotal
    multiply_1 = 200.0 * dtotal
    dsubtract = multiply_1 * subtract_6
    dsubtract_1 = multiply_1 * subtract_4
    dx_3 = -(multiply * subtract_7) - 2.0 * dsubtract * x_3 + dsubtract_1
    dsubtract_2 = multiply_1 * subtract_2
    dx_2 = -(multiply * subtract_5) - 2.0 * dsubtract_1 * x_2 + dsubtract_2
    dsubtract_3 = multiply_1 * subtract
    dx_0 = -(multiply * subtract_1) - 2.0 * dsubtract_3 * x_0
    dx_1 = -(multiply * subtract_3) - 2.0 * dsubtract_2 * x_1 + dsubtract_3
    dx = [dx_0, dx_1, dx_2, dx_3, dsubtract]
    if not math.isfinite(sum(dx)):
        raise OverflowError
    return np.array(dx)


def forward(x):
    # programs.py:5: total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 -  ...
    x_1 = x[1]
    x_0 = x[0]
    subtract = x_1 - x_0 * x_0
    subtract_1 = 1.0 - x_0
    total = 0.0 + 100.0 * (subtract * subtract) + subtract_1 * subtract_1
    x_2 = x[2]
    subtract_2 = x_2 - x_1 * x_1
    subtract_3 = 1.0 - x_1
    total_1 = total + 100.0 * (subtract_2 * subtract_2) + subtract_3 * subtract_3
    x_3 = x[3]
    subtract_4 = x_3 - x_2 * x_2
    subtract_5 = 1.0 - x_2
    total_2 = total_1 + 100.0 * (subtract_4 * subtract_4) + subtract_5 * subtract_5
    subtract_6 = x[4] - x_3 * x_3
    subtract_7 = 1.0 - x_3
    total_3 = total_2 + 100.0 * (subtract_6 * subtract_6) + subtract_7 * subtract_7
    return total_3, (
        float(x_1),
        float(x_0),
        float(subtract),
        float(subtract_1),
        float(x_2),
        float(subtract_2),
        float(subtract_3),
        float(x_3),
        float(subtract_4),
        float(subtract_5),
        float(subtract_6),
        float(subtract_7),
    )


def backward(saved, dtotal):
    (
        x_1,
        x_0,
        subtract,
        subtract_1,
        x_2,
        subtract_2,
        subtract_3,
        x_3,
        subtract_4,
        subtract_5,
        subtract_6,
        subtract_7,
    ) = saved
    x_1 = np.float64(x_1)
    x_0 = np.float64(x_0)
    subtract = np.float64(subtract)
    subtract_1 = np.float64(subtract_1)
    x_2 = np.float64(x_2)
    subtract_2 = np.float64(subtract_2)
    subtract_3 = np.float64(subtract_3)
    x_3 = np.float64(x_3)
    subtract_4 = np.float64(subtract_4)
    subtract_5 = np.float64(subtract_5)
    subtract_6 = np.float64(subtract_6)
    subtract_7 = np.float64(subtract_7)

    # programs.py:5: total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 -  ...
    multiply = 2.0 * dtotal
    dx = np.zeros(5)
    dx[3] = -(multiply * subtract_7)
    multiply_1 = 200.0 * dtotal
    dsubtract = multiply_1 * subtract_6
    dx[3] -= 2.0 * dsubtract * x_3
    dx[4] = dsubtract
    dx[2] = -(multiply * subtract_5)
    dsubtract_1 = multiply_1 * subtract_4
    dx[2] -= 2.0 * dsubtract_1 * x_2
    dx[3] += dsubtract_1
    dx[1] = -(multiply * subtract_3)
    dsubtract_2 = multiply_1 * subtract_2
    dx[1] -= 2.0 * dsubtract_2 * x_1
    dx[2] += dsubtract_2
    dx[0] = -(multiply * subtract_1)
    dsubtract_3 = multiply_1 * subtract
    dx[0] -= 2.0 * dsubtract_3 * x_0
    dx[1] += dsubtract_3
    return dx
