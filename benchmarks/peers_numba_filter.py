"""The Kalman filter of ``bench_native``, its gradient by hand in Numba.

What the filter has predicted is on the tape; products of 4x4 matrices are loops.
"""

from math import log

import numpy as np
from numba import njit


@njit
def times(A, x, out):
    for i in range(4):
        out[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2] + A[i, 3] * x[3]


@njit
def product(A, B, out):
    for i in range(4):
        for j in range(4):
            out[i, j] = (A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]) + A[
                i, 3
            ] * B[3, j]


@njit
def filtered(A, Q, r, H, ys, ms, Ps, predicted):
    """The likelihood; states before and after each observation go on the tape."""
    total, m, PH, AP = 0.0, np.empty(4), np.empty(4), np.empty((4, 4))
    for t in range(len(ys)):
        P = predicted[t]
        times(A, ms[t], m)
        product(A, Ps[t], AP)
        product(AP, A.T, P)
        P += Q
        times(P, H, PH)
        v, s = ys[t] - np.sum(H * m), np.sum(H * PH) + r
        for i in range(4):
            ms[t + 1, i] = m[i] + PH[i] * (v / s)
            for j in range(4):
                Ps[t + 1, i, j] = P[i, j] - PH[i] * PH[j] / s
        total += log(s) + v * v / s
    return 0.5 * total


@njit
def observed_back(P, H, m, y, r, dm, dP, dH):
    """From after an observation to before it: changes dm, dP, dH, returns dr."""
    PH, K, dK, dPH = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    times(P, H, PH)
    v, s = y - np.sum(H * m), np.sum(H * PH) + r
    K[:] = PH / s
    times(dP, PH, dK)
    dK[:] = dm * v - dK
    times(dP.T, K, dPH)
    dPH[:] = dK / s - dPH
    ds = 0.5 * (1.0 / s - v * v / (s * s)) - np.sum(dK * K) / s
    dv = np.sum(K * dm) + v / s
    dPH += ds * H
    for i in range(4):
        dH[i] += ds * PH[i] - dv * m[i]
        for j in range(4):
            dH[i] += dPH[j] * P[j, i]
            dP[i, j] += dPH[i] * H[j]
        dm[i] -= dv * H[i]
    return ds


@njit
def kalman(A, Q, r, H, ys):
    steps = len(ys)
    ms, Ps = np.zeros((steps + 1, 4)), np.zeros((steps + 1, 4, 4))
    Ps[0] = np.eye(4)
    predicted = np.empty((steps, 4, 4))
    value = filtered(A, Q, r, H, ys, ms, Ps, predicted)
    dA, dQ, dr, dH = np.zeros((4, 4)), np.zeros((4, 4)), 0.0, np.zeros(4)
    dm, dP = np.zeros(4), np.zeros((4, 4))
    m, M, AP = np.empty(4), np.empty((4, 4)), np.empty((4, 4))
    for t in range(steps - 1, -1, -1):
        times(A, ms[t], m)
        dr += observed_back(predicted[t], H, m, ys[t], r, dm, dP, dH)
        dQ += dP
        product(A, Ps[t], AP)
        product(dP.T, AP, M)
        dA += M
        product(dP, A, M)
        product(M, Ps[t], AP)
        dA += AP
        product(A.T, M, dP)
        for i in range(4):
            for j in range(4):
                dA[i, j] += dm[i] * ms[t, j]
        times(A.T, dm, m)
        dm[:] = m
    return value, (dA, dQ, dr, dH)
