"""Which loops of a run are rolled, and which are written out."""

import itertools

import numpy as np
import pytest

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
