import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.transforms.batching import vmap
from srcgrad.updates import cast


def test_a_cast():
    x, y = Value((3,), np.dtype(float)), Value((3,), np.dtype("f4"))
    graph = Graph((x,), (Node(cast, (x, np.dtype("f4")), out=y),), (y,))
    (found,) = evaluate(vmap(graph, [x], 2), (np.ones((2, 3)),))
    assert found.dtype == np.float32


@pytest.mark.parametrize("function", [np.add, np.greater, np.power])
@pytest.mark.parametrize("is_first", [False, True])
def test_a_python_number_takes_the_precision_of_what_it_meets(function, is_first):
    """As an array of its own it would not."""
    number = Value((), np.dtype(float), kind="float")
    x = Value((3,), np.dtype("f4"))
    pair = (number, x) if is_first else (x, number)
    raw = np.linspace(0.5, 2.0, 3, dtype="f4")
    numbers = np.array([0.1, 0.7, 1.25])
    one = (0.1, raw) if is_first else (raw, 0.1)
    y = Value((3,), function(*one).dtype)
    graph = Graph((number, x), (Node(function, pair, out=y),), (y,))
    for batched, given in (
        ([number], (numbers, raw)),
        ([number, x], (numbers, np.stack([raw, raw, raw]))),
    ):
        (found,) = evaluate(vmap(graph, batched, 3), given)
        expected = np.stack([evaluate(graph, (float(n), raw))[0] for n in numbers])
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
