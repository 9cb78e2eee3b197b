"""Loops: value and gradient against what an expert writes by hand.

Compiling is what the call that is recorded takes beyond a run on the tape, of the
processor's time: it is too long to be measured again and again.
"""

import gc
import tracemalloc
from time import process_time

import numpy as np
from ratios import Row, ratio, report

import srcgrad
from srcgrad.pytree import flatten

RANDOM = np.random.default_rng(1)


# ----- Lotka-Volterra: 200 steps of Runge and Kutta, on scalars -----


def lotka_volterra(state, rates, steps=200):
    a, b, c, d = rates[0], rates[1], rates[2], rates[3]
    x, y = state[0], state[1]
    dt = 0.01

    def slope(x, y):
        return a * x - b * x * y, -c * y + d * x * y

    for _ in range(steps):
        k1, m1 = slope(x, y)
        k2, m2 = slope(x + 0.5 * dt * k1, y + 0.5 * dt * m1)
        k3, m3 = slope(x + 0.5 * dt * k2, y + 0.5 * dt * m2)
        k4, m4 = slope(x + dt * k3, y + dt * m3)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y = y + dt / 6 * (m1 + 2 * m2 + 2 * m3 + m4)
    return x + y


def lotka_volterra_by_hand(state, rates, steps=200):
    a, b, c, d = rates.tolist()
    x, y = state.tolist()
    dt, half, sixth = 0.01, 0.005, 0.01 / 6
    tape = []
    for _ in range(steps):
        xy = x * y
        k1, m1 = a * x - b * xy, d * xy - c * y
        x2, y2 = x + half * k1, y + half * m1
        xy = x2 * y2
        k2, m2 = a * x2 - b * xy, d * xy - c * y2
        x3, y3 = x + half * k2, y + half * m2
        xy = x3 * y3
        k3, m3 = a * x3 - b * xy, d * xy - c * y3
        x4, y4 = x + dt * k3, y + dt * m3
        xy = x4 * y4
        k4, m4 = a * x4 - b * xy, d * xy - c * y4
        tape.append((x, y, x2, y2, x3, y3, x4, y4))
        x += sixth * (k1 + 2 * k2 + 2 * k3 + k4)
        y += sixth * (m1 + 2 * m2 + 2 * m3 + m4)
    value = x + y
    dx = dy = 1.0
    da = db = dc = dd = 0.0
    for x, y, x2, y2, x3, y3, x4, y4 in reversed(tape):
        dk, dm = sixth * dx, sixth * dy
        da += dk * x4
        dc -= dm * y4
        dd += dm * x4 * y4
        db -= dk * x4 * y4
        g = d * dm - b * dk
        dx4, dy4 = a * dk + g * y4, g * x4 - c * dm
        sx, sy = dx + dx4, dy + dy4
        dk3, dm3 = 2 * dk + dt * dx4, 2 * dm + dt * dy4
        da += dk3 * x3
        dc -= dm3 * y3
        dd += dm3 * x3 * y3
        db -= dk3 * x3 * y3
        g = d * dm3 - b * dk3
        dx3, dy3 = a * dk3 + g * y3, g * x3 - c * dm3
        sx, sy = sx + dx3, sy + dy3
        dk2, dm2 = 2 * dk + half * dx3, 2 * dm + half * dy3
        da += dk2 * x2
        dc -= dm2 * y2
        dd += dm2 * x2 * y2
        db -= dk2 * x2 * y2
        g = d * dm2 - b * dk2
        dx2, dy2 = a * dk2 + g * y2, g * x2 - c * dm2
        sx, sy = sx + dx2, sy + dy2
        dk1, dm1 = dk + half * dx2, dm + half * dy2
        da += dk1 * x
        dc -= dm1 * y
        dd += dm1 * x * y
        db -= dk1 * x * y
        g = d * dm1 - b * dk1
        dx, dy = sx + a * dk1 + g * y, sy + g * x - c * dm1
    return value, (np.array([dx, dy]), np.array([da, db, dc, dd]))


# ----- Rosenbrock: a scalar loop over a vector -----


def rosenbrock(x):
    s = 0.0
    for i in range(len(x) - 1):
        s = s + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return s


def rosenbrock_by_hand(x):
    x = x.tolist()
    s, dx = 0.0, [0.0] * len(x)
    for i in range(len(x) - 1):
        r = x[i + 1] - x[i] * x[i]
        q = 1 - x[i]
        s += 100.0 * r * r + q * q
        dx[i] -= 400.0 * r * x[i] + 2.0 * q
        dx[i + 1] += 200.0 * r
    return s, np.array(dx)


# ----- Ten bodies: 200 steps of leapfrog -----


def bodies(q, p, masses, steps=200):
    dt = 0.01

    def force(q):
        r = q[:, None, :] - q[None, :, :]
        s = np.sum(r * r, axis=2) + 0.1
        return -np.sum((masses * s**-1.5)[:, :, None] * r, axis=1)

    for _ in range(steps):
        p = p + 0.5 * dt * force(q)
        q = q + dt * p
        p = p + 0.5 * dt * force(q)
    return np.sum(q * q) + np.sum(p * p)


