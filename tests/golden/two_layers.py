"""two_layers, traced at loop_programs.py:1, for W: float64[3, 3], x: float64[6, 3]"""

import numpy as np

H = np.zeros(3)


def forward(W, x):
    h = H
    hs = []
    hs_1 = []
    adds = []
    for t in range(6):
        hs_1.append(h)
        # loop_programs.py:5: h = np.tanh(W @ h + x[t])
        add = W @ h + x[t]
        h = np.tanh(add)
        hs.append(h)
        adds.append(add)
    g = H
    gs = []
    subtracts = []
    for h_1 in hs:
        gs.append(g)
        # loop_programs.py:9: g = np.tanh(W @ g - h)
        subtract = W @ g - h_1
        g = np.tanh(subtract)
        subtracts.append(subtract)

    # loop_programs.py:10: return np.sum(g)
    out = np.add.reduce(g, axis=None)
    return out, (W, hs_1, adds, gs, subtracts)


def backward(saved, dout):
    W, hs_1, adds, gs, subtracts = saved

    # loop_programs.py:10: return np.sum(g)
    dg = np.broadcast_to(dout, (3,))
    dW = np.zeros((3, 3))
    dW_1 = dW.copy()
    dhs = []
    for g_1, subtract_1 in zip(reversed(gs), reversed(subtracts), strict=True):
        # loop_programs.py:9: g = np.tanh(W @ g - h)
        cosh = np.cosh(np.minimum(np.abs(subtract_1), 709.0))
        dsubtract = dg / cosh / cosh
        dh = -dsubtract
        dg = W.T @ dsubtract
        dW_1 += dsubtract[:, None] * g_1
        dhs.append(dh)
    dhs.reverse()
    dh_1 = np.zeros(3)
    dx = np.zeros((6, 3))
    dW_2 = dW.copy()
    for t, h_2, add_1, dh_2 in zip(
        reversed(range(6)), reversed(hs_1), reversed(adds), reversed(dhs), strict=True
    ):
        # loop_programs.py:5: h = np.tanh(W @ h + x[t])
        dh_1 += dh_2
        cosh_1 = np.cosh(np.minimum(np.abs(add_1), 709.0))
        dadd = dh_1 / cosh_1 / cosh_1
        dx[t] = dadd
        dh_1 = W.T @ dadd
        dW_2 += dadd[:, None] * h_2

    # loop_programs.py:5: h = np.tanh(W @ h + x[t])
    dW_1 += dW_2
    return dW_1, dx
