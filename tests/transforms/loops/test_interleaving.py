"""What walks back compute goes into the loops of the run, and computes the same."""

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.loops.interleaving import (
    interleaved,
    turns_at,
    with_views_at_hand,
    without,
)
from srcgrad.transforms.loops.regions import Region

F8 = np.dtype(float)


class Run:
    """A loop of ``h = sin(h) * w``, and the tangent of it in a loop of its own."""

    def __init__(self, count=3):
        self.x, self.dx, self.w = (Value((3,), F8, name) for name in ("x", "dx", "w"))
        self.steps, self.count = [], count
        self.h, self.before = self.x, []
        self.run = self.loop(self.iteration)
        self.dh, self.number = self.dx, 0
        self.walk = self.loop(self.tangent)
        self.walk.rewinds = self.run.starts[:count]

    def do(self, function, *args, **options):
        out = Value((3,), F8, None)
        self.steps.append(Node(function, args, out=out, **options))
        return out

    def loop(self, body):
        region = Region([len(self.steps)])
        for _ in range(self.count):
            body()
            region.starts.append(len(self.steps))
        region.end = len(self.steps)
        return region

    def iteration(self):
        self.before.append(self.h)
        self.h = self.do(np.multiply, self.do(np.sin, self.h), self.w)

    def tangent(self):
        slope = self.do(np.cos, self.before[self.number], in_backward=True)
        slope = self.do(np.multiply, slope, self.w, in_backward=True)
        self.dh = self.do(np.multiply, self.dh, slope, in_backward=True)
        self.number += 1

    def graph(self):
        return Graph((self.x, self.dx, self.w), tuple(self.steps), (self.h, self.dh))


def assert_same(before, after):
    after.lint()
    given = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 2.0]), np.array([3.0] * 3)
    np.testing.assert_array_equal(evaluate(after, given), evaluate(before, given))


def test_a_tangent_is_computed_in_the_iteration_that_it_is_of():
    run = Run()
    steps, (first, second) = interleaved(run.steps, [run.run, run.walk])
    assert [step.in_backward for step in steps] == 3 * [False, False, True, True, True]
    assert first.starts == [0, 5, 10, 15]
    assert first.end == 15
    assert second.starts == [15, 15, 15, 15]
    assert_same(run.graph(), Graph(run.graph().inputs, tuple(steps), (run.h, run.dh)))


def test_what_only_the_walk_wants_stays_with_it():
    run = Run()
    # The walk goes on from what comes after the loop.
    last = run.do(np.negative, run.h, in_backward=True)
    run.dh, run.number = last, 0
    walk = run.loop(run.tangent)
    walk.rewinds = run.run.starts[:3]
    steps, regions = interleaved(run.steps, [run.run, run.walk, walk])
    assert [*steps[-10:]] == run.steps[-10:]
    assert (regions[2].starts, regions[2].end) == (walk.starts, walk.end)


@pytest.mark.parametrize("function", [np.divide, np.linalg.inv])
def test_what_may_fail_stays_behind_the_guards(function):
    h, t, out, test = (Value((2, 2), F8, name) for name in ("h", "t", "out", "test"))
    steps = [
        Node(np.negative, (h,), out=t),
        Guard(test, bool, True),
        Node(function, (t, t)[: 1 + (function is np.divide)], {}, out, None, True),
    ]
    regions = [Region([0, 1], 1), Region([2], 3, rewinds=[0])]
    assert interleaved(steps, regions)[0] == steps


def test_an_iteration_of_which_nothing_is_left_is_no_place():
    out = Value((), F8)
    steps = [Node(np.negative, (Value((), F8),), out=out, in_backward=True)]
    assert (
        interleaved(steps, [Region([0, 0], 0), Region([0], 1, rewinds=[0])])[0] == steps
    )


def test_loops_are_found_by_place_with_their_iterations():
    inner = [Region([0, 2], 4), Region([4, 6], 8)]
    outer = Region([0, 4, 8], 8, inner)
    assert turns_at([outer], 5) == [(outer, 1), (inner[1], 0)]
    assert turns_at([outer], 8) == []
    (moved,) = without([True, *7 * [False]], [outer])
    assert (moved.starts, moved.end, moved.inner[1].starts) == ([0, 3, 7], 7, [3, 5])


def test_views_are_made_again_in_the_iteration_that_wants_them():
    W, x = Value((3, 3), F8, "W"), Value((3,), F8, "x")
    view, a, b = Value((3, 3), F8), Value((3,), F8), Value((3,), F8)
    steps = (
        Node(np.transpose, (W,), out=view),
        Node(np.matmul, (view, x), out=a),
        Node(np.matmul, (view, a), out=b),
    )
    graph = Graph((W, x), steps, (b,))
    after, (region,) = with_views_at_hand(graph, [Region([0, 2], 3)])
    assert [step.function for step in after.nodes] == 2 * [np.transpose, np.matmul]
    assert (region.starts, region.end) == ([0, 2], 4)
    given = np.arange(9.0).reshape(3, 3), np.ones(3)
    np.testing.assert_array_equal(evaluate(after, given), evaluate(graph, given))
