"""Boxes stand apart from each other, below what they read, in those around them."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.report.boxes import boxes_of
from srcgrad.tracing.report.layout import in_order, lay_out
from tests.tracing.report import report_programs as programs
from tests.tracing.report.test_reported import CASES


def graph_of(function, args):
    for _ in range(2):
        function(*args)
    traces = function.target.traced.found_of(None)[1]
    return traces[0].about.optimised


@pytest.fixture(params=CASES)
def drawing(request):
    graph = graph_of(*CASES[request.param])
    root, edges = boxes_of(graph)
    lay_out(root, edges)
    return graph, root, edges


def inside(box):
    for inner in box.inside:
        yield inner
        yield from inside(inner)


def place(box):
    x, y = box.x, box.y
    while box.around is not None:
        box = box.around
        x, y = x + box.x, y + box.y
    return x, y


def test_boxes_do_not_overlap(drawing):
    _, root, _ = drawing
    for box in [root, *inside(root)]:
        for k, one in enumerate(box.inside):
            for other in box.inside[:k]:
                is_beside = (
                    one.x >= other.x + other.width or other.x >= one.x + one.width
                )
                is_below = (
                    one.y >= other.y + other.height or other.y >= one.y + one.height
                )
                assert is_beside or is_below, (one.title, other.title)


def test_boxes_are_within_those_around_them(drawing):
    _, root, _ = drawing
    for box in [root, *inside(root)]:
        for inner in box.inside:
            assert inner.x >= 0
            assert inner.y >= 0
            assert inner.x + inner.width <= box.width
            assert inner.y + inner.height <= box.height


def test_what_reads_stands_below_what_it_reads(drawing):
    _, _, edges = drawing
    assert edges
    for edge in edges:
        start, end = place(edge.start)[1], place(edge.end)[1]
        if edge.is_carried:
            assert end < start
        else:
            assert start + edge.start.height <= end


def test_each_step_has_a_box(drawing):
    graph, root, _ = drawing
    kinds = ("step", "back", "guard", "loop", "branch")
    assert len([box for box in root.inside if box.kind in kinds]) == len(graph.nodes)


def test_loops_and_branches_hold_what_they_run():
    W = srcgrad.Variable(np.eye(3) / 2, requires_grad=True)
    graph = graph_of(srcgrad.trace(programs.rnn), (W, np.ones((40, 3)), 0.1))
    root, edges = boxes_of(graph)
    loop = next(box for box in root.inside if box.kind == "loop")
    assert loop.title == "loop 40 times"
    assert "h = tanh(z)" in [box.title for box in loop.inside]
    branch = next(box for box in root.inside if box.kind == "branch")
    assert branch.title == "if greater"
    assert [arm.title for arm in branch.inside if arm.kind == "arm"] == ["then", "else"]
    carried = [edge for edge in edges if edge.is_carried]
    assert {edge.end.title for edge in carried} >= {"h", "dW"}
    assert all(edge.start.around is edge.end.around for edge in carried)


@pytest.mark.seeds(5)
def test_places_are_in_order_and_next_to_those_wanted(seed):
    rng = np.random.default_rng(seed)
    wanted, gaps = rng.normal(size=20).tolist(), rng.uniform(0, 0.3, 19).tolist()
    found = np.array(in_order(wanted, gaps))
    assert np.all(np.diff(found) >= np.array(gaps) - 1e-9)

    def distance(places):
        return np.sum((np.array(places) - wanted) ** 2)

    # No move of some of them to a side, that keeps the gaps, brings them nearer.
    for start in range(20):
        for by in (-1e-3, 1e-3):
            moved = found.copy()
            moved[start:] += by
            if np.all(np.diff(moved) >= np.array(gaps) - 1e-9):
                assert distance(moved) >= distance(found)
