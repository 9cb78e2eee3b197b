"""The programs of ``bench_native`` as an expert writes them in CasADi.

What is scalars is an expression (SX); a loop of many steps calls a function of one
step (MX), or is written out (SX) where that is faster. Each is a `Function` from and to
buffers that are NumPy's, so that nothing is converted; CasADi's virtual machine
evaluates it, or C that a compiler makes of it. Large matrices are left out.
"""

import shutil
import tempfile
from collections.abc import Callable
from functools import partial

import casadi as ca
import numpy as np

from srcgrad.pytree import flatten

ca.Function("start", [ca.SX.sym("x")], [])


# ----- The programs, of symbols in place of arguments -----


def rosenbrock(x):
    return ca.sum1(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def runge_kutta(state, rates):
    a, b, c, d = ca.vertsplit(rates)
    dt = 0.01

    def slope(z):
        xy = z[0] * z[1]
        return ca.vertcat(a * z[0] - b * xy, d * xy - c * z[1])

    k1 = slope(state)
    k2 = slope(state + 0.5 * dt * k1)
    k3 = slope(state + 0.5 * dt * k2)
    k4 = slope(state + dt * k3)
    return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def lotka_volterra(state, rates):
    step = as_function(runge_kutta, (2, 1), (4, 1))
    for _ in range(200):
        state = step(state, rates)
    return ca.sum1(state)


def leap(state, masses):
    """A step of ten bodies: places and momenta are columns."""
    q, p = state[:, :3], state[:, 3:]
    dt = 0.01

    def force(q):
        found = []
        for i in range(10):
            r = ca.repmat(q[i, :], 10, 1) - q
            s = ca.sum2(r * r) + 0.1
            found.append(-ca.sum1(ca.repmat(masses / (s * ca.sqrt(s)), 1, 3) * r))
        return ca.vertcat(*found)

    p = p + 0.5 * dt * force(q)
    q = q + dt * p
    return ca.horzcat(q, p + 0.5 * dt * force(q))


def bodies(q, p, masses):
    step, state = as_function(leap, (10, 6), (10, 1)), ca.horzcat(q, p)
    for _ in range(200):
        state = step(state, masses)
    return ca.sumsqr(state)


def view(p, seen):
    turn, Y = p[:3], p[11:14] - p[3:6]
    theta = ca.norm_2(turn)
    a = turn / theta
    c, s = ca.cos(theta), ca.sin(theta)
    q = c * Y + s * ca.cross(a, Y) + (1.0 - c) * ca.dot(a, Y) * a
    u = q[:2] / q[2]
    n = ca.dot(u, u)
    r = 1.0 + p[9] * n + p[10] * n * n
    return p[14] * (p[6] * r * u + p[7:9] - seen)


def view_error(p, seen):
    return ca.sumsqr(view(p, seen))


def cell(state, x, *layers):
    """A character of an LSTM; the sum is the last of the state."""
    new, total = [], state[64]
    for n in range(2):
        W, U, b = layers[3 * n : 3 * n + 3]
        h, c = state[32 * n : 32 * n + 16], state[32 * n + 16 : 32 * n + 32]
        z = W @ x + U @ h + b
        i, f, o = (0.5 * ca.tanh(0.5 * z[k : k + 16]) + 0.5 for k in (0, 16, 32))
        c = f * c + i * ca.tanh(z[48:])
        x = o * ca.tanh(c)
        new += [x, c]
    return ca.vertcat(*new, total + ca.sumsqr(x))


def lstm(*arguments):
    *layers, xs = arguments
    step = as_function(cell, (65, 1), (8, 1), *(each.shape for each in layers))
    state = ca.MX.zeros(65)
    for x in ca.vertsplit(xs):
        state = step(state, x.T, *layers)
    return state[64]


def chain(x):
    """One element's, over all: CasADi's map."""
    y = one = ca.SX.sym("x")
    for _ in range(5):
        y = ca.sin(y) * 1.1 + 0.3
        y = y * y - 0.5
        y = y / (1.0 + y * y)
    both = ca.Function("both", [one], [y, ca.gradient(y, one)])
    value, slopes = both.map(x.shape[0])(x.T)
    return ca.sum2(value), slopes


def huber(x, delta):
    r = ca.fabs(x)
    return ca.sum1(ca.if_else(r <= delta, 0.5 * r * r, delta * (r - 0.5 * delta)))


def observe(state, y, A, Q, r, H):
    """A step of the Kalman filter; the sum is the last of the state."""
    m, P = A @ state[:4], A @ ca.reshape(state[4:20], 4, 4) @ A.T + Q
    v = y - ca.dot(H, m)
    PH = P @ H
    s = ca.dot(H, PH) + r
    K = PH / s
    total = state[20] + ca.log(s) + v * v / s
    return ca.vertcat(m + K * v, ca.vec(P - K @ PH.T), total)


def kalman(A, Q, r, H, ys):
    step = as_function(observe, (21, 1), (1, 1), (4, 4), (4, 4), (1, 1), (4, 1))
    state = ca.DM(np.concatenate([np.zeros(4), np.eye(4).ravel(), [0.0]]))
    for y in ca.vertsplit(ys):
        state = step(state, y, A, Q, r, H)
    return 0.5 * state[20]


# ----- Functions and their slopes -----


def as_function(step: Callable, *shapes: tuple) -> ca.Function:
    """Return a step as a function, which MX calls, and SX writes out."""
    kind = ca.MX if step is cell else ca.SX  # a cell of an LSTM is matrices
    symbols = [kind.sym("v", *shape) for shape in shapes]
    return ca.Function("step", symbols, [step(*symbols)], {"cse": True})


def called(function: ca.Function, arguments: list, shapes: list) -> Callable:
    """Return a call from arrays to arrays; CasADi stores matrices by columns."""
    buffer, run = function.buffer()
    given = [np.array(each, float, order="F", ndmin=1).T for each in arguments]
    found = [np.empty(shape, order="F") for shape in shapes]
    for number, each in enumerate(given):
        buffer.set_arg(number, memoryview(each))
    for number, each in enumerate(found):
        buffer.set_res(number, memoryview(each.T))

    def call():
        run()
        return found

    call.keeps = buffer, given
    return call


def gradients(value, inputs: list) -> list:
    return [value, *(ca.gradient(value, each) for each in inputs)]


def jacobian(value, inputs: list) -> list:
    return [ca.jacobian(value, inputs[0])]


def given(value, _) -> list:
    return [value[0], value[1].T]


# ----- What is compared -----


def make(function, numbers, kind, slopes, options, *arguments) -> Callable:
    """Return a call for the value and its slopes by some of the arguments."""
    leaves = flatten(arguments)[0]
    symbols = [kind.sym(f"a{n}", *np.shape(each)) for n, each in enumerate(leaves)]
    results = slopes(function(*symbols), [symbols[n] for n in numbers])
    results = [ca.densify(each) for each in results]
    function = ca.Function("f", symbols, results, options)
    shapes = [tuple(n for n in each.shape if n > 1) or (1,) for each in results]
    return called(function, leaves, shapes)


FOLDER = tempfile.TemporaryDirectory()  # of C and what is made of it
IN_C = {
    "jit": True,
    "compiler": "shell",
    "jit_options": {"flags": ["-O2", "-march=native"], "directory": f"{FOLDER.name}/"},
}
# Of each: the function, the arguments differentiated, the kind of symbols for CasADi's
# machine and for C, and what the slopes are.
ROWS = {
    "Rosenbrock, 20 variables": (rosenbrock, (0,), ca.SX, ca.SX, gradients),
    "Lotka-Volterra, 200 RK4": (lotka_volterra, (0, 1), ca.SX, ca.MX, gradients),
    "ten bodies, 200 leapfrog": (bodies, (0, 1, 2), ca.MX, ca.MX, gradients),
    "LSTM, 64 characters": (lstm, range(7), ca.MX, ca.MX, gradients),
    "Huber loss, 100 points": (huber, (0,), ca.SX, ca.SX, gradients),
    "Kalman filter, 200 steps": (kalman, (0, 1, 2, 3), ca.SX, ca.MX, gradients),
    "bundle, gradient": (view_error, (0,), ca.SX, ca.SX, gradients),
    "bundle, 2x15 Jacobian": (view, (0,), ca.SX, ca.SX, jacobian),
    "chain, 1,000 elements": (chain, (0,), ca.MX, ca.MX, given),
    "chain, 1,000,000 elements": (chain, (0,), ca.MX, ca.MX, given),
}
COLUMNS = {
    "CasADi": {
        name: partial(make, function, numbers, kind, slopes, {"cse": True})
        for name, (function, numbers, kind, _, slopes) in ROWS.items()
    }
}
if shutil.which("gcc"):
    COLUMNS["CasADi in C"] = {
        name: partial(make, function, numbers, kind, slopes, {"cse": True, **IN_C})
        for name, (function, numbers, _, kind, slopes) in ROWS.items()
    }
