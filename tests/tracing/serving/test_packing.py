"""What a transform makes of derivatives is put in its place, or is left to it."""

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Graph
from srcgrad.pytree import flatten
from srcgrad.steps import Value
from srcgrad.tracing.serving.packing import with_floats, written

F8 = np.dtype(float)
FLOAT, SCALAR = (Value((), F8, None, kind) for kind in ("float", "scalar"))
ARRAY, ZERO_D, SWAPPED = Value((2,), F8), Value((), F8), Value((2,), np.dtype(">f8"))


@pytest.mark.parametrize(
    ("pack", "values", "expected"),
    [
        (lambda result, d: d[0], [ARRAY], "a"),
        (lambda result, d: (result, (d[1], d[0])), [FLOAT, ARRAY], "(out, (b, a))"),
        (lambda result, d: [{"w": d[0]}, None], [SCALAR], "[{'w': a}, None]"),
        (lambda result, d: float(d[0]), [FLOAT], "a"),
        (lambda result, d: float(d[0]), [SCALAR], None),
        (lambda result, d: d[0].copy(), [ARRAY], None),
        (lambda result, d: np.asarray(d[0]), [ZERO_D], None),
        (lambda result, d: np.asarray(d[0], ">f8"), [SWAPPED], None),
        (lambda result, d: result[1], [ARRAY], None),
        (lambda result, d: {1: d[0]}, [ARRAY], None),
    ],
)
def test_only_what_is_put_elsewhere_is_written(pack, values, expected):
    assert written(pack, "out", values, "ab"[: len(values)]) == expected


def test_only_scalars_of_which_floats_are_made_become_floats():
    graph = Graph((SCALAR, ARRAY), (), (SCALAR, SCALAR, ARRAY))
    changed = with_floats(graph, lambda result, d: (float(d[0]), d[1]), 1)
    assert [value.kind for value in changed.outputs] == ["scalar", "float", "array"]
    for pack in (lambda result, d: tuple(d), lambda result, d: (float(d[0]), d[0])):
        assert with_floats(graph, pack, 1) is graph


def product(p, x, y=2.0):
    return p["w"] * x * y * p["b"][0]


@pytest.mark.parametrize("argnums", [0, 1, (0, 1), (1, 0), [1]])
@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.asarray])
def test_calls_give_the_same_kinds_as_the_tape(argnums, kind):
    for transform in (srcgrad.value_and_grad, srcgrad.grad):
        ours = transform(product, argnums)
        for number in (1.5, 2.5, 3.5):
            args = {"w": kind(number), "b": [kind(2.0)]}, kind(3.0)
            found = flatten(ours(*args, y=4.0))
            expected = flatten(ours.untraced(args, {"y": 4.0}))
            assert found == expected
            assert [*map(type, found[0])] == [*map(type, expected[0])]
        assert ours.target.traced.stats.compiled
