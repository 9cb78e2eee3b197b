"""gaussian, traced at programs.py:1, for A: float64[3, 3], x: float64[3]"""

import numpy as np


def forward(A, x):
    # programs.py:3: L = np.linalg.cholesky(A)
    L = np.linalg.cholesky(A)

    # programs.py:4: z = np.linalg.solve(L, x)
    z = np.linalg.solve(L, x)

    # programs.py:5: return -0.5 * z @ z - np.sum(np.log(np.diag(L)))
    multiply = -0.5 * z
    diag = np.diag(L)
    out = multiply @ z - np.add.reduce(np.log(diag), axis=None)
    return out, (L, z, multiply, diag)


def backward(saved, dout):
    L, z, multiply, diag = saved

    # programs.py:5: return -0.5 * z @ z - np.sum(np.log(np.diag(L)))
    scattered = np.zeros(9)
    scattered[0:9:4] = -dout / diag
    reshape = scattered.reshape((3, 3))
    dz = multiply * dout - 0.5 * dout * z

    # programs.py:4: z = np.linalg.solve(L, x)
    inv = np.linalg.inv(L.T)
    dx = inv @ dz
    dL = reshape - dx[:, None] * z

    # programs.py:3: L = np.linalg.cholesky(A)
    matmul = L.T @ dL
    matmul_1 = inv @ ((np.tril(matmul) + np.tril(matmul, -1)) * 0.5) @ inv.T
    dA = (matmul_1 + matmul_1.T) * 0.5
    return dA, dx
