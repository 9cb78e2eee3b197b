"""Batches, Jacobians and sparse Jacobians: against loops, and by size.

Where HIPS autograd is installed its Jacobian is the loop to compare with; else it is
our own on the tape, row by row.
"""

import functools
import importlib
import time

import numpy as np
from ratios import Row, ratio, report

import srcgrad

SIZE = 100
SIZES = (10**3, 10**4, 10**5, 10**6)


def layer(numpy):
    """A function from R^100 to R^100, in one NumPy or the other."""
    matrix = np.random.default_rng(0).normal(size=(SIZE, SIZE)) / 10.0

    def function(x):
        return numpy.tanh(matrix @ x) * x + numpy.sin(x) ** 2

    return function


def loop():
    """The Jacobian of the peer, and its name."""
    try:
        autograd, numpy = map(importlib.import_module, ("autograd", "autograd.numpy"))
    except ImportError:
        tape = srcgrad.jacobian(layer(np))

        def row_by_row(x):
            with srcgrad.set_stance("tape"):
                return tape(x)

        return row_by_row, "our own tape, row by row"
    return autograd.jacobian(layer(numpy)), "HIPS autograd"


def jacobian_row() -> Row:
    """How many times faster the Jacobian is than a loop."""
    ours = srcgrad.jacobian(layer(np))
    theirs, name = loop()
    x = np.random.default_rng(1).normal(size=SIZE)
    for _ in range(3):
        assert np.allclose(ours(x), theirs(x))
    speed = ratio(lambda: theirs(x), lambda: ours(x))
    title = f"jacobian of R^100 -> R^100, times faster than {name}"
    return Row(title, speed, 10.0, "x", is_floor=True)


def vmap_row() -> Row:
    """A batch of gradients against a gradient of the batch, written by hand."""
    weights = np.random.default_rng(0).normal(size=(32, 16))
    batch = np.random.default_rng(1).normal(size=(64, 16))
    gradients = srcgrad.vmap(srcgrad.grad(lambda x: np.sum(np.tanh(weights @ x))))

    def by_hand():
        h = np.tanh(batch @ weights.T)
        return (1.0 - h * h) @ weights

    for _ in range(3):
        assert np.allclose(gradients(batch), by_hand())
    return Row(
        "vmap(grad) of 64 elements, against by hand",
        ratio(lambda: gradients(batch), by_hand),
        2.0,
        "x",
    )


def broyden(x):
    """Broyden's tridiagonal function."""
    wide = np.concatenate([np.zeros(1), x, np.zeros(1)])
    return (3.0 - 2.0 * x) * x - wide[:-2] - 2.0 * wide[2:] + 1.0


def chained(x):
    """Rosenbrock's function of many variables."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def seconds(function, x) -> float:
    """How long the first call takes, which finds the pattern and the colours."""
    start = time.perf_counter()
    function(x)
    return time.perf_counter() - start


def sparse_rows():
    """How much longer ten times as many unknowns take; linear is ten times as long.

    Later calls are held against the function itself, which is linear in their number:
    an unknown takes longer, in both, where the arrays fit into no cache.
    """
    for name, transform, function in (
        ("sparse_jacobian, tridiagonal", srcgrad.sparse_jacobian, broyden),
        ("sparse_hessian, chained", srcgrad.sparse_hessian, chained),
    ):
        made, first, later = transform(function), [], []
        for n in SIZES:
            x = np.linspace(-1.0, 1.0, n)
            first.append(seconds(made, x))
            later.append(
                ratio(functools.partial(made, x), functools.partial(function, x))
            )
            print(
                f"{name}: {n} unknowns take {first[-1]:.2f} s, then {later[-1]:.1f} "
                f"times the function, {1e9 * seconds(made, x) / n:.0f} ns each"
            )
        most = f"{SIZES[-1]:,} unknowns"
        yield Row(
            f"{name}: first call, {most}, 10 times", first[-1] / first[-2], 20, "x"
        )
        # Calls of a linear cost are as many times the function, however many unknowns.
        grown = later[-1] / later[-2]
        yield Row(f"{name}: later calls against the function", grown, 1.5, "x")


if __name__ == "__main__":
    report(
        "Batched evaluation",
        [jacobian_row(), vmap_row(), *sparse_rows()],
    )