def bodies_by_hand(q, p, masses, steps=200):
    dt = 0.01
    h = 0.5 * dt
    n = len(q)

    def force(q):
        r = q[:, None, :] - q[None, :, :]
        s = np.add.reduce(r * r, axis=2) + 0.1
        w = masses * s**-1.5
        return -np.add.reduce(w[:, :, None] * r, axis=1), (r, s, w)

    def back(g, kept):
        r, s, w = kept
        dw = -np.add.reduce(g[:, None, :] * r, axis=2)
        dmasses = np.add.reduce(dw * s**-1.5, axis=0)
        ds = dw * masses * -1.5 * s**-2.5
        dr = 2.0 * ds[:, :, None] * r - w[:, :, None] * g[:, None, :]
        return np.add.reduce(dr, axis=1) - np.add.reduce(dr, axis=0), dmasses

    tape = []
    for _ in range(steps):
        f, first = force(q)
        p = p + h * f
        q = q + dt * p
        f, second = force(q)
        p = p + h * f
        tape.append((first, second))
    value = np.add.reduce(q * q, axis=None) + np.add.reduce(p * p, axis=None)
    dq, dp, dmasses = 2.0 * q, 2.0 * p, np.zeros(n)
    for first, second in reversed(tape):
        more, dm = back(h * dp, second)
        dq = dq + more
        dmasses += dm
        dp = dp + dt * dq
        more, dm = back(h * dp, first)
        dq = dq + more
        dmasses += dm
    return value, (dq, dp, dmasses)


# ----- LSTM: two layers, 64 characters, parameters in nested lists -----


def sigmoid(x):
    return 0.5 * np.tanh(0.5 * x) + 0.5


def lstm(params, xs):
    states = [(np.zeros(16), np.zeros(16)) for _ in params]
    total = 0.0
    for x in xs:
        new = []
        for (W, U, b), (h, c) in zip(params, states, strict=True):
            z = W @ x + U @ h + b
            i, f, o, g = z[:16], z[16:32], z[32:48], z[48:]
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            new.append((h, c))
            x = h
        states = new
        total = total + np.sum(x * x)
    return total


def lstm_by_hand(params, xs):
    states = [(np.zeros(16), np.zeros(16)) for _ in params]
    total, tape = 0.0, []
    for x in xs:
        kept = []
        for number, (W, U, b) in enumerate(params):
            h, c = states[number]
            z = W @ x + U @ h + b
            s = 0.5 * np.tanh(0.5 * z[:48]) + 0.5
            i, f, o, g = s[:16], s[16:32], s[32:], np.tanh(z[48:])
            new = f * c + i * g
            t = np.tanh(new)
            kept.append((x, h, c, s, g, t))
            x = o * t
            states[number] = x, new
        tape.append((kept, x))
        total += x @ x
    grads = [tuple(map(np.zeros_like, layer)) for layer in params]
    dxs = np.zeros_like(xs)
    back = [(np.zeros(16), np.zeros(16)) for _ in params]
    dz = np.empty(64)
    for t_, (kept, x) in zip(reversed(range(len(xs))), reversed(tape), strict=True):
        dx = 2.0 * x
        for number in reversed(range(len(params))):
            x, h, c, s, g, t = kept[number]
            dh, dc = back[number]
            dh = dh + dx
            i, f, o = s[:16], s[16:32], s[32:]
            dc = dc + dh * o * (1.0 - t * t)
            dz[:16] = dc * g
            dz[16:32] = dc * c
            dz[32:48] = dh * t
            dz[:48] *= s * (1.0 - s)
            dz[48:] = dc * i * (1.0 - g * g)
            W, U, _ = params[number]
            dW, dU, db = grads[number]
            dW += dz[:, None] * x
            dU += dz[:, None] * h
            db += dz
            dx = dz @ W
            back[number] = dz @ U, dc * f
        dxs[t_] = dx
    return total, (grads, dxs)


# ----- A recurrence: 100,000 iterations over floats -----


def recurrence(a, b, steps=100_000):
    s = 0.0
    for _ in range(steps):
        s = a * s + b
    return s


def recurrence_by_hand(a, b, steps=100_000):
    s, tape = 0.0, []
    for _ in range(steps):
        tape.append(s)
        s = a * s + b
    ds, da, db = 1.0, 0.0, 0.0
    for before in reversed(tape):
        da += ds * before
        db += ds
        ds *= a
    return s, (da, db)


# ----- Newton's iteration in four unknowns, until it has converged -----


def equilibrium(A, b):
    x, step = np.zeros(4), np.ones(4)
    while np.max(np.abs(step)) > 1e-10:
        step = np.linalg.solve(A + np.diag(3.0 * x**2), A @ x + x**3 - b)
        x = x - step
    return np.sum(x * x)


