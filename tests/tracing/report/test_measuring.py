"""What a call costs is what its runs took, without the watch's own time."""

import tracemalloc

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.report import measuring
from srcgrad.tracing.report.measuring import Cost, measured
from tests.tracing.report import report_programs as programs

COUNT = 100_000


class Clock:
    """A clock that goes on at each look, and by what a run takes."""

    def __init__(self, look=0):
        self.now, self.looks, self.look = 0, 0, look

    def __call__(self):
        self.looks += 1
        self.now += self.look
        return self.now


def found_in(function, *args, clock=None):
    for _ in range(2):
        function(*args)
    traced = function.target.traced
    transform = None if function.is_traced else function
    trace, leaves = traced.served_call(transform, args, {})
    given = {} if clock is None else {"clock": clock}
    found = measured(trace, leaves, None, traced.function, **given)
    lines = trace.module.text.split("\n")
    return found, {lines[line - 1].strip(): cost for line, cost in found.lines.items()}


def test_loops_count_each_iteration():
    W = srcgrad.Variable(np.eye(3) / 2, requires_grad=True)
    _, costs = found_in(srcgrad.trace(programs.rnn), W, np.ones((40, 3)), 0.1)
    runs = {text: cost.runs for text, cost in costs.items()}
    assert runs["for t in range(40):"] == 41
    assert runs["h = np.tanh(z)"] == runs["dz = dh / cosh / cosh"] == 40
    assert runs["out = total * 2.0"] == 1
    assert "out = np.sin(total + 1.0)" not in runs


def test_the_watch_itself_takes_no_time():
    """Each look at this clock takes one unit, and nothing else takes any."""
    found, costs = found_in(srcgrad.grad(programs.cube), np.ones(3), clock=Clock(1))
    assert {cost.seconds for cost in costs.values()} == {0.0}
    assert found.seconds > 0


def test_what_takes_no_time_is_run_some_times_and_no_more(monkeypatch):
    monkeypatch.setattr(measuring, "MOST_RUNS", 7)
    found, _ = found_in(srcgrad.grad(programs.cube), np.ones(3), clock=Clock())
    assert found.runs == 7


def test_what_takes_long_is_run_once():
    clock = Clock(measuring.ENOUGH)
    found, _ = found_in(srcgrad.grad(programs.cube), np.ones(3), clock=clock)
    assert found.runs == 1


def test_memory_is_that_of_the_arrays():
    x = srcgrad.Variable(np.zeros(COUNT), requires_grad=True)
    found, costs = found_in(srcgrad.trace(programs.allocates), x)
    array = 8 * COUNT
    (exp,) = [cost for text, cost in costs.items() if "np.exp(x)" in text]
    assert (exp.taken, exp.kept) == pytest.approx((array, array), rel=0.01)
    assert 2 * array <= found.most <= 4.1 * array
    assert not tracemalloc.is_tracing()


def test_a_users_own_count_of_memory_goes_on():
    tracemalloc.start()
    try:
        found_in(srcgrad.grad(programs.cube), np.ones(3))
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_costs_add_up():
    both = Cost(2, 1.0, 10, -3) + Cost(5, 0.5, 1, 3)
    assert both == Cost(5, 1.5, 11, 0)
    assert sum([Cost(1, 1.0, 1, 1)], Cost()) == Cost(1, 1.0, 1, 1)


def test_what_the_call_warns_of_is_told_once(recwarn):
    slope = srcgrad.grad(lambda x: np.sum(1.0 / x))
    with np.errstate(all="ignore"):
        slope.compile(np.zeros(2))
    with np.errstate(all="warn"):
        slope.profile(np.zeros(2))
    (told,) = [str(each.message) for each in recwarn.list]
    assert told == "divide by zero encountered in divide"
