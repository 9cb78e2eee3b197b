"""The parts of a recorded run."""

import gc
import weakref

import pytest

from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.instrumentation import RunCapture
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.runs.survey import Surveyed


@pytest.mark.parametrize("kind", ["recorded", "surveyed"])
def test_nothing_is_held_when_a_run_is_over(kind):
    recorder = Recorder()
    is_recorded = kind == "recorded"
    reads = (
        CapturedReads(recorder, RunCapture)
        if is_recorded
        else Surveyed(recorder, (), [])
    )
    freed = weakref.ref(reads)
    gc.disable()
    try:
        reads.let_go()
        del reads
        assert freed() is None
    finally:
        gc.enable()


def test_each_part_is_one_object():
    reads = CapturedReads(Recorder(), RunCapture)
    parts = vars(RunCapture(reads).parts)
    assert len({*map(id, parts.values())}) == len({*map(type, parts.values())})
    reads.let_go()
