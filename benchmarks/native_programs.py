"""The programs of ``bench_native``, and how an expert writes each in NumPy.

``PROGRAMS`` are all of them, with arguments; those that stand in other scripts come
from there.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import bench_filter
import bench_loops
import bench_scalars
import numpy as np

import srcgrad

RANDOM = np.random.default_rng(0)


class Program(NamedTuple):
    """A function, the same by hand, its arguments, those differentiated, the budget."""

    name: str
    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: tuple[Any, ...]
    numbers: Any
    budget: float
    transform: Callable[..., Any] = srcgrad.value_and_grad
    is_symmetric: bool = False  # the expert knows that some matrices are


# ----- A chain of elementwise operations -----


def chain(x):
    y = x
    for _ in range(5):
        y = np.sin(y) * 1.1 + 0.3
        y = y * y - 0.5
        y = y / (1.0 + y * y)
    return np.sum(y)


def chain_by_hand(x):
    y, tape = x, []
    for _ in range(5):
        cosine = np.cos(y)
        first = np.sin(y) * 1.1 + 0.3
        second = first * first - 0.5
        below = 1.0 + second * second
        y = second / below
        tape.append((cosine, first, below))
    dy = np.ones_like(x)
    for cosine, first, below in reversed(tape):
        dy = dy * ((2.0 - below) / (below * below))
        dy = dy * first
        dy = dy * cosine
        dy *= 2.2
    return np.sum(y), dy


# ----- A Gaussian mixture: 500 points, 10 dimensions, 25 components -----


def mixture(means, logits, scales, X):
    apart = X[:, None, :] - means[None]
    squares = np.sum(apart * apart, axis=2) * np.exp(-2.0 * scales)
    logs = logits - 10.0 * scales - 0.5 * squares
    most = np.max(logs, axis=1, keepdims=True)
    total = np.sum(np.log(np.sum(np.exp(logs - most), axis=1)) + most[:, 0])
    return 500.0 * np.log(np.sum(np.exp(logits))) - total


def mixture_by_hand(means, logits, scales, X):
    weights, narrow = np.exp(logits), np.exp(-2.0 * scales)
    apart = X[:, None, :] - means
    distances = np.einsum("nkd,nkd->nk", apart, apart)
    logs = logits - 10.0 * scales - 0.5 * distances * narrow
    most = logs.max(axis=1, keepdims=True)
    shares = np.exp(logs - most)
    sums = shares.sum(axis=1, keepdims=True)
    shares /= sums
    value = 500.0 * np.log(weights.sum()) - np.sum(np.log(sums) + most)
    dlogits = 500.0 * weights / weights.sum() - shares.sum(axis=0)
    dscales = np.sum(shares * (10.0 - distances * narrow), axis=0)
    dmeans = -np.einsum("nk,nkd->kd", shares * narrow, apart)
    return value, (dmeans, dlogits, dscales)


# ----- Bundle adjustment: what a camera's view differs by (ADBench's model) -----
# Rotation, centre, focal length, principal point, distortion; the point, its weight.


def view(p, seen):
    turn, Y = p[:3], p[11:14] - p[3:6]
    theta = np.linalg.norm(turn)
    a = turn / theta
    c, s = np.cos(theta), np.sin(theta)
    q = c * Y + s * np.cross(a, Y) + (1.0 - c) * (a @ Y) * a
    u = q[:2] / q[2]
    n = u @ u
    r = 1.0 + p[9] * n + p[10] * n * n
    return p[14] * (p[6] * r * u + p[7:9] - seen)


def view_error(p, seen):
    e = view(p, seen)
    return e @ e


def turned(w0, w1, w2, Y0, Y1, Y2):
    """A point that is turned, with what the way back reads."""
    theta = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    a0, a1, a2 = w0 / theta, w1 / theta, w2 / theta
    c, s = math.cos(theta), math.sin(theta)
    x0, x1, x2 = a1 * Y2 - a2 * Y1, a2 * Y0 - a0 * Y2, a0 * Y1 - a1 * Y0
    d = a0 * Y0 + a1 * Y1 + a2 * Y2
    m = (1.0 - c) * d
    q = c * Y0 + s * x0 + m * a0, c * Y1 + s * x1 + m * a1, c * Y2 + s * x2 + m * a2
    return q, (theta, a0, a1, a2, c, s, x0, x1, x2, d, m, Y0, Y1, Y2)


def turned_back(kept, g0, g1, g2):
    """The gradients by the rotation and by the point."""
    theta, a0, a1, a2, c, s, x0, x1, x2, d, m, Y0, Y1, Y2 = kept
    dm = g0 * a0 + g1 * a1 + g2 * a2
    dd = dm * (1.0 - c)
    ds = g0 * x0 + g1 * x1 + g2 * x2
    dc = g0 * Y0 + g1 * Y1 + g2 * Y2 - dm * d
    b0, b1, b2 = s * g0, s * g1, s * g2
    da0 = m * g0 + dd * Y0 + b2 * Y1 - b1 * Y2
    da1 = m * g1 + dd * Y1 + b0 * Y2 - b2 * Y0
    da2 = m * g2 + dd * Y2 + b1 * Y0 - b0 * Y1
    along = ds * c - dc * s - (da0 * a0 + da1 * a1 + da2 * a2) / theta
    return (
        da0 / theta + along * a0,
        da1 / theta + along * a1,
        da2 / theta + along * a2,
        c * g0 + dd * a0 + b1 * a2 - b2 * a1,
        c * g1 + dd * a1 + b2 * a0 - b0 * a2,
        c * g2 + dd * a2 + b0 * a1 - b1 * a0,
    )


def view_error_by_hand(p, seen):
    w0, w1, w2, C0, C1, C2, f, m0, m1, k1, k2, X0, X1, X2, weight = p.tolist()
    s0, s1 = seen.tolist()
    (q0, q1, q2), kept = turned(w0, w1, w2, X0 - C0, X1 - C1, X2 - C2)
    u0, u1 = q0 / q2, q1 / q2
    n = u0 * u0 + u1 * u1
    r = 1.0 + n * (k1 + k2 * n)
    b0, b1 = f * r * u0 + m0 - s0, f * r * u1 + m1 - s1
    e0, e1 = weight * b0, weight * b1
    # backward
    g0, g1 = 2.0 * weight * e0, 2.0 * weight * e1
    along = g0 * u0 + g1 * u1
    dr = along * f
    dn = 2.0 * dr * (k1 + 2.0 * k2 * n)
    du0, du1 = g0 * f * r + dn * u0, g1 * f * r + dn * u1
    dq = du0 / q2, du1 / q2, -(du0 * u0 + du1 * u1) / q2
    v0, v1, v2, d0, d1, d2 = turned_back(kept, *dq)
    slopes = v0, v1, v2, -d0, -d1, -d2, along * r, g0, g1, dr * n, dr * n * n, d0, d1
    return e0 * e0 + e1 * e1, np.array([*slopes, d2, 2.0 * (e0 * b0 + e1 * b1)])


def view_jacobian_by_hand(p, seen):
    w0, w1, w2, C0, C1, C2, f, m0, m1, k1, k2, X0, X1, X2, weight = p.tolist()
    s0, s1 = seen.tolist()
    (q0, q1, q2), kept = turned(w0, w1, w2, X0 - C0, X1 - C1, X2 - C2)
    u0, u1 = q0 / q2, q1 / q2
    n = u0 * u0 + u1 * u1
    r = 1.0 + n * (k1 + k2 * n)
    scale = weight * f
    bent = 2.0 * scale * (k1 + 2.0 * k2 * n)
    cross = bent * u0 * u1 / q2
    J = []
    for u, g0, g1, rest, dm in (
        (u0, (scale * r + bent * u0 * u0) / q2, cross, m0 - s0, (weight, 0.0)),
        (u1, cross, (scale * r + bent * u1 * u1) / q2, m1 - s1, (0.0, weight)),
    ):
        dq2 = -(g0 * u0 + g1 * u1)
        v0, v1, v2, d0, d1, d2 = turned_back(kept, g0, g1, dq2)
        dk = scale * n * u
        row = v0, v1, v2, -d0, -d1, -d2, weight * r * u, *dm, dk, dk * n, d0, d1, d2
        J.append([*row, f * r * u + rest])
    return np.array(J)


# ----- A network of tanh layers that tells classes apart -----


def network(layers, x, y):
    for W, b in layers[:-1]:
        x = np.tanh(x @ W + b)
    W, b = layers[-1]
    z = x @ W + b
    z = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - np.sum(z * y, axis=1))


def network_by_hand(layers, x, y):
    hs = [x]
    for W, b in layers:
        z = hs[-1] @ W
        z += b
        hs.append(np.tanh(z, out=z) if len(hs) < len(layers) else z)
    z = hs.pop()
    z -= z.max(axis=1, keepdims=True)
    dz = np.exp(z)
    sums = dz.sum(axis=1, keepdims=True)
    value = (np.sum(np.log(sums)) - np.vdot(z, y)) / len(x)
    dz /= sums
    dz -= y
    dz /= len(x)
    grads = []
    for (W, _), h in zip(reversed(layers), reversed(hs), strict=True):
        grads.append((h.T @ dz, dz.sum(axis=0)))
        if h is not x:
            dz = dz @ W.T
            dz *= 1.0 - h * h
    return value, grads[::-1]


# ----- The likelihood of a Gaussian process: linear algebra -----


def likelihood(logs, apart, one, y):
    p = np.exp(logs)
    K = p[1] ** 2 * np.exp(-0.5 * (apart / p[0]) ** 2) + p[2] ** 2 * one
    root = np.linalg.cholesky(K)
    white = np.linalg.solve(root, y)
    return 0.5 * np.sum(white**2) + np.sum(np.log(np.diag(root)))


def likelihood_by_hand(logs, apart, one, y):
    length, height, noise = np.exp(logs)
    squares = (apart / length) ** 2
    common = height**2 * np.exp(-0.5 * squares)
    K = common + noise**2 * one
    root = np.linalg.cholesky(K)  # the determinant for a sixth of slogdet's work
    inverse = np.linalg.inv(K)
    weights = inverse @ y
    dK = 0.5 * (inverse - weights[:, None] * weights)
    by_common = dK * common
    slopes = [
        np.vdot(by_common, squares),
        2.0 * np.sum(by_common),
        2.0 * noise**2 * np.trace(dK),
    ]
    value = 0.5 * (y @ weights) + np.sum(np.log(np.diag(root)))
    return value, np.array(slopes)


# ----- All of them -----


def of_scripts() -> list[Program]:
    """Those that other scripts compare, too."""
    found = [
        Program(new, *bench_loops.PROGRAMS[old][:3], numbers, budget)
        for old, new, numbers, budget in (
            ("Rosenbrock in 20 variables", "Rosenbrock, 20 variables", 0, 0.2),
            ("Lotka-Volterra, 200 steps", "Lotka-Volterra, 200 RK4", (0, 1), 0.04),
            ("ten bodies, 200 steps", "ten bodies, 200 leapfrog", (0, 1, 2), 0.06),
            ("LSTM, 2 layers, 64 characters", "LSTM, 64 characters", (0, 1), 0.3),
        )
    ]
    A = 0.9 * np.eye(4) + 0.05 * RANDOM.normal(size=(4, 4))
    given = A, 0.1 * np.eye(4), 0.5, RANDOM.normal(size=4), RANDOM.normal(size=200)
    kalman = bench_filter.kalman, bench_filter.kalman_by_hand
    huber = bench_scalars.huber, bench_scalars.huber_by_hand
    points = RANDOM.normal(size=100)
    return [
        *found,
        Program("Huber loss, 100 points", *huber, (points, 0.7), 0, 0.1),
        Program("Kalman filter, 200 steps", *kalman, given, (0, 1, 2, 3), 0.3)._replace(
            is_symmetric=True
        ),
    ]


def of_views() -> list[Program]:
    camera = [*0.1 * RANDOM.normal(size=3), 0.1, -0.2, -4.0, 500.0, 3.0, -2.0]
    p = np.array([*camera, 0.01, -0.003, *RANDOM.normal(size=3), 0.8])
    rest = (p, np.array([20.0, -10.0])), 0, 0.2
    rows = view, view_jacobian_by_hand
    return [
        Program("bundle, gradient", view_error, view_error_by_hand, *rest),
        Program("bundle, 2x15 Jacobian", *rows, *rest, srcgrad.jacobian),
    ]


def of_arrays() -> list[Program]:
    chains = [
        Program(f"chain, {len(x):,} elements", chain, chain_by_hand, (x,), 0, budget)
        for size, budget in ((1_000, 0.6), (1_000_000, 0.3))
        for x in [RANDOM.normal(size=size)]
    ]
    parts = RANDOM.normal(size=(25, 10)), RANDOM.normal(size=25), np.zeros(25)
    given = *parts, RANDOM.normal(size=(500, 10))
    both = mixture, mixture_by_hand
    return [*chains, Program("Gaussian mixture, K=25", *both, given, (0, 1, 2), 0.4)]


def of_networks() -> list[Program]:
    found = []
    for sizes, batch, dtype, budget in (
        ((16, 32, 32, 10), 32, np.float64, 1.0),
        ((784, 1024, 1024, 10), 512, np.float32, 0.9),
    ):
        layers = [
            ((RANDOM.normal(size=(a, b)) / a**0.5).astype(dtype), np.zeros(b, dtype))
            for a, b in pairwise(sizes)
        ]
        x = RANDOM.normal(size=(batch, sizes[0])).astype(dtype)
        y = np.eye(10, dtype=dtype)[RANDOM.integers(0, 10, batch)]
        name = f"network {'-'.join(map(str, sizes))}"
        found.append(Program(name, network, network_by_hand, (layers, x, y), 0, budget))
    return found


def of_processes() -> list[Program]:
    places = np.sort(RANDOM.uniform(0.0, 10.0, 200))
    apart = places[:, None] - places
    given = np.log([1.0, 1.0, 0.3]), apart, np.eye(200), np.sin(places)
    both = likelihood, likelihood_by_hand
    return [Program("Gaussian process, n=200", *both, given, 0, 0.75)]


PROGRAMS = [
    *of_scripts(),
    *of_views(),
    *of_arrays(),
    *of_networks(),
    *of_processes(),
]
