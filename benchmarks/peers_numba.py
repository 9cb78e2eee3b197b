"""The programs of ``bench_native`` with gradients by hand, as experts write Numba.

Loops over elements, with what the way back reads in arrays that are made once. Nothing
is reordered (no ``fastmath``), and compiled code is not kept in a cache. What is mostly
products of large matrices is left out: it would be NumPy's again.
"""

from math import copysign, cos, exp, log, sin, sqrt, tanh

import native_programs
import numpy as np
from numba import njit
from peers_numba_filter import kalman

njit(lambda x: x + 1.0)(1.0)  # starts the compiler


@njit
def rosenbrock(x):
    s, dx = 0.0, np.zeros_like(x)
    for i in range(len(x) - 1):
        r = x[i + 1] - x[i] * x[i]
        q = 1.0 - x[i]
        s += 100.0 * r * r + q * q
        dx[i] -= 400.0 * r * x[i] + 2.0 * q
        dx[i + 1] += 200.0 * r
    return s, dx


# ----- Lotka-Volterra: a tape of the states; the stages are computed again -----


@njit
def stages(x, y, rates):
    """The four points of a step, and the next."""
    a, b, c, d = rates
    dt = 0.01
    k1, m1 = a * x - b * x * y, d * x * y - c * y
    x2, y2 = x + 0.5 * dt * k1, y + 0.5 * dt * m1
    k2, m2 = a * x2 - b * x2 * y2, d * x2 * y2 - c * y2
    x3, y3 = x + 0.5 * dt * k2, y + 0.5 * dt * m2
    k3, m3 = a * x3 - b * x3 * y3, d * x3 * y3 - c * y3
    x4, y4 = x + dt * k3, y + dt * m3
    k4, m4 = a * x4 - b * x4 * y4, d * x4 * y4 - c * y4
    x5 = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    y5 = y + dt / 6 * (m1 + 2 * m2 + 2 * m3 + m4)
    return (x, y), (x2, y2), (x3, y3), (x4, y4), (x5, y5)


@njit
def slope_back(dk, dm, point, rates, drates):
    a, b, c, d = rates
    x, y = point
    g = d * dm - b * dk
    drates[0] += dk * x
    drates[1] -= dk * x * y
    drates[2] -= dm * y
    drates[3] += dm * x * y
    return a * dk + g * y, g * x - c * dm


@njit
def lotka_volterra(state, rates):
    steps, dt = 200, 0.01
    rates = rates[0], rates[1], rates[2], rates[3]
    tape = np.empty((steps, 2))
    x, y = state
    for k in range(steps):
        tape[k, 0], tape[k, 1] = x, y
        x, y = stages(x, y, rates)[4]
    value = x + y
    dx, dy, drates = 1.0, 1.0, np.zeros(4)
    for k in range(steps - 1, -1, -1):
        p1, p2, p3, p4, _ = stages(tape[k, 0], tape[k, 1], rates)
        dk, dm = dt / 6 * dx, dt / 6 * dy
        dx4, dy4 = slope_back(dk, dm, p4, rates, drates)
        dx3, dy3 = slope_back(2 * dk + dt * dx4, 2 * dm + dt * dy4, p3, rates, drates)
        half = 0.5 * dt
        dx2, dy2 = slope_back(
            2 * dk + half * dx3, 2 * dm + half * dy3, p2, rates, drates
        )
        dx1, dy1 = slope_back(dk + half * dx2, dm + half * dy2, p1, rates, drates)
        dx += dx1 + dx2 + dx3 + dx4
        dy += dy1 + dy2 + dy3 + dy4
    return value, (np.array([dx, dy]), drates)


# ----- Ten bodies: a tape of the places; distances are computed again -----


@njit
def push(q, p, masses, h):
    """Add to each momentum what the force gives in a time."""
    for i in range(len(q)):
        for j in range(len(q)):
            r0, r1, r2 = q[i, 0] - q[j, 0], q[i, 1] - q[j, 1], q[i, 2] - q[j, 2]
            s = r0 * r0 + r1 * r1 + r2 * r2 + 0.1
            w = h * masses[j] / (s * sqrt(s))
            p[i, 0] -= w * r0
            p[i, 1] -= w * r1
            p[i, 2] -= w * r2