def equilibrium_by_hand(A, b):
    x, size, tape = np.zeros(4), 1.0, []
    while size > 1e-10:
        xx = x * x
        J = A.copy()
        J.flat[::5] += 3.0 * xx
        step = np.linalg.solve(J, A @ x + xx * x - b)
        tape.append((x, J, step))
        x = x - step
        size = abs(step).max()
    value, dx = x @ x, 2.0 * x
    dA, db = np.zeros((4, 4)), np.zeros(4)
    for x, J, step in reversed(tape):
        y = np.linalg.solve(J.T, dx)
        dA += y[:, None] * (step - x)
        db += y
        dx = 6.0 * x * y * step  # J' y is dx: the rest cancels
    return value, (dA, db)


# ----- What is compared -----

RECURRENCE = "recurrence, 100,000 iterations"

LAYERS = [
    tuple(RANDOM.normal(size=shape) * 0.3 for shape in ((64, n), (64, 16), (64,)))
    for n in (8, 16)
]
PROGRAMS = {
    "Lotka-Volterra, 200 steps": (
        lotka_volterra,
        lotka_volterra_by_hand,
        (np.array([1.0, 0.5]), np.array([1.0, 0.5, 0.7, 0.3])),
        1.2,
        0.3,
    ),
    "Rosenbrock in 20 variables": (
        rosenbrock,
        rosenbrock_by_hand,
        (RANDOM.normal(size=20),),
        1.5,
        0.3,
    ),
    # Its loop is rolled; in 20 variables it is written out.
    "Rosenbrock in 40 variables": (
        rosenbrock,
        rosenbrock_by_hand,
        (RANDOM.normal(size=40),),
        1.5,
        0.3,
    ),
    "ten bodies, 200 steps": (
        bodies,
        bodies_by_hand,
        (RANDOM.normal(size=(10, 3)), RANDOM.normal(size=(10, 3)), np.ones(10)),
        1.1,
        0.3,
    ),
    "LSTM, 2 layers, 64 characters": (
        lstm,
        lstm_by_hand,
        (LAYERS, RANDOM.normal(size=(64, 8))),
        1.15,
        0.5,
    ),
    "Newton in 4 unknowns": (
        equilibrium,
        equilibrium_by_hand,
        (np.eye(4) + 0.1 * RANDOM.normal(size=(4, 4)), 1e3 * RANDOM.normal(size=4)),
        1.3,
        0.3,
    ),
    RECURRENCE: (
        recurrence,
        recurrence_by_hand,
        (0.999, 0.1),
        1.2,
        1.0,
    ),
}


# As much as a run on the tape takes, and what is written down.
MEMORY = 1.5


def to_record(function, args) -> tuple[object, float]:
    """The compiled gradient, and how long that has taken beyond a run on the tape."""
    numbers = tuple(range(len(args)))
    ours = srcgrad.value_and_grad(function, numbers if len(args) > 1 else 0)
    ours(*args)  # the first call runs on the tape alone; the second is recorded
    start = process_time()
    ours(*args)
    recorded = process_time() - start
    start = process_time()
    ours.untraced(args, {})
    return ours, recorded - (process_time() - start)


def memory_to_record(function, args) -> float:
    """The memory that the recorded call needs, against a run on the tape."""
    ours = srcgrad.value_and_grad(function, tuple(range(len(args))))
    peaks = []
    for _ in range(2):
        gc.collect()
        tracemalloc.start()
        ours(*args)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return peaks[1] / peaks[0]


def long_rows() -> list[Row]:
    """Loops of many iterations, of which the recording should tell nothing."""
    function, _, args, _, budget = PROGRAMS["Lotka-Volterra, 200 steps"]
    _, seconds = to_record(lambda s, rates: function(s, rates, 2_000), args)
    ratio_of_memory = memory_to_record(
        lambda a, b: recurrence(a, b, 20_000), PROGRAMS[RECURRENCE][2]
    )
    return [
        Row("Lotka-Volterra, 2,000 steps, compiling", seconds, budget, "s"),
        Row("recurrence, memory to compile", ratio_of_memory, MEMORY, "x"),
    ]


def row(name: str) -> list[Row]:
    function, by_hand, args, budget, to_compile = PROGRAMS[name]
    ours, compiling = to_record(function, args)
    value, gradients = ours(*args)
    expected, right = by_hand(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    for a, b in zip(flatten(gradients)[0], flatten(right)[0], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)
    times = ratio(lambda: ours(*args), lambda: by_hand(*args))
    return [
        Row(f"{name}, by hand = 1", times, budget, "x"),
        Row(f"{name}, compiling", compiling, to_compile, "s"),
    ]


def rows() -> list[Row]:
    return [*(each for name in PROGRAMS for each in row(name)), *long_rows()]


if __name__ == "__main__":
    report("Loops", rows())
