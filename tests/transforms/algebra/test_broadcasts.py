"""Broadcasts left to NumPy."""

import numpy as np
import pytest

from srcgrad.transforms.algebra.broadcasts import leave_broadcasts_lazy
from srcgrad.updates import add_at, assign, cast, scatter
from tests.transforms.interpret import record, run, text

rng = np.random.default_rng(0)
x, v, s = rng.normal(size=(4, 3)), rng.normal(size=3), np.float64(1.5)
SHAPE = (4, 3)

wide = np.broadcast_to

# A formula of a matrix x, a vector y and a scalar z, and what it becomes.
CHANGED = {
    "scalar": (lambda x, y, z: wide(z, SHAPE) * x, ["multiply(z, x)"]),
    "vector": (lambda x, y, z: x / wide(y, SHAPE), ["divide(x, y)"]),
    "leading axis": (lambda x, y, z: x + np.reshape(y, (1, 3)), ["add(x, y)"]),
    "new axis": (lambda x, y, z: x + np.expand_dims(y, 0), ["add(x, y)"]),
    "both": (
        lambda x, y, z: wide(y, SHAPE) * wide(z, SHAPE),
        ["multiply(y, z)", "broadcast_to(t, (4, 3))"],
    ),
    "kept shapes": (
        lambda x, y, z: wide(np.sum(x, axis=1, keepdims=True), SHAPE) * wide(y, SHAPE),
        ["sum(x, axis=1, keepdims=True)", "multiply(t, y)"],
    ),
    "numbers": (
        lambda x, y, z: wide(np.reshape(z, (1, 1)), SHAPE) / 96 * x,
        ["divide(z, 96)", "multiply(t, x)"],
    ),
    "twice": (
        lambda x, y, z: np.matmul(wide(wide(y, SHAPE), (2, 4, 3)), y),
        ["broadcast_to(y, (2, 4, 3))", "matmul(t, y)"],
    ),
    "another shape": (
        lambda x, y, z: x * np.reshape(wide(z, (2, 6)), (4, 3)),
        ["multiply(x, z)"],
    ),
    "other axes": (
        lambda x, y, z: np.matmul(x, np.transpose(wide(z, SHAPE))),
        ["broadcast_to(z, (3, 4))", "matmul(x, t)"],
    ),
    "parts": (
        lambda x, y, z: x[0] * wide(z, SHAPE)[1:, 0],
        ["getitem(x, 0)", "multiply(t, z)"],
    ),
    "elements": (
        lambda x, y, z: x * wide(z, SHAPE)[1, 0],
        ["multiply(x, z)"],
    ),
    "assigned": (
        lambda x, y, z: assign(x, 0, wide(z, (3,))),
        ["assign(x, 0, z)"],
    ),
    "assigned rows": (
        lambda x, y, z: assign(x, slice(2), wide(y, (2, 3))),
        ["assign(x, slice(None, 2, None), y)"],
    ),
    "added": (
        lambda x, y, z: add_at(x, [0, 0], wide(y, (2, 3))),
        ["add_at(x, [0, 0], y)"],
    ),
    "scattered": (
        lambda x, y, z: scatter(wide(z, (3,)), 1, SHAPE),
        ["scatter(z, 1, (4, 3))"],
    ),
    "where": (
        lambda x, y, z: np.where(x > 0.0, wide(y, SHAPE), 0.0),
        ["greater(x, 0.0)", "where(t, y, 0.0)"],
    ),
    "where of scalars": (
        lambda x, y, z: x * np.where(wide(z > 0.0, SHAPE), wide(z, SHAPE), 0.0),
        ["greater(z, 0.0)", "where(t, z, 0.0)", "multiply(x, t_1)"],
    ),
    "sum": (lambda x, y, z: np.sum(wide(z, SHAPE)), ["multiply(z, 12)"]),
    "sum to a scalar": (
        lambda x, y, z: np.sum(wide(y, SHAPE)),
        ["sum(y)", "multiply(t, 4)"],
    ),
    "sum of an axis": (
        lambda x, y, z: np.sum(wide(y, SHAPE), axis=0),
        ["multiply(y, 4)"],
    ),
    "sum of the other": (
        lambda x, y, z: np.exp(np.sum(wide(y, (4, 2, 3)), axis=(1, -1))),
        ["sum(y, axis=0)", "multiply(t, 2)", "exp(t_1)", "broadcast_to(t_2, (4,))"],
    ),
    "sum kept": (
        lambda x, y, z: np.sum(wide(y, SHAPE), axis=0, keepdims=True),
        ["multiply(y, 4)", "reshape(t, (1, 3))"],
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_formulas(name):
    formula, calls = CHANGED[name]
    graph = record(lambda *given: [formula(*given) - 1.0], [x, v, s])
    result = leave_broadcasts_lazy(graph)
    lines = [line.partition(" = ")[2] for line in text(result)[:-2]]
    expected = [line for line in calls if not line.startswith(("exp", "broadcast_to"))]
    kept = [line for line in lines if not line.startswith(("exp", "broadcast_to"))]
    assert kept[: len(expected)] == expected
    seen, expected = run(result, [x, v, s])[0][0], run(graph, [x, v, s])[0][0]
    np.testing.assert_allclose(seen, expected, rtol=1e-14, strict=True)


def test_casts_are_done_before():
    single = np.dtype(np.float32)
    graph = record(lambda x: [cast(wide(x, SHAPE), single) * 1.0], [s])
    result = leave_broadcasts_lazy(graph)
    first = result.nodes[0]
    assert (first.function, first.out.shape) == (cast, ())
    assert run(result, [s])[0][0].dtype == single


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y, z: np.cos(np.matmul(wide(y, SHAPE), y)),
        lambda x, y, z: np.multiply(wide(y, SHAPE), x, dtype=np.float32),
        lambda x, y, z: np.expand_dims(y, 1) + y,
        lambda x, y, z: np.sum(wide(y, (0, 3)), axis=0),
        lambda x, y, z: np.sum(x, axis=1),
        lambda x, y, z: np.sum(wide(y, SHAPE), axis=0, dtype=np.float32),
        lambda x, y, z: np.sum(wide(y, SHAPE), axis=0, initial=1.0),
        lambda x, y, z: np.sum(wide(y, SHAPE), axis=0, where=x > 0),
        lambda x, y, z: np.sum([wide(y, SHAPE), x]),
        lambda x, y, z: np.sum(wide(y + 1j, SHAPE)),
        # NumPy's `add.at` would read beyond the end of y.
        lambda x, y, z: scatter(
            wide(y, (2, 3)), np.array([[0, 1, 2], [3, 3, 2]]), (4,)
        ),
    ],
)
def test_what_would_not_be_the_same_stays(function):
    graph = record(lambda *given: [np.tanh(function(*given))], [x, v, s])
    assert leave_broadcasts_lazy(graph) is graph


def test_dtypes_stay():
    """A Python float takes part in another way than an array of float64."""
    single = x.astype(np.float32)
    graph = record(lambda x, f: [wide(f, SHAPE) * x], [single, 1.5])
    assert leave_broadcasts_lazy(graph) is graph
    graph = record(lambda x, f: [wide(f, SHAPE) * x], [x, 1.5])
    assert text(leave_broadcasts_lazy(graph))[0] == "t = multiply(y, x)"


def test_outputs_stay_arrays_of_their_own():
    graph = record(lambda y: [wide(y, SHAPE) * 2.0], [v])
    assert leave_broadcasts_lazy(graph) is graph


def test_a_sum_that_decides_is_as_on_the_tape():
    graph = record(lambda y: [np.sum(wide(y, SHAPE), axis=0) > 0.3], [v])
    assert leave_broadcasts_lazy(graph) is graph
