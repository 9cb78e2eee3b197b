"""What instrumented copies call: names, errors, and the parts of a run."""

import numpy as np

from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.instrumentation import INTERFACE, RunCapture
from srcgrad.tracing.graphs.recorder import Recorder
from tests.tracing.comparing import X, same_through

count = 0.0


def test_each_name_is_that_of_one_part():
    run_capture = RunCapture(reads := CapturedReads(Recorder(), RunCapture, (), None))
    names = [name for names in INTERFACE.values() for name in names.split()]
    assert len(names) == len({*names}) == len(run_capture.interface)
    assert INTERFACE.keys() <= {*vars(run_capture.parts)}
    reads.let_go()


def test_what_copies_call_is_public():
    assert not any(
        name.startswith("_") for name in " ".join(INTERFACE.values()).split()
    )


def test_names_are_those_of_the_function():
    scale = 2.0

    def inner(x):
        global count
        count = count + 1.0
        return np.abs(x) * scale

    same_through(lambda x: inner(x) + scale, *[lambda: (X,)] * 3, compiled=2)
