"""rnn, traced at programs.py:1, for xs: float64[4, 3], W: float64[3, 4], U:
float64[4, 4], h: float64[4], xs_dot: float64[4, 3], W_dot: float64[3, 4], U_dot:
float64[4, 4], h_dot: float64[4]
"""

import numpy as np


def forward(xs, W, U, h, xs_dot, W_dot, U_dot, h_dot):
    for i in range(4):
        # programs.py:3: for x in xs:
        x = xs[i]

        # programs.py:4: h = np.tanh(x @ W + h @ U)
        add = x @ W + h @ U
        h_1 = np.tanh(add)
        cosh = np.cosh(np.minimum(np.abs(add), 709.0))

        # programs.py:3: for x in xs:
        x_dot = xs_dot[i]

        # programs.py:4: h = np.tanh(x @ W + h @ U)
        h_dot = (x @ W_dot + x_dot @ W + h @ U_dot + h_dot @ U) * (1.0 / cosh / cosh)
        h = h_1
    return h, h_dot
