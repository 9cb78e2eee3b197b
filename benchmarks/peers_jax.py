"""The programs of ``bench_native`` as an expert writes them in JAX.

Everything is one ``jit``; loops are ``lax.scan``, loops over elements are written as
operations on arrays. float64 is on. Arguments are JAX's arrays before the clock runs.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"  # read when loaded

import jax
from jax import lax
from jax import numpy as jnp
from jax.scipy.linalg import solve_triangular
from jax.scipy.special import logsumexp

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_cpu_enable_async_dispatch", False)  # one core has one queue
jax.jit(lambda x: x + 1.0)(1.0)  # starts the compiler


def rosenbrock(x):
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def lotka_volterra(state, rates):
    a, b, c, d = rates
    dt = 0.01

    def slope(x, y):
        return a * x - b * x * y, d * x * y - c * y

    def step(state, _):
        x, y = state
        k1, m1 = slope(x, y)
        k2, m2 = slope(x + 0.5 * dt * k1, y + 0.5 * dt * m1)
        k3, m3 = slope(x + 0.5 * dt * k2, y + 0.5 * dt * m2)
        k4, m4 = slope(x + dt * k3, y + dt * m3)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y = y + dt / 6 * (m1 + 2 * m2 + 2 * m3 + m4)
        return (x, y), None

    x, y = lax.scan(step, (state[0], state[1]), length=200, unroll=4)[0]
    return x + y


def bodies(q, p, masses):
    dt = 0.01

    def force(q):
        r = q[:, None, :] - q[None, :, :]
        s = jnp.sum(r * r, axis=2) + 0.1
        return -jnp.sum((masses * s**-1.5)[:, :, None] * r, axis=1)

    def step(state, _):
        q, p = state
        p = p + 0.5 * dt * force(q)
        q = q + dt * p
        return (q, p + 0.5 * dt * force(q)), None

    (q, p), _ = lax.scan(step, (q, p), length=200)
    return jnp.sum(q * q) + jnp.sum(p * p)


def view(p, seen):
    turn, Y = p[:3], p[11:14] - p[3:6]
    theta = jnp.linalg.norm(turn)
    a = turn / theta
    c, s = jnp.cos(theta), jnp.sin(theta)
    q = c * Y + s * jnp.cross(a, Y) + (1.0 - c) * (a @ Y) * a
    u = q[:2] / q[2]
    n = u @ u
    r = 1.0 + p[9] * n + p[10] * n * n
    return p[14] * (p[6] * r * u + p[7:9] - seen)


def view_error(p, seen):
    return jnp.sum(view(p, seen) ** 2)


def lstm(layers, xs):
    def step(states, x):
        new = []
        for (W, U, b), (h, c) in zip(layers, states, strict=True):
            z = W @ x + U @ h + b
            i, f, o = jnp.split(jax.nn.sigmoid(z[:48]), 3)
            c = f * c + i * jnp.tanh(z[48:])
            x = o * jnp.tanh(c)
            new.append((x, c))
        return new, x

    zero = jnp.zeros(16)
    hs = lax.scan(step, [(zero, zero) for _ in layers], xs)[1]
    return jnp.sum(hs * hs)


def chain(x):
    y = x
    for _ in range(5):
        y = jnp.sin(y) * 1.1 + 0.3
        y = y * y - 0.5
        y = y / (1.0 + y * y)
    return jnp.sum(y)


def mixture(means, logits, scales, X):
    apart = X[:, None, :] - means
    squares = jnp.sum(apart * apart, axis=2) * jnp.exp(-2.0 * scales)
    logs = logits - 10.0 * scales - 0.5 * squares
    return len(X) * logsumexp(logits) - jnp.sum(logsumexp(logs, axis=1))


def network(layers, x, y):
    *hidden, (W, b) = layers
    for V, a in hidden:
        x = jnp.tanh(x @ V + a)
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(x @ W + b) * y, axis=1))


def likelihood(logs, apart, one, y):
    length, height, noise = jnp.exp(logs)
    K = height**2 * jnp.exp(-0.5 * (apart / length) ** 2) + noise**2 * one
    root = jnp.linalg.cholesky(K)
    white = solve_triangular(root, y, lower=True)
    return 0.5 * white @ white + jnp.sum(jnp.log(jnp.diag(root)))


def huber(x, delta):
    r = jnp.abs(x)
    return jnp.sum(jnp.where(r <= delta, 0.5 * r * r, delta * (r - 0.5 * delta)))


def kalman(A, Q, r, H, ys):
    def step(state, y):
        m, P, total = state
        m = A @ m
        P = A @ P @ A.T + Q
        v = y - H @ m
        PH = P @ H
        s = H @ PH + r
        K = PH / s
        total = total + jnp.log(s) + v * v / s
        return (m + K * v, P - jnp.outer(K, PH), total), None

    start = jnp.zeros(4), jnp.eye(4), 0.0
    return 0.5 * lax.scan(step, start, ys)[0][2]


# ----- What is compared -----


def made(function, numbers=0, transform=jax.value_and_grad):
    """From arguments to a call that waits for its results."""

    def make(*arguments):
        compiled = jax.jit(transform(function, numbers))
        arrays = jax.tree.map(jnp.asarray, arguments)
        return lambda: jax.block_until_ready(compiled(*arrays))

    return make


COLUMNS = {
    "JAX": {
        "Rosenbrock, 20 variables": made(rosenbrock),
        "Lotka-Volterra, 200 RK4": made(lotka_volterra, (0, 1)),
        "ten bodies, 200 leapfrog": made(bodies, (0, 1, 2)),
        "LSTM, 64 characters": made(lstm, (0, 1)),
        "Huber loss, 100 points": made(huber),
        "Kalman filter, 200 steps": made(kalman, (0, 1, 2, 3)),
        "bundle, gradient": made(view_error),
        "bundle, 2x15 Jacobian": made(view, 0, jax.jacrev),
        "chain, 1,000 elements": made(chain),
        "chain, 1,000,000 elements": made(chain),
        "Gaussian mixture, K=25": made(mixture, (0, 1, 2)),
        "Gaussian process, n=200": made(likelihood),
        "network 16-32-32-10": made(network),
        "network 784-1024-1024-10": made(network),
    }
}
