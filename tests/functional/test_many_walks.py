import numpy as np
import pytest

import srcgrad
from srcgrad import grad, hessian, jacobian, vmap
from srcgrad.functional.many_walks import check_chunk_size, units, walked
from tests.functional.problems import PROBLEMS, draw

rows = pytest.mark.parametrize(
    ("function", "shapes"),
    [row[1:] for row in PROBLEMS],
    ids=[row[0] for row in PROBLEMS],
)
modes = pytest.mark.parametrize("mode", ["reverse", "forward"])


def differences(function, args, step=1e-6):
    """The Jacobian by the first argument, by central differences."""
    first, *others = args
    base = np.asarray(first, float)
    columns = []
    for number in range(base.size):
        ends = []
        for sign in (1.0, -1.0):
            moved = base.copy()
            moved.reshape(-1)[number] += sign * step
            ends.append(np.asarray(function(moved[()], *others)))
        columns.append((ends[0] - ends[1]) / (2.0 * step))
    return np.stack(columns, axis=-1).reshape(np.shape(ends[0]) + base.shape)


@pytest.mark.one_in(2)
@rows
@modes
def test_jacobians_are_those_of_differences(function, shapes, mode):
    """At first row by row on the tape, then all rows at once, and in chunks."""
    ours = jacobian(lambda *args: function(*args), mode=mode)
    chunked = jacobian(lambda *args: function(*args), mode=mode, chunk_size=3)
    for seed in (0, 0, 1, 2):
        args = draw(shapes, seed)
        found, expected = ours(*args), differences(function, args)
        assert np.shape(found) == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(chunked(*args), found, rtol=1e-9, atol=1e-10)
    assert ours.target.traced.stats.traces


@rows
def test_hessians_are_jacobians_of_gradients(function, shapes):
    def value(*args):
        return np.sum(np.sin(function(*args)))

    ours, gradient = hessian(value), grad(value)
    for seed in (0, 0, 1):
        args = draw(shapes, seed)
        expected = differences(gradient, args)
        np.testing.assert_allclose(ours(*args), expected, rtol=1e-4, atol=1e-5)


@rows
def test_a_batch_of_jacobians(function, shapes):
    one = jacobian(function)
    batch = vmap(jacobian(lambda *args: function(*args)))
    args = draw(shapes, 3, 3)
    expected = np.stack([one(*element) for element in zip(*args, strict=True)])
    for _ in range(3):
        np.testing.assert_allclose(batch(*args), expected, rtol=1e-9, atol=1e-10)


@modes
def test_the_jacobian_of_a_batch(mode):
    mapped = vmap(lambda x: np.array([x[0] * x[1], np.sin(x[0])]))
    ours = jacobian(mapped, mode=mode)
    x = np.random.default_rng(0).normal(size=(3, 2))
    expected = differences(mapped, [x])
    for _ in range(3):
        np.testing.assert_allclose(ours(x), expected, atol=1e-8)


def test_all_rows_are_one_walk():
    """There is no loop in the generated code, nor are its lines as many as the rows."""
    matrix = np.random.default_rng(0).normal(size=(50, 50))

    def layer(x):
        return np.tanh(matrix @ x)

    ours = jacobian(layer)
    x = np.ones(50)
    for _ in range(3):
        slopes = np.cosh(matrix @ x) ** -2.0
        np.testing.assert_allclose(ours(x), slopes[:, None] * matrix)
    body = ours.target.traced.source().partition("def forward")[2]
    assert len(body.splitlines()) < 12
    assert " for " not in body


def test_a_function_of_ones_own_goes_row_by_row():
    class Cube(srcgrad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3.0 * g * x**2

    ours = jacobian(lambda x: Cube.apply(x))
    for _ in range(3):
        np.testing.assert_allclose(ours(np.arange(3.0)), np.diag([0.0, 3.0, 12.0]))


def test_many_chunks_stay_on_the_tape():
    ours = jacobian(lambda x: x**2, chunk_size=1)
    x = np.arange(100.0)
    for _ in range(3):
        np.testing.assert_allclose(ours(x), np.diag(2.0 * x))
    assert "in 100 chunks" in ours.target.traced.explain()


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "x"])
def test_a_chunk_has_a_size(size):
    with pytest.raises(ValueError, match="chunk_size"):
        jacobian(np.sin, chunk_size=size)
    with pytest.raises(ValueError, match="chunk_size"):
        hessian(np.sin, chunk_size=size)
    with pytest.raises(ValueError, match="chunk_size"):
        check_chunk_size(size)


def test_units_are_of_a_shape_and_dtype():
    found = units((2, 3), np.float32)
    assert (found.shape, found.dtype) == ((6, 2, 3), np.float32)
    np.testing.assert_array_equal(found.sum(axis=0), np.ones((2, 3)))
    assert units((), float).shape == (1,)


def test_what_is_reached_at_times_is_zero_at_others():
    def walk(seed):
        return [None, seed * 2.0 if seed > 0 else None]

    found = walked(walk, np.array([1.0, -1.0, 3.0]), "f")
    assert found[0] is None
    np.testing.assert_array_equal(found[1], [2.0, 0.0, 6.0])
