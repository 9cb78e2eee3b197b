"""two_layers, traced at loop_programs.py:1, for W: float64[3, 3], x: float64[6, 3]"""

import numpy as np

H = np.zeros(3)


def forward(W, x):
    h = H
    hs = []
    hs_1 = []
    for t in range(6):
        hs_1.append(h)
        # loop_programs.py:5: h = np.tanh(W @ h + x[t])
        h = np.tanh(W @ h + x[t])
        hs.append(h)
    g = H
    gs = []
    gs_1 = []
    for h_1 in hs:
        gs.append(g)
        # loop_programs.py:9: g = np.tanh(W @ g - h)
        g = np.tanh(W @ g - h_1)
        gs_1.append(g)

    # loop_programs.py:10: return np.sum(g)
    out = np.add.reduce(g, axis=None)
    return out, (W, hs_1, hs, gs, gs_1)


def backward(saved, dout):
    W, hs_1, hs_2, gs, gs_1 = saved

    # loop_programs.py:10: return np.sum(g)
    dg = np.broadcast_to(dout, (3,))
    dW = np.zeros((3, 3))
    dW_1 = dW.copy()
    dhs = []
    for g_1, g_2 in zip(reversed(gs), reversed(gs_1), strict=True):
        # loop_programs.py:9: g = np.tanh(W @ g - h)
        dsubtract = dg * (1.0 - g_2 * g_2)
        dh = -dsubtract
        dg = W.T @ dsubtract
        dW_1 += dsubtract[:, None] * g_1
        dhs.append(dh)
    dhs.reverse()
    dh_1 = np.zeros(3)
    dx = np.zeros((6, 3))
    dW_2 = dW.copy()
    for t, h_2, h_3, dh_2 in zip(
        reversed(range(6)), reversed(hs_1), reversed(hs_2), reversed(dhs), strict=True
    ):
        # loop_programs.py:5: h = np.tanh(W @ h + x[t])
        dh_1 += dh_2
        dadd = dh_1 * (1.0 - h_3 * h_3)
        dx[t] = dadd
        dh_1 = W.T @ dadd
        dW_2 += dadd[:, None] * h_2

    # loop_programs.py:5: h = np.tanh(W @ h + x[t])
    dW_1 += dW_2
    return dW_1, dx
