"""Machine code: value and gradient against what an expert writes by hand in NumPy.

The programs are those of the other scripts. Each is compiled (``set_native("now")``),
checked against the expert's, and timed in turns with it. Where NumPy's tier is faster,
or machine code does not do a program yet, that is timed, and the row says so. Budgets
are what is asked for. CasADi, JAX and Numba by hand do not run here.
"""

import os
import tempfile
from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

import bench_filter
import bench_loops
import bench_peers
import bench_scalars
import numpy as np
from ratios import Row, ratio, report

import srcgrad
from srcgrad.pytree import flatten

RANDOM = np.random.default_rng(0)
# Calls until one of the tiers has been chosen, and some more.
TRIED = 12


class Program(NamedTuple):
    """A function, the same by hand, its arguments, those differentiated, the budget."""

    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: tuple[Any, ...]
    numbers: Any
    budget: float


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


# ----- What is compared -----


def programs() -> dict[str, Program]:
    """All programs of the table."""
    loops, filters, peers = bench_loops, bench_filter, bench_peers
    found = {
        name: Program(
            function,
            by_hand,
            arguments,
            tuple(range(len(arguments))) if len(arguments) > 1 else 0,
            budget,
        )
        for (name, budget) in (
            ("Rosenbrock in 20 variables", 0.2),
            ("Lotka-Volterra, 200 steps", 0.04),
            ("ten bodies, 200 steps", 0.06),
            ("LSTM, 2 layers, 64 characters", 0.3),
        )
        for function, by_hand, arguments, *_ in [loops.PROGRAMS[name]]
    }
    pose = np.concatenate([0.1 * RANDOM.normal(size=3), [0.1, -0.2, 4.0]])
    camera = np.concatenate([pose, [500.0, 0.01, -0.003]])
    view = camera, RANDOM.normal(size=3), np.array([20.0, -10.0])
    scalars = bench_scalars
    found["bundle adjustment, one view"] = Program(
        scalars.bundle, scalars.bundle_by_hand, view, (0, 1), 0.2
    )
    for size, budget in ((1_000, 0.6), (1_000_000, 0.3)):
        x = RANDOM.normal(size=size)
        found[f"chain of 25 operations, {size:,} elements"] = Program(
            chain, chain_by_hand, (x,), 0, budget
        )
    parts = RANDOM.normal(size=(25, 10)), RANDOM.normal(size=25), np.zeros(25)
    found["Gaussian mixture, d=10, K=25"] = Program(
        mixture,
        mixture_by_hand,
        (*parts, RANDOM.normal(size=(500, 10))),
        (0, 1, 2),
        0.4,
    )
    for name, program in peers.PROGRAMS.items():
        if "network, batch" in name or "Gaussian process" in name:
            found[name] = Program(
                lambda *args, f=program.function: f(np, *args),
                program.by_hand,
                program.arguments,
                0,
                1.0 if "network" in name else 0.75,
            )
    found["Huber loss with `if`, 100 points"] = Program(
        scalars.huber, scalars.huber_by_hand, (RANDOM.normal(size=100), 0.7), 0, 0.1
    )
    A = 0.9 * np.eye(4) + 0.05 * RANDOM.normal(size=(4, 4))
    given = A, 0.1 * np.eye(4), 0.5, RANDOM.normal(size=4), RANDOM.normal(size=200)
    found["Kalman filter, 200 observations"] = Program(
        filters.kalman, filters.kalman_by_hand, given, (0, 1, 2, 3), 0.3
    )
    return found


def symmetric(array) -> np.ndarray:
    """What a matrix adds up to with its transpose, for gradients by symmetric ones."""
    array = np.asarray(array)
    is_square = array.ndim == 2 and len({*array.shape}) == 1
    return array + array.T if is_square else array


def row(name: str, program: Program) -> list[Row]:
    """Return the ratio, after a look that both agree, and the time to compile."""
    function, by_hand, arguments, numbers, budget = program
    start = process_time()
    with srcgrad.set_native("now"):
        ours = srcgrad.value_and_grad(srcgrad.trace(function), numbers)
        for _ in range(TRIED):
            value, gradients = ours(*arguments)
    seconds = process_time() - start
    expected, right = by_hand(*arguments)
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    for a, b in zip(flatten(gradients)[0], flatten(right)[0], strict=False):
        np.testing.assert_allclose(symmetric(a), symmetric(b), rtol=1e-6, atol=1e-8)
    told = ours.explain().partition("answered by: ")[2].partition("\n")[0]
    times = ratio(lambda: ours(*arguments), lambda: by_hand(*arguments))
    shown = name if told.startswith("machine code takes") else f"{name} (by {told})"
    return [
        Row(shown, times, budget, "x"),
        Row(f"{name}, first {TRIED} calls", seconds, float("inf"), "s"),
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # all is compiled anew
        os.environ["SRCGRAD_CACHE_DIR"] = folder
        report(
            "Machine code, by an expert's NumPy (value_and_grad)",
            [each for item in programs().items() for each in row(*item)],
        )
