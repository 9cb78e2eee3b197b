"""The parts of a recorded run, and what copies call of them."""

import gc
import weakref

import pytest

from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.runs.survey import Surveyed
from srcgrad.tracing.watching.attributes import Reads
from srcgrad.tracing.watching.reads import INTERFACE, Watching


def test_each_name_is_that_of_one_part():
    watching = Watching(reads := Reads(Recorder(), Watching, (), None))
    names = [name for names in INTERFACE.values() for name in names.split()]
    assert len(names) == len({*names}) == len(watching.interface)
    assert INTERFACE.keys() <= {*vars(watching.parts)}
    reads.let_go()


def test_what_copies_call_is_public():
    assert not any(
        name.startswith("_") for name in " ".join(INTERFACE.values()).split()
    )


@pytest.mark.parametrize("kind", ["recorded", "surveyed"])
def test_nothing_is_held_when_a_run_is_over(kind):
    recorder = Recorder()
    is_recorded = kind == "recorded"
    reads = Reads(recorder, Watching) if is_recorded else Surveyed(recorder, (), [])
    freed = weakref.ref(reads)
    gc.disable()
    try:
        reads.let_go()
        del reads
        assert freed() is None
    finally:
        gc.enable()
