"""Transforms: the way to generated code, and forward mode and products against it."""

import numpy as np
from ratios import Row, difference, ratio, report

import srcgrad
from srcgrad.pytree import flatten
from srcgrad.tracing.own_traces import target_of

RNG = np.random.default_rng(0)
X, T = RNG.normal(size=4), RNG.normal(size=4)
WIDE, ALONG = RNG.normal(size=2000), RNG.normal(size=2000)
SHAPES = ((256, 256), (256,), (256, 256))
W, B, BATCH = (RNG.normal(size=shape) for shape in SHAPES)


def square(x):
    return np.sum(x * x)


def number(x):
    return x * x + 1.0


def of_tuple(p):
    w, b = p
    return np.sum(w * w) + np.sum(b)


def of_dict(p):
    return np.sum(p["w"] * p["w"]) + np.sum(p["b"])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def layer(w, b, x):
    return np.tanh(x @ w + b)


def network(w, b, x):
    return np.mean(np.tanh(layer(w, b, x) @ w + b) ** 2)


def path_to(function, args) -> float:
    """Return how many microseconds a call takes beside the generated function."""
    value_and_grad = srcgrad.value_and_grad(function)
    for _ in range(3):
        value_and_grad(*args)
    (entry,) = target_of(function).traced._cache.entries()
    forward = entry.traces[0].module.forward
    leaves = flatten(args)[0]
    return 1e6 * difference(lambda: value_and_grad(*args), lambda: forward(*leaves))


def rows() -> list[Row]:
    """Return overheads in microseconds, and ratios."""
    paths = [
        ("value_and_grad, of an array", square, (X,), 3.0),
        ("value_and_grad, of a float", number, (2.0,), 3.0),
        ("value_and_grad, of a tuple", of_tuple, ((X, T),), 6.0),
        ("value_and_grad, of a dict", of_dict, ({"w": X, "b": T},), 6.0),
    ]
    measured = [
        Row(f"the way to {name}", path_to(function, args), budget, "us")
        for name, function, args, budget in paths
    ]
    args, along = (W, B, BATCH), (BATCH, B, W)
    numbers = (0, 1, 2)
    gradient = srcgrad.grad(network, numbers)
    slope = srcgrad.grad(rosenbrock)
    ratios = [
        (
            "jvp of a layer, against the layer",
            lambda: srcgrad.jvp(layer, args, along),
            lambda: layer(*args),
        ),
        (
            "jvp of a network, against the network",
            lambda: srcgrad.jvp(network, args, along),
            lambda: network(*args),
        ),
        (
            "hvp of a network, against its gradient",
            lambda: srcgrad.hvp(network, args, along),
            lambda: gradient(*args),
        ),
        (
            "hvp of Rosenbrock's function, against its gradient",
            lambda: srcgrad.hvp(rosenbrock, WIDE, ALONG),
            lambda: slope(WIDE),
        ),
    ]
    return measured + [
        Row(name, ratio(transform, baseline), 3.0, "x")
        for name, transform, baseline in ratios
    ]


if __name__ == "__main__":
    report("Transforms of functions that are not decorated", rows())
