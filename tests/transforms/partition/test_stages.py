"""A backward half in stages, with a look at some cotangents on the way."""

import numpy as np

from srcgrad.transforms.partition.stages import in_stages, without_marks
from srcgrad.updates import mark_complete
from tests.transforms.interpret import record, run, text

h, dh, dl = np.array([0.5, 2.0]), np.array([1.0, 3.0]), np.array([-2.0, 5.0])


def chain(h, dh, dl):
    """Back from l = 3.0 * exp(k) and k = h * h and h: two complete on the way."""
    dk = mark_complete(dl * 3.0)
    total = mark_complete(dh + dk * h)
    return [total * h, dk]


def recorded(function=chain):
    graph = record(function, [h, dh, dl])
    marks = [step.out for step in graph.nodes if step.function is mark_complete]
    return graph, marks


def run_stages(stages, complete, given, pause):
    """Run one stage after the other, as `Way.run` does; returns the last one's."""
    known = dict(given)
    outputs = ()
    for stage, after in zip(stages, [*complete, None], strict=True):
        stage.lint()
        results, _ = run(stage, [known[value] for value in stage.inputs])
        known.update(zip(stage.outputs, results, strict=True))
        if after is not None:
            known[after] = pause(known[stage.outputs[0]])
        outputs = results
    return outputs


def test_stages_one_after_the_other_compute_the_whole():
    graph, complete = recorded()
    given = dict(zip(graph.inputs, (h, dh, dl), strict=True))
    stages = in_stages(graph, graph.inputs[:1], complete)
    seen = run_stages(stages, complete, given, pause=lambda g: g)
    for ours, right in zip(seen, run(graph, (h, dh, dl))[0], strict=True):
        np.testing.assert_array_equal(ours, right)


def test_what_stands_in_for_a_cotangent_goes_on():
    graph, complete = recorded()
    given = dict(zip(graph.inputs, (h, dh, dl), strict=True))
    stages = in_stages(graph, graph.inputs[:1], complete)
    seen = run_stages(stages, complete, given, pause=lambda g: 10.0 * g)
    np.testing.assert_array_equal(seen[1], 30.0 * dl)
    np.testing.assert_array_equal(seen[0], 10.0 * (dh + 30.0 * dl * h) * h)


def test_each_stage_takes_what_is_saved_and_what_else_it_needs():
    graph, complete = recorded()
    saved, cotangent, last = graph.inputs
    first, second, third = in_stages(graph, [saved], complete)
    assert first.inputs == (saved, last)
    assert second.inputs == (saved, cotangent, complete[0])
    assert third.inputs == (saved, complete[0], complete[1])


def test_what_one_stage_computes_and_a_later_one_reads_is_handed_on():
    def shared(h, dh, dl):
        t = np.exp(dl)
        return [mark_complete(t + dh) * t]

    graph, complete = recorded(shared)
    first, last = in_stages(graph, graph.inputs[:1], complete)
    assert len(first.outputs) == 2
    exp = graph.nodes[0].out
    assert first.outputs[1] is exp
    assert exp in last.inputs


def test_without_marks_there_is_one_stage():
    graph, _ = recorded()
    (whole,) = in_stages(without_marks(graph), graph.inputs[:1], [])
    assert text(whole) == text(without_marks(graph))


def test_marks_go_but_for_those_that_are_kept():
    graph, (_, second) = recorded()
    assert not any("mark" in line for line in text(without_marks(graph)))
    rest = without_marks(graph, [second])
    marks = [step.out for step in rest.nodes if step.function is mark_complete]
    assert marks == [second]


def test_a_graph_without_marks_stays_the_same():
    graph = record(lambda h, dh, dl: [h * dh + dl], [h, dh, dl])
    assert without_marks(graph) is graph