@njit
def push_back(q, masses, h, dq, dp, dmasses):
    for i in range(len(q)):
        g0, g1, g2 = dp[i, 0], dp[i, 1], dp[i, 2]
        for j in range(len(q)):
            r0, r1, r2 = q[i, 0] - q[j, 0], q[i, 1] - q[j, 1], q[i, 2] - q[j, 2]
            s = r0 * r0 + r1 * r1 + r2 * r2 + 0.1
            unit = h / (s * sqrt(s))
            along = (g0 * r0 + g1 * r1 + g2 * r2) * unit
            w = masses[j] * unit
            ds = 3.0 * masses[j] * along / s
            dmasses[j] -= along
            for n, r, g in ((0, r0, g0), (1, r1, g1), (2, r2, g2)):
                dr = ds * r - w * g
                dq[i, n] += dr
                dq[j, n] -= dr


@njit
def bodies(q, p, masses):
    steps, dt = 200, 0.01
    q, p = q.copy(), p.copy()
    tape = np.empty((steps + 1, *q.shape))
    tape[0] = q
    for k in range(steps):
        push(q, p, masses, 0.5 * dt)
        q += dt * p
        tape[k + 1] = q
        push(q, p, masses, 0.5 * dt)
    value = np.sum(q * q) + np.sum(p * p)
    dq, dp, dmasses = 2.0 * q, 2.0 * p, np.zeros(len(q))
    for k in range(steps - 1, -1, -1):
        push_back(tape[k + 1], masses, 0.5 * dt, dq, dp, dmasses)
        dp += dt * dq
        push_back(tape[k], masses, 0.5 * dt, dq, dp, dmasses)
    return value, (dq, dp, dmasses)


# ----- Bundle adjustment -----

turned, turned_back = njit(native_programs.turned), njit(native_programs.turned_back)


@njit
def seen_by(p, seen):
    """The residual's parts, and what the ways back read."""
    q, kept = turned(p[0], p[1], p[2], p[11] - p[3], p[12] - p[4], p[13] - p[5])
    u0, u1 = q[0] / q[2], q[1] / q[2]
    n = u0 * u0 + u1 * u1
    r = 1.0 + n * (p[9] + p[10] * n)
    b0, b1 = p[6] * r * u0 + p[7] - seen[0], p[6] * r * u1 + p[8] - seen[1]
    return b0, b1, u0, u1, n, r, q[2], kept


@njit
def back_through(p, g0, g1, e, found, slopes):
    """Write the gradient of what the residual's parts are multiplied by."""
    _, _, u0, u1, n, r, q2, kept = found
    along = g0 * u0 + g1 * u1
    dr = along * p[6]
    dn = 2.0 * dr * (p[9] + 2.0 * p[10] * n)
    f = p[6] * r
    du0, du1 = g0 * f + dn * u0, g1 * f + dn * u1
    dq = turned_back(kept, du0 / q2, du1 / q2, -(du0 * u0 + du1 * u1) / q2)
    for k in range(3):
        slopes[k], slopes[3 + k], slopes[11 + k] = dq[k], -dq[3 + k], dq[3 + k]
    slopes[6], slopes[7], slopes[8] = along * r, g0, g1
    slopes[9], slopes[10], slopes[14] = dr * n, dr * n * n, e


@njit
def view_error(p, seen):
    found = seen_by(p, seen)
    b0, b1, weight = found[0], found[1], p[14]
    squares, scale = b0 * b0 + b1 * b1, 2.0 * weight * weight
    slopes = np.empty(15)
    back_through(p, scale * b0, scale * b1, 2.0 * weight * squares, found, slopes)
    return weight * weight * squares, slopes


@njit
def view_jacobian(p, seen):
    found = seen_by(p, seen)
    J = np.empty((2, 15))
    back_through(p, p[14], 0.0, found[0], found, J[0])
    back_through(p, 0.0, p[14], found[1], found, J[1])
    return J


# ----- LSTM: a layer is a pass over all characters -----


@njit
def layer(W, U, b, xs):
    """Gates, cells and states of a layer; its states begin with zeros."""
    size, steps = U.shape[1], len(xs)
    gates = xs @ W.T + b
    cells, hs = np.zeros((steps + 1, size)), np.zeros((steps + 1, size))
    UT = U.T.copy()
    for t in range(steps):
        z = gates[t]
        for k in range(size):
            for j in range(4 * size):
                z[j] += UT[k, j] * hs[t, k]
        for j in range(size):
            i = z[j] = 0.5 * tanh(0.5 * z[j]) + 0.5
            f = z[size + j] = 0.5 * tanh(0.5 * z[size + j]) + 0.5
            o = z[2 * size + j] = 0.5 * tanh(0.5 * z[2 * size + j]) + 0.5
            g = z[3 * size + j] = tanh(z[3 * size + j])
            cells[t + 1, j] = f * cells[t, j] + i * g
            hs[t + 1, j] = o * tanh(cells[t + 1, j])
    return gates, cells, hs


