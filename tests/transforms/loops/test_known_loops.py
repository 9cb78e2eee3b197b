"""Loops of which one iteration was recorded: what comes before it, and after."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.loops import ExitCondition
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.loops.known_loops import check_unread
from srcgrad.transforms.loops.regions import Carried, Known, Region
from srcgrad.transforms.loops.rolling import rolled
from srcgrad.transforms.loops.slots import MisfitError

F8 = np.dtype(float)


def scalar(name, kind="scalar"):
    return Value((), F8, name, kind)


def powers(first_factor=2.0, condition=None):
    """Return a run of ``h = h * 2``, one iteration of which is a function."""
    h0, h1, p, t, h2 = map(scalar, ("h0", "h1", "p", "t", "h2"))
    steps = [
        Node(np.multiply, (h0, first_factor), out=h1),
        Node(np.multiply, (p, 2.0), out=t),
    ]
    known = Known(1, (Carried(p, h1, t, h2),), {}, 4, condition)
    region = Region([0, 1, 2], 2, known=known)
    return Graph((h0,), tuple(steps), (h2,)), region


def loops_of(graph, region):
    return rolled(graph, [region], {}, shortest=0)


def test_an_iteration_before_that_does_the_same_is_part_of_the_loop():
    graph = loops_of(*powers())
    (node,) = graph.nodes
    assert node.function.count == 5
    assert evaluate(graph, (1.0,)) == [32.0]


def test_one_that_does_not_stays_before_it():
    graph = loops_of(*powers(first_factor=3.0))
    first, node = graph.nodes
    assert first.function is np.multiply
    assert node.function.count == 4
    assert evaluate(graph, (1.0,)) == [48.0]


def test_one_that_must_stay_stays():
    graph, region = powers()
    region.peeled = 1
    assert len(loops_of(graph, region).nodes) == 2


def until(is_alike):
    """Return a run of ``h = h * 2; if h > 20: break``, and the results it has."""
    h0, h1, p, t, h2, last = map(scalar, ("h0", "h1", "p", "t", "h2", "last"))
    tests = [Value((), np.dtype(bool), kind="scalar") for _ in range(3)]
    steps = [
        Node(np.multiply, (h0, 2.0), out=h1),
        Node(np.greater, (h1, 20.0), out=tests[0]),
        Guard(tests[0], bool, False),
        Node(np.multiply, (p, 2.0), out=t),
        Node(np.greater, (t, 20.0), out=tests[1]),
        Guard(tests[1], bool, False),
        Node(np.multiply, (h2, 2.0), out=last),
        Node(np.greater, (last, 20.0), out=tests[2]),
        Guard(True, bool, True),
    ]
    known = Known(
        1, (Carried(p, h1, t, h2),), {}, 3, ExitCondition(most=9), 0, 1, is_alike
    )
    return Graph((h0,), tuple(steps), (last,)), Region([0, 3, 6], 9, known=known)


@pytest.mark.parametrize("is_alike", [True, False])
def test_the_iteration_in_which_it_ends_is_part_of_a_loop_with_its_test_last(is_alike):
    graph = loops_of(*until(is_alike))
    (node,) = graph.nodes
    condition = node.function.exit_condition
    assert condition.is_last
    assert condition.stops == is_alike
    assert condition.most == 10
    for start, end in (1.0, 32.0), (30.0, 60.0), (0.1, 25.6):
        assert evaluate(graph, (start,)) == pytest.approx([end])


def test_what_it_carries_has_one_kind():
    graph, region = powers()
    (carried,) = region.known.carried
    other = carried._replace(first=scalar("h1", "float"))
    region.known = Known(1, (other,), {}, 4)
    with pytest.raises(MisfitError, match="kinds"):
        loops_of(graph, region)


def test_the_number_of_the_last_iteration_is_not_to_be_read():
    x = Value((5,), F8, "x")
    index = Value((), np.dtype(np.int64), None, "float")
    item, twice = scalar("item"), scalar("twice")
    steps = [
        Node(operator.getitem, (x, index), out=item),
        Node(np.multiply, (item, 2.0), out=twice),
    ]
    check_unread(steps, lambda value: False, {index: 3})
    with pytest.raises(MisfitError, match="number"):
        check_unread(steps, lambda value: value is twice, {index: 3})
    with pytest.raises(MisfitError, match="number"):
        check_unread(
            [*steps, Guard(twice, bool, True)], lambda value: False, {index: 3}
        )
