"""rnn, traced at programs.py:1, for xs: float64[4, 3], W: float64[3, 4], U:
float64[4, 4], h: float64[4], xs_dot: float64[4, 3], W_dot: float64[3, 4], U_dot:
float64[4, 4], h_dot: float64[4]
"""

import numpy as np


def forward(xs, W, U, h, xs_dot, W_dot, U_dot, h_dot):
    # programs.py:3: for x in xs:
    x = xs[0]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_1 = np.tanh(x @ W + h @ U)

    # programs.py:3: for x in xs:
    x_1 = xs[1]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_2 = np.tanh(x_1 @ W + h_1 @ U)

    # programs.py:3: for x in xs:
    x_2 = xs[2]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_3 = np.tanh(x_2 @ W + h_2 @ U)

    # programs.py:3: for x in xs:
    x_3 = xs[3]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_4 = np.tanh(x_3 @ W + h_3 @ U)

    # programs.py:3: for x in xs:
    x_dot = xs_dot[0]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_dot_1 = (x @ W_dot + x_dot @ W + h @ U_dot + h_dot @ U) * (1.0 - h_1 * h_1)

    # programs.py:3: for x in xs:
    x_dot_1 = xs_dot[1]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    add_dot = x_1 @ W_dot + x_dot_1 @ W + h_1 @ U_dot + h_dot_1 @ U
    h_dot_2 = add_dot * (1.0 - h_2 * h_2)

    # programs.py:3: for x in xs:
    x_dot_2 = xs_dot[2]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    add_dot_1 = x_2 @ W_dot + x_dot_2 @ W + h_2 @ U_dot + h_dot_2 @ U
    h_dot_3 = add_dot_1 * (1.0 - h_3 * h_3)

    # programs.py:3: for x in xs:
    x_dot_3 = xs_dot[3]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    add_dot_2 = x_3 @ W_dot + x_dot_3 @ W + h_3 @ U_dot + h_dot_3 @ U
    h_dot_4 = add_dot_2 * (1.0 - h_4 * h_4)
    return h_4, h_dot_4
