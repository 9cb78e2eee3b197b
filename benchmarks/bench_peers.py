"""Value and gradient by srcgrad and by other libraries, against NumPy written by hand.

Each program is written once, for the namespace ``n``; the peers are those that are
installed (``pip install -e '.[bench,peers]'``). JAX and srcgrad compile, autograd and
PyTorch do not. All compute with float64, on one thread of the CPU.
"""

import importlib.util
import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from bench_loops import rosenbrock_by_hand
from ratios import Row, ratio, report

import srcgrad

RANDOM = np.random.default_rng(0)


class Program(NamedTuple):
    """A function of arrays; all are differentiated by the first one."""

    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: tuple[Any, ...]
    budget: float


# ----- A two-layer network, by one matrix of weights -----


def network(n, W, V, x, y):
    h = n.tanh(x @ W)
    return n.mean((h @ V - y) ** 2)


def network_by_hand(W, V, x, y):
    h = np.tanh(x @ W)
    r = h @ V - y
    dz = ((2.0 / r.size) * r @ V.T) * (1.0 - h * h)
    return np.mean(r * r), x.T @ dz


# ----- A recurrent network: a loop over small arrays -----


def recurrent(n, W, xs):
    h = xs[0] * 0.0
    for t in range(50):
        h = n.tanh(W @ h + xs[t])
    return n.sum(h * h)


def recurrent_by_hand(W, xs):
    h = np.zeros(16)
    hs = [h]
    for t in range(50):
        h = np.tanh(W @ h + xs[t])
        hs.append(h)
    dh, dW = 2.0 * h, np.zeros((16, 16))
    for t in reversed(range(50)):
        dz = dh * (1.0 - hs[t + 1] ** 2)
        dW += dz[:, None] * hs[t]
        dh = W.T @ dz
    return h @ h, dW


# ----- Rosenbrock's function: a loop over numbers -----


def rosenbrock(n, x):
    total = 0.0
    for i in range(19):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


# ----- The likelihood of a Gaussian process: linear algebra -----


def likelihood(n, logs, apart, one, y):
    p = n.exp(logs)
    K = p[1] ** 2 * n.exp(-0.5 * (apart / p[0]) ** 2) + p[2] ** 2 * one
    root = n.linalg.cholesky(K)
    white = n.linalg.solve(root, y[:, None])[:, 0]
    return 0.5 * n.sum(white**2) + n.sum(n.log(n.diag(root)))


def likelihood_by_hand(logs, apart, one, y):
    length, height, noise = np.exp(logs)
    squares = (apart / length) ** 2
    common = height**2 * np.exp(-0.5 * squares)
    K = common + noise**2 * one
    inverse = np.linalg.inv(K)
    weights = inverse @ y
    _, log_determinant = np.linalg.slogdet(K)
    dK = 0.5 * (inverse - weights[:, None] * weights)
    by_common = dK * common
    slopes = [
        np.sum(by_common * squares),
        2.0 * np.sum(by_common),
        2.0 * noise**2 * np.trace(dK),
    ]
    return 0.5 * (y @ weights + log_determinant), np.array(slopes)


PLACES = np.sort(RANDOM.uniform(0.0, 10.0, 60))
PROGRAMS = {
    "two-layer network, batch of 128": Program(
        network,
        network_by_hand,
        (
            RANDOM.normal(size=(32, 64)) / 6.0,
            RANDOM.normal(size=(64, 8)) / 8.0,
            RANDOM.normal(size=(128, 32)),
            RANDOM.normal(size=(128, 8)),
        ),
        1.6,
    ),
    "recurrent network, 50 steps": Program(
        recurrent,
        recurrent_by_hand,
        (RANDOM.normal(size=(16, 16)) / 4.0, RANDOM.normal(size=(50, 16))),
        1.6,
    ),
    "Rosenbrock, loop over 20 numbers": Program(
        rosenbrock, rosenbrock_by_hand, (RANDOM.normal(size=20),), 1.5
    ),
    "Gaussian process, 60 points": Program(
        likelihood,
        likelihood_by_hand,
        (
            np.log([1.0, 1.0, 0.3]),
            PLACES[:, None] - PLACES,
            np.eye(60),
            np.sin(PLACES),
        ),
        4.0,
    ),
}


# ----- The libraries -----


def in_srcgrad(function, arguments):
    value_and_grad = srcgrad.value_and_grad(lambda *args: function(np, *args))
    value_and_grad.compile(*arguments)
    return lambda: value_and_grad(*arguments)


def in_autograd(function, arguments):
    import autograd

    value_and_grad = autograd.value_and_grad(
        lambda *args: function(autograd.numpy, *args)
    )
    return lambda: value_and_grad(*arguments)


def in_jax(function, arguments):
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"  # read when loaded
    import jax

    jax.config.update("jax_enable_x64", True)
    value_and_grad = jax.jit(
        jax.value_and_grad(lambda *args: function(jax.numpy, *args))
    )
    arrays = [jax.numpy.asarray(each) for each in arguments]
    return lambda: jax.block_until_ready(value_and_grad(*arrays))


def in_torch(function, arguments):
    import torch

    torch.set_num_threads(1)
    first, *others = (torch.as_tensor(each) for each in arguments)
    first = first.clone().requires_grad_()

    def value_and_grad():
        value = function(torch, first, *others)
        return value.detach(), *torch.autograd.grad(value, first)

    return value_and_grad


LIBRARIES = {
    "srcgrad": in_srcgrad,
    "autograd": in_autograd,
    "jax": in_jax,
    "torch": in_torch,
}


def rows() -> list[Row]:
    """Return the ratios, after a look that all agree."""
    found = []
    for title, (function, by_hand, arguments, budget) in PROGRAMS.items():
        expected = by_hand(*arguments)
        for name, make in LIBRARIES.items():
            if importlib.util.find_spec(name) is None:
                continue
            run = make(function, arguments)
            for ours, right in zip(run(), expected, strict=True):
                np.testing.assert_allclose(np.asarray(ours), right, rtol=1e-7)
            times = ratio(run, partial(by_hand, *arguments))
            most = budget if name == "srcgrad" else float("inf")
            found.append(Row(f"{title}: {name}", times, most, "x"))
    return found


if __name__ == "__main__":
    report("Value and gradient, NumPy by hand = 1", rows())
