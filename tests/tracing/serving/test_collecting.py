"""The collector while a function is recorded: seldom looks at what is old."""

import gc

import pytest

import srcgrad
from srcgrad.tracing import traced
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.serving.collecting import NEVER_COLLECTS, seldom


def test_a_recording_runs_inside_and_puts_the_threshold_back(monkeypatch):
    before = gc.get_threshold()
    seen = []
    attempted = traced.attempt

    def attempt(*args):
        seen.append(gc.get_threshold()[2])
        return attempted(*args)

    monkeypatch.setattr(traced, "attempt", attempt)
    square = srcgrad.grad(lambda x: x * x)
    for _ in range(3):
        assert square(3.0) == 6.0
    assert seen == [NEVER_COLLECTS]
    assert gc.get_threshold() == before


def test_it_is_left_by_errors_and_by_the_last_one_only():
    before = gc.get_threshold()
    with pytest.raises(KeyError), seldom, seldom:
        raise KeyError
    with seldom:
        with seldom:
            pass
        assert gc.get_threshold() == (*before[:2], NEVER_COLLECTS)
    assert gc.get_threshold() == before


def test_what_the_user_sets_meanwhile_stays():
    before = gc.get_threshold()
    try:
        with seldom:
            gc.set_threshold(500, 7, 8)
        assert gc.get_threshold() == (500, 7, 8)
    finally:
        gc.set_threshold(*before)


def test_nothing_of_a_recording_lives_on():
    def many(x):
        for _ in range(300):
            x = x * 0.5 + 1.0
        return x

    before = many_steps()
    derived = srcgrad.value_and_grad(many)
    derived(1.0)
    derived(1.0)
    assert many_steps() == before


def many_steps():
    gc.collect()
    writers = (item for item in gc.get_objects() if type(item) is GraphWriter)
    return sum(len(writer.steps) > 500 for writer in writers)
