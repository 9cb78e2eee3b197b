"""Random small programs: the passes keep what they compute, and whose memory it is."""

import warnings

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from srcgrad.transforms import optimize, split
from srcgrad.updates import cast
from tests.transforms.interpret import (
    assert_same,
    is_tame,
    record,
    run,
    run_split,
    tolerance,
)

SHAPES = [(), (3,), (1,), (1, 3), (2, 1), (2, 3), (2, 1, 3)]
NUMBERS = [0.5, 2.0, -1.0, 1.0, 3, -3, 2, 96, 0.0, -0.0, 1e-3, 7.0, 1, 1e30]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -2.0]

UNARY = [
    np.negative,
    np.negative,
    np.positive,
    np.tanh,
    np.square,
    np.conjugate,
    np.sign,
    np.transpose,
    np.zeros_like,
    np.real,
    np.ravel,
    lambda x: x**2,
    lambda x: x**3,
    lambda x: x**4.0,
    lambda x: x**1,
    lambda x: x**-1.0,
    lambda x: np.expand_dims(x, 0),
    lambda x: np.expand_dims(x, -1),
    lambda x: np.broadcast_to(x, (2, *x.shape)),
    lambda x: np.broadcast_to(x, (2, 3)),
    lambda x: np.broadcast_to(x, (2, 3)),
    lambda x: np.broadcast_to(np.reshape(x, (1, 1)), (2, 3)),
    lambda x: np.broadcast_to(np.reshape(x, (2, 1)), (2, 3)),
    lambda x: np.broadcast_to(x, x.shape),
    lambda x: np.reshape(x, x.shape[::-1]),
    lambda x: np.reshape(x, (-1,)),
    lambda x: np.swapaxes(x, 0, -1) if x.ndim else x + 1.0,
    lambda x: np.moveaxis(x, 0, -1) if x.ndim else -x,
    lambda x: np.sum(x),
    lambda x: np.sum(x, axis=0) if x.ndim else np.sum(x),
    lambda x: np.sum(x, axis=-1, keepdims=True) if x.ndim else np.sum(x),
    lambda x: np.sum(x, axis=(0, -1)),
    lambda x: np.sum(x, axis=(1,)),
    lambda x: np.mean(x),
    lambda x: np.mean(x, axis=-1) if x.ndim else np.mean(x, keepdims=True),
    lambda x: np.max(x),
    lambda x: x[..., 0] if x.ndim else x[...],
    lambda x: x[(0,) * x.ndim],
    lambda x: x[..., None],
    lambda x: cast(x, x.dtype),
    lambda x: cast(x, np.dtype(np.float64)),
    lambda x: cast(x, np.dtype(np.float32)),
    lambda x: np.where(x > 0.5, x, 0.0),
    lambda x: np.split(x, [1])[0] if x.ndim else x,
]
BINARY = [
    np.add,
    np.add,
    np.subtract,
    np.multiply,
    np.multiply,
    np.multiply,
    np.divide,
    np.maximum,
    lambda x, y: np.where(x > y, x, y),
]


@st.composite
def arrays(draw, special=True):
    dtype = draw(st.sampled_from([np.float64, np.float64, np.float32]))
    kind = draw(st.sampled_from(["array"] * 4 + ["scalar", "float"]))
    if kind == "float":
        return draw(st.sampled_from([1.5, -0.25, 3.0]))
    if kind == "scalar":
        return dtype(draw(st.sampled_from([1.5, -0.25, 3.0, *SPECIAL])))
    shape = draw(st.sampled_from(SHAPES))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    array = np.asarray(rng.normal(size=shape).astype(dtype))
    if special and draw(st.integers(0, 5)) == 0:
        array[...] = rng.choice(SPECIAL, size=shape)
    return array


