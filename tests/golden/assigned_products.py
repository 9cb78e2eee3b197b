"""assigned_products, traced at programs.py:1, for A: float64[2, 3], v: float64[3]"""

import numpy as np


def forward(A, v):
    # programs.py:3: products = A[:, 0] + v[:2]
    products = A[:, 0] + v[:2]

    # programs.py:4: products[0] = A[0] @ v
    products[0] = A[0] @ v

    # programs.py:5: products[1] = v @ v
    products[1] = v @ v

    # programs.py:6: return np.sum(products)
    out = np.add.reduce(products, axis=None)
    return out, (A, v)


def backward(saved, dout):
    A, v = saved

    # programs.py:6: return np.sum(products)
    dproducts = np.full(2, dout)

    # programs.py:5: products[1] = v @ v
    dproducts[1] = 0
    multiply = 2.0 * (dout * v)

    # programs.py:4: products[0] = A[0] @ v
    dmatmul = dproducts[0]
    dproducts[0] = 0
    dv = multiply + A[0] * dmatmul
    dA = np.zeros((2, 3))
    dA[0] = dmatmul * v

    # programs.py:3: products = A[:, 0] + v[:2]
    dv[:2] += dproducts
    dA[:, 0] += dproducts
    return dA, dv
