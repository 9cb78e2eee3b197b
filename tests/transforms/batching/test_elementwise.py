import operator

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.transforms.batching import vmap
from srcgrad.updates import cast
from tests.transforms.batching.cases import loops_of

SHAPES = [((3,), (3,)), ((), (2, 3)), ((2, 1), (3,)), ((2, 3), ())]


@pytest.mark.parametrize("function", [np.add, np.arctan2, np.less, operator.mul])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_two_operands_are_broadcast(function, shapes):
    assert not loops_of(function, *shapes)


@pytest.mark.parametrize("shapes", [((3,), (), (2, 1)), ((2, 3), (3,), (3,))], ids=str)
def test_three_operands_are_broadcast(shapes):
    assert not loops_of(np.where, *shapes)
    assert not loops_of(np.clip, (2, 3), *shapes[1:])


@pytest.mark.parametrize("function", [np.modf, np.frexp])
def test_several_results(function):
    assert not loops_of(function, (2, 3))


@pytest.mark.parametrize("function", [np.zeros_like, np.ones_like])
def test_new_arrays(function):
    assert not loops_of(function, (2, 3))


def test_a_filling():
    assert not loops_of(np.full_like, (2, 3), ())
    assert not loops_of(np.full_like, (2, 3), (3,))


@pytest.mark.parametrize("function", [np.round, np.real, np.copy, np.nan_to_num])
def test_one_operand_with_options(function):
    assert not loops_of(function, (2, 3))


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


def test_tables_to_look_up_are_shared():
    table = np.sort(np.random.default_rng(0).normal(size=4))

    def look_up(v):
        return np.searchsorted(table, v)

    assert set(loops_of(look_up, (3,))) == {"look_up"}
    assert set(loops_of(np.searchsorted, (4,), (3,))) == {"searchsorted"}
