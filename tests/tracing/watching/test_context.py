"""What all parts of a recorded run share."""

from types import SimpleNamespace

import pytest

from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.watching.context import Context
from srcgrad.tracing.watching.reads import Reads
from srcgrad.tracing.watching.watcher import Watching


@pytest.fixture
def context():
    reads = Reads(Recorder(), Watching, (), None)
    yield Context(reads)
    reads.let_go()


def test_a_change_is_more_than_an_arm_may_do(context):
    reasons = []
    context.reads.branching.arm = SimpleNamespace(spoil=reasons.append)
    context.changes()
    assert reasons == ["changes more than a name: do that after the `if`"]


def test_the_recorder_is_that_of_the_notes(context):
    assert context.recorder is context.reads.recorder
