"""Iterations that do what those before do are not written down, unless asked for."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.graphs.written_steps import WrittenSteps
from tests.loop_programs import PROGRAMS

# How many iterations stay left out to the end, and how many have to be written down.
LEFT_OUT = {
    "like_before": (11, 0),
    "another_in_the_tenth": (3, 0),
    "one_of_the_middle": (0, 7),
    "elements_like_before": (27, 0),
    "another_element_in_the_tenth": (0, 3),
    "rows_of_what_changes": (4, 0),
    "stopped_in_the_tenth": (0, 3),
}


pytestmark = pytest.mark.usefixtures("short_loops_too")


def run(name, monkeypatch):
    """Record a gradient: how many iterations end up left out, how many written down."""
    counts = {"written": 0}
    write_all = WrittenSteps._write_all

    def counted(writer, region, repeat):
        counts["written"] += repeat.left_out
        write_all(writer, region, repeat)

    gaps = []

    def told(writer):
        gaps.append(sum(repeat.left_out for _, repeat in writer._left_out))
        return tuple([repeat.gap() for _, repeat in writer._left_out])

    monkeypatch.setattr(WrittenSteps, "_write_all", counted)
    monkeypatch.setattr(WrittenSteps, "gaps", told)
    function, makers = PROGRAMS[name]
    random = np.random.default_rng(1)
    arguments = [make(random) for make in makers]
    ours = srcgrad.grad(srcgrad.trace(function))
    ours(*arguments), ours(*arguments)
    return gaps[-1], counts["written"]


@pytest.mark.parametrize("name", LEFT_OUT)
def test_iterations_are_left_out(name, monkeypatch):
    assert run(name, monkeypatch) == LEFT_OUT[name]
