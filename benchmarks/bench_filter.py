"""Kalman filters: value and gradient against what an expert writes by hand."""

import math

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


# ----- Two numbers are seen of each state: by the noise, and from where it starts -----


def tracking(m, P, q, F, H, R, ys):
    """Minus the log-likelihood of places that are seen of what moves."""
    one, total = np.eye(4), 0.0
    for y in ys:
        m = F @ m
        P = F @ P @ F.T + q * one
        v = y - H @ m
        S = H @ P @ H.T + R
        S_inv = np.linalg.inv(S)
        K = P @ H.T @ S_inv
        m = m + K @ v
        P = (one - K @ H) @ P
        total = total + v @ S_inv @ v + np.log(np.linalg.det(S))
    return 0.5 * total


def tracking_by_hand(m, P, q, F, H, R, ys):
    """What is symmetric is known to be; two by two numbers are inverted as such."""
    one, FT, HT = np.eye(4), F.T, H.T
    Q = q * one
    total, tape = 0.0, []
    for y in ys:
        m = F @ m
        P = F @ P @ FT + Q
        v = y - H @ m
        HP = H @ P
        (a, b), (_, d) = (HP @ HT + R).tolist()
        det = a * d - b * b
        S_inv = np.array([[d, -b], [-b, a]]) / det
        K = HP.T @ S_inv
        w = S_inv @ v
        tape.append((K, S_inv, w))
        m = m + K @ v
        P = P - K @ HP
        total += v @ w + math.log(det)
    dm, dP, dQ = np.zeros(4), np.zeros((4, 4)), np.zeros((4, 4))
    for K, S_inv, w in reversed(tape):
        A = one - K @ H
        u = HT @ w
        before = A.T @ dm
        mixed = before[:, None] * u
        dP = A.T @ dP @ A + 0.5 * (mixed + mixed.T + HT @ S_inv @ H - u[:, None] * u)
        dQ += dP
        dm = FT @ (before - u)
        dP = FT @ dP @ F
    return 0.5 * total, (dm, dP, np.trace(dQ))


# ----- What is compared -----


def row(name, function, by_hand, args, numbers, budget=1.2) -> Row:
    """Return the ratio, after a look that both agree, but for what is antisymmetric."""
    ours = srcgrad.value_and_grad(function, numbers)
    for _ in range(3):
        value, gradients = ours(*args)
    expected, right = by_hand(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    for a, b in zip(gradients, right, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        np.testing.assert_allclose(a + a.T, b + b.T, rtol=1e-7, atol=1e-9)
    times = ratio(lambda: ours(*args), lambda: by_hand(*args))
    return Row(f"{name}, 200 observations, by hand = 1", times, budget, "x")


def rows() -> list[Row]:
    A = 0.9 * np.eye(4) + 0.05 * RANDOM.normal(size=(4, 4))
    H, ys = RANDOM.normal(size=4), RANDOM.normal(size=200)
    args = (A, 0.1 * np.eye(4), 0.5, H, ys)
    moving = np.eye(4) + 0.1 * np.eye(4, k=2), np.eye(2, 4), 0.5 * np.eye(2)
    places = np.cumsum(RANDOM.normal(size=(200, 2)), axis=0)
    tracked = (np.zeros(4), np.eye(4), 0.1, *moving, places)
    return [
        row("Kalman filter", kalman, kalman_by_hand, args, (0, 1, 2, 3)),
        row("tracking", tracking, tracking_by_hand, tracked, (0, 1, 2), 1.8),
    ]


if __name__ == "__main__":
    report("Filters", rows())
