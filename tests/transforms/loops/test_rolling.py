"""Loops are rolled where their iterations agree, and compute the same."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.transforms.loops.regions import Region
from srcgrad.transforms.loops.rolling import FEWEST, rolled

F8 = np.dtype(float)
X = Value((8,), F8, "x")


class Run:
    """Steps as they are recorded, with the regions of the loops."""

    def __init__(self):
        self.steps = []

    def do(self, function, *args):
        out = Value((), F8, None, "scalar")
        self.steps.append(Node(function, args, out=out))
        return out

    def loop(self, count, body):
        region = Region([len(self.steps)])
        for k in range(count):
            body(k)
            region.starts.append(len(self.steps))
        region.end = len(self.steps)
        return region

    def graph(self, *outputs):
        return Graph((X,), tuple(self.steps), outputs)


def loops_in(graph):
    return [step for step in graph.nodes if isinstance(step.function, Loop)]


def assert_same(before, after):
    after.lint()
    x = np.linspace(0.1, 0.8, 8)
    assert evaluate(after, (x,)) == evaluate(before, (x,))


def summing(count, wanted=(), odd=()):
    """``h = h * 0.5 + x[k]``; at ``odd`` places it is a difference."""
    run = Run()
    kept = [run.do(np.sum, X)]

    def body(k):
        t = run.do(np.multiply, kept[-1], 0.5)
        row = run.do(operator.getitem, X, k)
        kept.append(run.do(np.subtract if k in odd else np.add, t, row))

    region = run.loop(count, body)
    return run.graph(kept[-1], *(kept[k] for k in wanted)), region


@pytest.mark.parametrize("wanted", [(), (2,), (1, 2, 3, 4)])
def test_one_loop(wanted):
    before, region = summing(6, wanted)
    after = rolled(before, [region], {}, shortest=0)
    (loop,) = loops_in(after)
    assert loop.function.count == 6
    assert_same(before, after)


def test_few_iterations_stay():
    before, region = summing(FEWEST - 1)
    assert rolled(before, [region], {}, shortest=0) is before


def test_few_steps_stay():
    before, region = summing(6)
    assert rolled(before, [region], {}, shortest=19) is before
    assert rolled(before, [region], {}, shortest=18) is not before


def nested(outer, inner):
    run = Run()
    h = [run.do(np.sum, X)]
    regions = []

    def body(i):
        def within(j):
            row = run.do(operator.getitem, X, j)
            h.append(run.do(np.multiply, h[-1], row))

        regions.append(run.loop(inner(i), within))
        h.append(run.do(np.add, h[-1], run.do(operator.getitem, X, i)))

    region = run.loop(outer, body)
    region.inner = regions
    return run.graph(h[-1]), region


def test_a_loop_in_a_loop():
    before, region = nested(5, lambda i: 6)
    after = rolled(before, [region], {}, shortest=0)
    (loop,) = loops_in(after)
    assert [inner.function.count for inner in loops_in(loop.function.body)] == [6]
    assert_same(before, after)
