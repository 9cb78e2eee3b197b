"""A loop the other way round has the gradients of the loop written out."""

import operator

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.graph import Graph, evaluate, walk
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.tracing.graphs.loop_gradients import differentiated
from srcgrad.transforms.loops.regions import Region
from srcgrad.transforms.loops.rolling import rolled
from srcgrad.updates import assign

F8 = np.dtype(float)
X = np.linspace(0.2, 0.9, 6)


class Run:
    """A run that is written down, with what its Values were."""

    def __init__(self):
        self.x = Value((6,), F8, "x")
        self.raws = {self.x: X}
        self.steps = []

    def do(self, function, *args):
        given = [self.raws[arg] if isinstance(arg, Value) else arg for arg in args]
        raw = function(*given)
        kind = "array" if isinstance(raw, np.ndarray) else "scalar"
        out = Value(np.shape(raw), F8, None, kind)
        self.raws[out] = raw
        self.steps.append(Node(function, args, out=out))
        return out


def carried(run, h, k):
    return run.do(np.multiply, run.do(np.sin, h), run.x)


def indexed(run, h, k):
    return run.do(np.multiply, h, run.do(operator.getitem, run.x, k))


def numbered(run, h, k):
    return run.do(np.add, run.do(np.multiply, h, run.x), 0.5**k)


def changed(run, h, k):
    part = run.do(operator.getitem, h, k)
    return run.do(assign, h, k + 1, run.do(np.sin, part))


@pytest.mark.parametrize("body", [carried, indexed, numbered, changed])
@pytest.mark.parametrize("kept", [False, True])
def test_gradients(body, kept):
    run = Run()
    h = [run.do(np.multiply, run.x, 1.5)]
    region = Region([1])
    for k in range(5):
        h.append(body(run, h[-1], k))
        region.starts.append(len(run.steps))
    region.end = len(run.steps)
    last = h[-1]
    for each in h[1:] if kept else ():
        last = run.do(np.multiply, last, each)
    out = run.do(np.sum, last)
    plain = Graph((run.x,), tuple(run.steps), (out,))
    found = []
    for regions in ([], [region]):
        graph = rolled(plain, regions, run.raws, shortest=0)
        joint = differentiated(graph, run.raws, [True], [out])
        joint.lint()
        whole = Graph((*joint.inputs, *joint.cotangents), joint.nodes, joint.gradients)
        found.append(evaluate(whole, (X * 1.1, np.float64(1.0)))[0])
        loops = [s.function for s in walk(joint) if isinstance(s.function, Loop)]
        assert [loop.is_reversed for loop in loops] == [False, True][: 2 * len(regions)]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


@srcgrad.trace
def with_roots_that_no_result_needs(x):
    c, d = x[0], 0.0
    for _ in range(len(x)):
        for each in x:
            d * each
            d = np.sqrt(c - 1.0)
            c = c * each
    return c


def test_what_no_result_needs_has_no_cotangents():
    """Also where it is carried through a loop in a loop, which gives what is needed."""
    for value in (1.0, -1.0):
        x = np.full(13, value)
        found = []
        for stance in ("default", "tape"):
            variable = Variable(x, requires_grad=True)
            with srcgrad.set_stance(stance), np.errstate(invalid="ignore"):
                with_roots_that_no_result_needs(variable).backward()
            found.append(variable.grad.data)
        np.testing.assert_allclose(*found)
    assert with_roots_that_no_result_needs.stats.compiled
    assert "for " in with_roots_that_no_result_needs.source()