@njit
def layer_back(W, U, xs, gates, cells, hs, dhs):
    """The gradients by the layer's parameters and by what goes into it."""
    size, steps = U.shape[1], len(xs)
    dz, dh, dc = np.empty_like(gates), np.zeros(size), np.zeros(size)
    for t in range(steps - 1, -1, -1):
        for j in range(size):
            i, f = gates[t, j], gates[t, j + size]
            o, g = gates[t, j + 2 * size], gates[t, j + 3 * size]
            d, bent = dh[j] + dhs[t, j], tanh(cells[t + 1, j])
            c = dc[j] + d * o * (1.0 - bent * bent)
            dz[t, j] = c * g * i * (1.0 - i)
            dz[t, j + size] = c * cells[t, j] * f * (1.0 - f)
            dz[t, j + 2 * size] = d * bent * o * (1.0 - o)
            dz[t, j + 3 * size] = c * i * (1.0 - g * g)
            dc[j], dh[j] = c * f, 0.0
        for k in range(4 * size):
            for j in range(size):
                dh[j] += dz[t, k] * U[k, j]
    dzT = dz.T.copy()
    return (dzT @ xs, dzT @ hs[:-1], dz.sum(axis=0)), dz @ W


@njit
def lstm(layers, xs):
    (W1, U1, b1), (W2, U2, b2) = layers
    first = layer(W1, U1, b1, xs)
    below = first[2][1:]
    second = layer(W2, U2, b2, below)
    out = second[2][1:]
    grads2, dbelow = layer_back(W2, U2, below, *second, 2.0 * out)
    grads1, dxs = layer_back(W1, U1, xs, *first, dbelow)
    return np.sum(out * out), ((grads1, grads2), dxs)


# ----- Arrays: an element's way there and back at once -----


@njit
def chain(x):
    total, dx = 0.0, np.empty_like(x)
    for n in range(len(x)):
        y, d = x[n], 1.0
        for _ in range(5):
            first = sin(y) * 1.1 + 0.3
            second = first * first - 0.5
            below = 1.0 + second * second
            d *= 2.2 * cos(y) * first * ((2.0 - below) / (below * below))
            y = second / below
        total += y
        dx[n] = d
    return total, dx


@njit
def mixture(means, logits, scales, X):
    K, D = means.shape
    narrow, weights = np.exp(-2.0 * scales), np.exp(logits)
    dmeans, dlogits, dscales = np.zeros((K, D)), np.zeros(K), np.zeros(K)
    shares, distances = np.empty(K), np.empty(K)
    total = len(X) * log(np.sum(weights))
    for n in range(len(X)):
        for k in range(K):
            s = 0.0
            for d in range(D):
                s += (X[n, d] - means[k, d]) ** 2
            distances[k] = s * narrow[k]
            shares[k] = logits[k] - 10.0 * scales[k] - 0.5 * distances[k]
        most, below = np.max(shares), 0.0
        for k in range(K):
            shares[k] = exp(shares[k] - most)
            below += shares[k]
        total -= log(below) + most
        for k in range(K):
            share = shares[k] / below
            dlogits[k] -= share
            dscales[k] += share * (10.0 - distances[k])
            for d in range(D):
                dmeans[k, d] -= share * narrow[k] * (X[n, d] - means[k, d])
    dlogits += len(X) * weights / np.sum(weights)
    return total, (dmeans, dlogits, dscales)


@njit
def huber(x, delta):
    total, dx = 0.0, np.empty_like(x)
    for i in range(len(x)):
        r = abs(x[i])
        if r <= delta:
            total += 0.5 * r * r
            dx[i] = x[i]
        else:
            total += delta * (r - 0.5 * delta)
            dx[i] = copysign(delta, x[i])
    return total, dx


# ----- What is compared -----


def made(function):
    """From arguments to a call: lists are tuples to Numba."""

    def make(*arguments):
        given = [tuple(each) if isinstance(each, list) else each for each in arguments]
        return lambda: function(*given)

    return make


COLUMNS = {
    "Numba by hand": {
        "Rosenbrock, 20 variables": made(rosenbrock),
        "Lotka-Volterra, 200 RK4": made(lotka_volterra),
        "ten bodies, 200 leapfrog": made(bodies),
        "LSTM, 64 characters": made(lstm),
        "Huber loss, 100 points": made(huber),
        "Kalman filter, 200 steps": made(kalman),
        "bundle, gradient": made(view_error),
        "bundle, 2x15 Jacobian": made(view_jacobian),
        "chain, 1,000 elements": made(chain),
        "chain, 1,000,000 elements": made(chain),
        "Gaussian mixture, K=25": made(mixture),
    }
}
