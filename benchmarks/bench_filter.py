"""A Kalman filter: value and gradient against what an expert writes by hand."""

import numpy as np
from ratios import Row, ratio, report

import srcgrad

RANDOM = np.random.default_rng(1)


def kalman(A, Q, r, H, ys):
    """Minus the log-likelihood of observations of a state of four numbers."""
    m, P, total = np.zeros(4), np.eye(4), 0.0
    for y in ys:
        m = A @ m
        P = A @ P @ A.T + Q
        v = y - H @ m
        PH = P @ H
        s = H @ PH + r
        K = PH / s
        m = m + K * v
        P = P - np.outer(K, PH)
        total = total + np.log(s) + v * v / s
    return 0.5 * total


def kalman_by_hand(A, Q, r, H, ys):
    m, P, total = np.zeros(4), np.eye(4), 0.0
    tape = []
    AT = A.T
    for y in ys:
        before = m
        m = A @ m
        AP = A @ P
        predicted = AP @ AT + Q
        v = y - H @ m
        PH = predicted @ H
        s = H @ PH + r
        K = PH / s
        tape.append((before, P, AP, m, v, PH, s, K, predicted))
        m = m + K * v
        P = predicted - K[:, None] * PH
        total += np.log(s) + v * v / s
    dA, dQ, dr, dH = np.zeros((4, 4)), np.zeros((4, 4)), 0.0, np.zeros(4)
    dm, dP = np.zeros(4), np.zeros((4, 4))
    for before, P, AP, m, v, PH, s, K, predicted in reversed(tape):
        # P - K PH', m + K v, with K = PH / s; what the sum adds is halved.
        dK = dm * v - dP @ PH
        dPH = dK / s - K @ dP
        ds = 0.5 * (1.0 / s - v * v / (s * s)) - (dK @ K) / s
        dv = K @ dm + v / s
        dr += ds
        dPH += ds * H
        dH += ds * PH
        dP = dP + dPH[:, None] * H
        dH += dPH @ predicted
        dH -= dv * m
        dm = dm - dv * H
        # P = A P A' + Q, m = A m
        dQ += dP
        dA += dP.T @ AP
        dAP = dP @ A
        dA += dAP @ P.T
        dP = AT @ dAP
        dA += dm[:, None] * before
        dm = AT @ dm
    return 0.5 * total, (dA, dQ, dr, dH)


# ----- What is compared -----


def rows() -> list[Row]:
    A = 0.9 * np.eye(4) + 0.05 * RANDOM.normal(size=(4, 4))
    H, ys = RANDOM.normal(size=4), RANDOM.normal(size=200)
    args = (A, 0.1 * np.eye(4), 0.5, H, ys)
    ours = srcgrad.value_and_grad(kalman, (0, 1, 2, 3))
    for _ in range(3):
        value, gradients = ours(*args)
    expected, right = kalman_by_hand(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    for a, b in zip(gradients, right, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7)
    times = ratio(lambda: ours(*args), lambda: kalman_by_hand(*args))
    return [Row("Kalman filter, 200 observations, by hand = 1", times, 1.2, "x")]


if __name__ == "__main__":
    report("Filters", rows())
