"""preallocated, traced at loop_programs.py:1, for W: float64[3, 3], x: float64[7,
3]
"""

import numpy as np

H_1 = np.zeros((8, 3))


def forward(W, x):
    # loop_programs.py:4: H[0] = x[0]
    H = H_1.copy()
    H[0] = x[0]
    copys = []
    adds = []
    for t in range(7):
        # loop_programs.py:6: H[t + 1] = np.tanh(W @ H[t] + x[t])
        part = H[t]
        copy = np.copy(part)
        add = W @ part + x[t]
        H[t + 1] = np.tanh(add)
        copys.append(copy)
        adds.append(add)

    # loop_programs.py:7: return np.sum(H**2)
    out = np.add.reduce(H * H, axis=None)
    return out, (W, H, copys, adds)


def backward(saved, dout):
    W, H_2, copys, adds = saved

    # loop_programs.py:7: return np.sum(H**2)
    dH = 2.0 * dout * H_2
    dW = np.zeros((3, 3))
    dx = np.zeros((7, 3))
    for t, copy_1, add_1 in zip(
        reversed(range(7)), reversed(copys), reversed(adds), strict=True
    ):
        # loop_programs.py:6: H[t + 1] = np.tanh(W @ H[t] + x[t])
        cosh = np.cosh(np.minimum(np.abs(add_1), 709.0))
        divide = dH[t + 1] / cosh
        dH[t + 1] = 0
        dadd = divide / cosh
        dx[t] = dadd
        dH[t] += W.T @ dadd
        dW += dadd[:, None] * copy_1

    # loop_programs.py:4: H[0] = x[0]
    dx[0] += dH[0]
    return dW, dx
