"""Backward halves whose cotangent is one."""

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Joint, Value
from srcgrad.transforms import optimize, split
from srcgrad.transforms.unit_cotangents import with_unit_cotangents
from tests.transforms.interpret import assert_same, record, run, run_split, text

rng = np.random.default_rng(0)


def test_what_follows_from_one_is_computed_once():
    def function(x, y, g):
        r = x - y
        t = np.broadcast_to(g / 8, (3,))
        return [np.sum(r)], [t * 2.0 * r, -np.sum(t * r)]

    x = np.arange(3.0)
    joint = with_unit_cotangents(record(function, [x, x + 1.0], [np.float64(7.0)]))
    assert joint.cotangents == ()
    joint.lint()
    halves = split(optimize(joint, check=True))
    assert halves.cotangents == ()
    assert text(halves.backward)[0] == "t_1 = multiply(np.float64(0.25), t)"
    _, gradients, _ = run_split(halves, [x, x + 1.0], [])
    np.testing.assert_allclose(gradients[0], np.full(3, -0.25))
    np.testing.assert_allclose(gradients[1], 0.375)


ONES = [np.float64(1.0), np.float32(1.0), np.ones(1), np.ones((1, 1), np.float32)]


@pytest.mark.parametrize("one", ONES)
@pytest.mark.parametrize(
    "function",
    [
        lambda x, g: ([x], [g]),
        lambda x, g: ([x], [g * x]),
        lambda x, g: ([x], [np.broadcast_to(g, x.shape) * x / 3]),
        lambda x, g: ([x], [x * (g * np.float32(0.5))]),
        lambda x, g: ([x], [np.sum(g * np.float64(0.1))]),
        lambda x, g: ([x], [np.where(x > 0.0, g, 0.0)]),
        lambda x, g: ([x], [np.reshape(g, (1,) * (g.ndim + 1))]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_and_dtypes_are_those_of_a_cotangent_of_one(one, function, dtype):
    x = rng.normal(size=(2, 3)).astype(dtype)
    graph = record(function, [x], [one])
    expected = run(graph, [x], [one])
    seen = run_split(split(optimize(with_unit_cotangents(graph), check=True)), [x], [])
    assert_same(seen[0], expected[0], 1e-6)
    assert_same(seen[1], expected[1], 1e-6)


def test_a_zero_dimensional_cotangent_gives_arrays_of_its_own():
    zero = np.array(1.0)
    graph = record(lambda x, g: ([x], [g, g][:1]), [zero], [zero])
    joint = with_unit_cotangents(graph)
    (g,) = run(joint, [zero], [])[1]
    assert type(g) is np.ndarray
    assert g == 1.0


def test_nothing_to_replace():
    x = Value((3,), np.dtype(float), "x")
    joint = Joint((x,), (), (x,), gradients=(None,))
    assert with_unit_cotangents(joint).nodes == ()


# ----- Through the library -----


def mean_square(w, x, y):
    return np.mean((x @ w - y) ** 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weight", ["array", "scalar"])
def test_transforms_give_what_they_give_on_the_tape(dtype, weight):
    w = rng.normal(size=3).astype(dtype)
    x, y = rng.normal(size=(96, 3)).astype(dtype), rng.normal(size=96).astype(dtype)
    function = mean_square
    if weight == "scalar":
        w, x = w[0], x[:, 0]

        def function(w, x, y):
            return np.mean((w * x - y) ** 2)

    traced = srcgrad.trace(function)
    value, gradient = srcgrad.value_and_grad(function)(w, x, y)
    for _ in range(3):
        seen = srcgrad.value_and_grad(traced)(w, x, y)
        assert type(seen[1]) is type(gradient)
        assert seen[1].dtype == gradient.dtype
        np.testing.assert_allclose(seen[0], value, rtol=1e-6)
        np.testing.assert_allclose(seen[1], gradient, rtol=1e-5)
    assert traced.stats.compiled == 2
    assert "def backward(saved):" in traced.source()


def test_each_call_gives_a_gradient_of_its_own():
    traced = srcgrad.grad(srcgrad.trace(lambda x: np.sum(x * 2.0)))
    first, second, third = (traced(np.ones(3)) for _ in range(3))
    second += 1.0
    np.testing.assert_array_equal(third, first)
