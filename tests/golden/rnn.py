"""rnn, traced at programs.py:1, for xs: float64[4, 3], W: float64[3, 4], U:
float64[4, 4], h: float64[4]
"""

import numpy as np


def forward(xs, W, U, h):
    # programs.py:3: for x in xs:
    xs_0 = xs[0]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_1 = np.tanh(xs_0 @ W + h @ U)

    # programs.py:3: for x in xs:
    xs_1 = xs[1]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_2 = np.tanh(xs_1 @ W + h_1 @ U)

    # programs.py:3: for x in xs:
    xs_2 = xs[2]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_3 = np.tanh(xs_2 @ W + h_2 @ U)

    # programs.py:3: for x in xs:
    xs_3 = xs[3]

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    h_4 = np.tanh(xs_3 @ W + h_3 @ U)
    return h_4, (xs, W, U, h, h_1, h_2, h_3, h_4)


def backward(saved, dh):
    xs, W, U, h, h_1, h_2, h_3, h_4 = saved

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    dadd = dh * (1.0 - h_4 * h_4)
    dh_1 = dadd @ U.T
    dgetitem = dadd @ W.T

    # programs.py:3: for x in xs:
    dxs = np.zeros((4, 3))
    dxs[3] = dgetitem

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    dadd_1 = dh_1 * (1.0 - h_3 * h_3)
    dh_2 = dadd_1 @ U.T
    dgetitem_1 = dadd_1 @ W.T

    # programs.py:3: for x in xs:
    dxs[2] += dgetitem_1

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    dadd_2 = dh_2 * (1.0 - h_2 * h_2)
    dh_3 = dadd_2 @ U.T
    dgetitem_2 = dadd_2 @ W.T

    # programs.py:3: for x in xs:
    dxs[1] += dgetitem_2

    # programs.py:4: h = np.tanh(x @ W + h @ U)
    dadd_3 = dh_3 * (1.0 - h_1 * h_1)
    dh_4 = dadd_3 @ U.T
    add = h_3[:, None] * dadd + h_2[:, None] * dadd_1 + h_1[:, None] * dadd_2
    dU = add + h[:, None] * dadd_3
    dgetitem_3 = dadd_3 @ W.T
    add_1 = xs[3][:, None] * dadd + xs[2][:, None] * dadd_1 + xs[1][:, None] * dadd_2
    dW = add_1 + xs[0][:, None] * dadd_3

    # programs.py:3: for x in xs:
    dxs[0] += dgetitem_3
    return dxs, dW, dU, dh_4
