"""Updates come after those who read what they change."""

import numpy as np
import pytest

from srcgrad.transforms.halves.late_updates import update_late
from srcgrad.updates import add_at, assign
from tests.transforms.interpret import record, run

x, g = np.arange(1.0, 7.0).reshape(2, 3), np.ones((2, 3))


def order(function, inputs=(x, g)):
    """The functions in their order before and after; results stay."""
    graph = record(function, list(inputs))
    changed = update_late(graph)
    changed.lint()
    for seen, right in zip(run(changed, inputs)[0], run(graph, inputs)[0], strict=True):
        np.testing.assert_array_equal(seen, right)
    names = [
        [node.function.__name__ for node in each.nodes] for each in (graph, changed)
    ]
    return (*names, changed is graph)


def test_what_is_read_later_comes_first():
    def function(x, g):
        d = x * 2.0
        y = assign(d, 0, 0)
        part = d[0]
        z = np.exp(part)
        return [np.sum(y), z]

    before, after, _ = order(function)
    assert before == ["multiply", "assign", "getitem", "exp", "sum"]
    assert after == ["multiply", "getitem", "exp", "assign", "sum"]


def test_a_chain_of_updates_keeps_its_order():
    def function(x, g):
        d = x * 2.0
        y = assign(d, 0, 0)
        z = add_at(y, 1, g[1])
        first, second = np.sum(d), np.sum(y)
        return [z, first, second]

    _, after, _ = order(function)
    assert after == ["multiply", "getitem", "sum", "assign", "sum", "add_at"]


def test_several_after_one_step():
    def function(x, g):
        d, e = x * 2.0, x * 3.0
        y = assign(d, 0, 0)
        z = assign(e, 0, y[1])
        return [np.sum(d * e), y, z]

    graph = record(function, [x, g])
    changed = update_late(graph)
    changed.lint()
    np.testing.assert_array_equal(run(changed, [x, g])[0][2], run(graph, [x, g])[0][2])


@pytest.mark.parametrize(
    "function",
    [
        lambda x, g: [assign(x * 2.0, 0, 0)],
        # It is copied anyway: the array is an argument, or a view, or read afterwards.
        lambda x, g: [assign(x, 0, 0), np.sum(x)],
        lambda x, g: [assign(d := (x * 2.0).T, 0, 0), np.sum(d)],
        lambda x, g: [np.sum(assign(d := x * 2.0, 0, 0)) + d],
        lambda x, g: [(y := assign(d := x * 2.0, 0, 0)) * y[0] * d[0]],
        # An error has its time.
        lambda x, g: [assign(d := x * 2.0, [0, 1], 0), np.sum(d)],
    ],
)
def test_other_updates_stay(function):
    assert order(function)[2]
