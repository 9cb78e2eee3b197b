"""Which loops of a run are rolled, and which are written out."""

import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Joint
from srcgrad.steps import Node, Value
from srcgrad.tape.variable import Variable
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.runs.rolled_runs import (
    MOST_NUMBERS,
    WITH_WALK_BACK,
    rolled_run,
    shortest_of,
)
from srcgrad.transforms.loops.rolling import SHORTEST
from tests.differences import slope_of

STEPS = SHORTEST + 1


def written(start):
    """A loop that negates, again and again."""
    writer, raw = GraphWriter(), start
    writer.add_input(raw, "x")
    for _ in writer.iterations("t", range(STEPS)):
        before, raw = raw, -raw
        writer.write(np.negative, (writer.value_of(before),), {}, Variable(raw))
    return writer, writer.joint([writer.value_of(raw)])


def test_a_run_of_arrays_is_rolled():
    writer, graph = written(np.ones(3))
    assert shortest_of(writer, graph) is None
    before, after, raws = rolled_run(writer, graph, guards=0)
    assert (len(before.nodes), before.nodes) == (STEPS, graph.nodes)
    assert len(after.nodes) == 1
    assert raws.keys() >= {*graph.inputs, *graph.outputs}


def test_the_last_iteration_stays_if_it_is_to_be_seen():
    writer, graph = written(np.ones(3))
    _, after, _ = rolled_run(writer, graph, guards=0, but_last=True)
    assert [step.function is np.negative for step in after.nodes] == [False, True]


@pytest.mark.parametrize("with_walks", [False, True])
@pytest.mark.parametrize("more", [-1, 0])
def test_numbers_are_written_out_where_they_are_not_many(more, with_walks):
    most = MOST_NUMBERS * (WITH_WALK_BACK if with_walks else 1)
    count = most + more
    values = [Value((), np.dtype(float), kind="scalar") for _ in range(count + 1)]
    nodes = [Node(np.negative, (x,), out=y) for x, y in itertools.pairwise(values)]
    graph = Joint((values[0],), tuple(nodes), (values[-1],))
    expected = most if more else None
    assert shortest_of(GraphWriter(), graph, with_walks) == expected


# ----- Numbers that are Python's or NumPy's, by arm, in loops of any count -----


def from_a_number(x, n):
    s = x * 1.5
    for _ in range(n):
        if s > 2.0:  # noqa: SIM108
            s = s - np.sin(x)
        else:
            s = s + x
    return s


def with_the_index(x, n):
    s = x
    for i in range(n):
        if i % 3 == 0:  # noqa: SIM108
            s = s + np.sin(x * i) * i
        else:
            s = s * x
    return s


def two_of_them(x, n):
    a, b = x, 1.0
    for _ in range(n):
        if a < b:
            a = a + np.exp(-b)
        else:
            b, a = b + 0.7, a * x
    return a * b


MIXED = [from_a_number, with_the_index, two_of_them]


@pytest.mark.parametrize("function", MIXED)
def test_numbers_of_both_kinds_are_carried_for_any_count(function):
    traced = srcgrad.value_and_grad(function)
    rng = np.random.default_rng(0)
    counts = [20, 20, 24, 24, *rng.integers(1, 40, 40)]
    for n in map(int, counts):
        x = float(rng.uniform(0.1, 0.9))
        value, slope = traced(x, n)
        assert type(value) is type(function(x, n)), n
        np.testing.assert_allclose(value, function(x, n), 1e-12, err_msg=str(n))
        expected = slope_of(lambda x, n=n: function(float(x), n), x)
        np.testing.assert_allclose(slope, expected, 2e-5, 1e-5, err_msg=str(n))
    assert traced.stats.misses == 0, traced.explain()
    assert traced.stats.compiled >= 36, traced.explain()


# ----- Elements that arms read -----


def by_neighbours(x, n):
    s = 0.0
    for i in range(1, n):
        if x[i] > x[i - 1]:  # noqa: SIM108
            s = s + x[i] * x[0]
        else:
            s = s + x[i - 1]
    return s


def by_neighbours_in_one_line(x, n):
    s = 0.0
    for i in range(1, n):
        s += x[i] * x[0] if x[i] > x[i - 1] else x[i - 1]
    return s


def by_two_tests(x, n):
    s = 0.0
    for i in range(1, n):
        d = x[i] - x[i - 1]
        if d > 0.0 and x[i] > 0.0:  # noqa: SIM108
            s = s + x[i] * x[0] * d
        else:
            s = s + x[0] * d
    return s


def peaks(x, n):
    s = 0.0
    for i in range(1, n - 1):
        if x[i] > x[i - 1] and x[i] > x[i + 1]:
            s += x[i] ** 2
    return s * x[0]


def counted_from_one(x, n):
    i, before = 1, None
    while i < n:
        u = x[i]
        t = u if before is None else before * 0.5 + u
        if t > 0.3:  # noqa: SIM108
            s = x[i] * x[0] * t
        else:
            s = x[i - 1] + t
        before = s
        i = i + 1
    return before


NEIGHBOURS = [by_neighbours, by_neighbours_in_one_line, by_two_tests, peaks]
NEIGHBOURS.append(counted_from_one)


@pytest.mark.parametrize("function", NEIGHBOURS)
def test_each_iteration_reads_its_elements_whichever_arms_run(function):
    rng = np.random.default_rng(0)
    lengths = []
    for n in (40, 60):
        traced = srcgrad.grad(srcgrad.trace(function))
        for _ in range(6):
            x = rng.normal(size=100)
            expected = slope_of(lambda x, n=n: function(x, n), x)
            np.testing.assert_allclose(traced(x, n), expected, 1e-4, 1e-6)
        assert traced.stats.misses == 0, traced.explain()
        lengths.append(len(traced.source().splitlines()))
    assert lengths[0] == lengths[1]


def by_layout(x, w, n):
    h = x * 1.0
    part = h.T.reshape(-1)  # a view, or a copy
    h[0] = w
    s = 0.0 * w
    for i in range(n):
        s = np.tanh(s * w + part[0] * i) * w + part[1]
    return s * np.sum(h)


def test_a_loop_of_any_count_behind_a_guard_on_a_layout():
    traced = srcgrad.grad(by_layout, argnums=1)
    rows = np.arange(12.0).reshape(3, 4)
    counts = (8, 8, 9, 7, 12, 5, 4, 2, 1, 0)
    for n, x in [*((n, rows) for n in counts), (6, np.asfortranarray(rows)), (6, rows)]:
        found, w = traced(x, 0.3, n), np.float64(0.3)
        expected = slope_of(lambda w, x=x, n=n: by_layout(x, w, n), w)
        np.testing.assert_allclose(found, expected, 1e-5, 1e-8)
    assert traced.stats.compiled >= 5, traced.explain()