@st.composite
def programs(draw):
    """Inputs, cotangents, constants, and a function of them all."""
    inputs = draw(st.lists(arrays(), min_size=1, max_size=3))
    cotangents = draw(st.lists(arrays(), min_size=1, max_size=2))
    constants = [np.array(c) for c in draw(st.lists(arrays(special=False), max_size=2))]
    # Seeds: hypothesis would draw mostly small numbers, and so the same few functions.
    seeds = draw(st.lists(st.integers(0, 2**32 - 1), min_size=4, max_size=20))
    steps = [np.random.default_rng(seed).integers(10**6, size=4) for seed in seeds]
    late = draw(st.integers(0, len(steps) // 2))

    def function(*given):
        n, k = len(inputs), len(inputs) + len(cotangents)
        pool, gs, cs = list(given[:n]), list(given[n:k]), list(given[k:])
        pool += cs
        forward = []
        for i, (a, b, how, number) in enumerate(steps):
            if i == late:
                forward = pool[:]
                pool = pool + gs
            x = pool[-1 - a % min(len(pool), 6)]
            try:
                made = step(pool, x, b, how, number)
            except (ValueError, TypeError, AttributeError):
                continue  # shapes that do not fit, scalars without methods
            if made.size < 200:
                pool.append(made)
        forward = forward or pool[:]
        outputs = tuple(forward[-1 - i] for i in range(min(2, len(forward))))
        last = [pool[-1 - i % len(pool)] for i in range(n)]
        last = [None if i == 2 else g for i, g in enumerate(last)]
        return outputs, tuple(last)

    return function, inputs, cotangents, constants


def step(pool, x, b, how, number):
    """One operation on a value and on another one, or a number."""
    if how % 3 == 0:
        return UNARY[b % len(UNARY)](x)
    function = BINARY[b % len(BINARY)]
    other = pool[number % len(pool)]
    if how % 3 == 1:
        other = NUMBERS[number % len(NUMBERS)]
    return function(x, other) if b % 2 else function(other, x)


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@hypothesis.given(programs())
@hypothesis.settings(max_examples=4 * hypothesis.settings().max_examples)
def test_passes_keep_the_meaning(program):
    function, inputs, cotangents, constants = program
    with np.errstate(all="ignore"):
        graph = record(function, inputs, cotangents, constants)
        expected = run(graph, inputs, cotangents)
        optimized = optimize(graph, check=True)
        seen = run(optimized, inputs, cotangents)
        hypothesis.assume(is_tame(expected[0] + expected[1]))
        assert_same(seen[0] + seen[1], expected[0] + expected[1], tolerance(graph))

        partition = split(optimized)
        partition.forward.lint()
        if partition.backward is not None:
            partition.backward.lint()
        outputs, gradients, _ = run_split(partition, inputs, cotangents)
    assert_same(outputs, seen[0])
    if partition.backward is not None:
        assert_same(gradients, seen[1])


def holders(partition, inputs, cotangents, outputs, saved):
    """All arrays that someone may hold besides the gradients."""
    constants = [*partition.forward.constants.values()]
    if partition.backward is not None:
        constants += partition.backward.constants.values()
    held = (*inputs, *cotangents, *outputs, *saved, *constants)
    return [array for array in held if isinstance(array, np.ndarray)]


def sharing(outputs, inputs):
    """Which outputs share memory with which inputs and outputs, and may be written."""
    arrays = [*outputs, *inputs]
    return [
        (i, j)
        for i, a in enumerate(outputs)
        for j, b in enumerate(arrays)
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        if np.shares_memory(a, b) and a.size
    ]


@hypothesis.given(programs())
@hypothesis.settings(max_examples=4 * hypothesis.settings().max_examples)
def test_results_are_owned(program):
    function, inputs, cotangents, constants = program
    graph = record(function, inputs, cotangents, constants)
    expected, _ = run(graph, inputs, cotangents)
    partition = split(optimize(graph, check=True))
    outputs, gradients, saved = run_split(partition, inputs, cotangents)

    assert sharing(outputs, inputs) == sharing(expected, inputs)
    assert not any(
        np.shares_memory(output, constant)
        for output in outputs
        for constant in partition.forward.constants.values()
    )
    held = holders(partition, inputs, cotangents, outputs, saved)
    for gradient in gradients:
        if isinstance(gradient, np.ndarray):
            assert gradient.flags.writeable
            assert not any(np.shares_memory(gradient, array) for array in held)
            held.append(gradient)
