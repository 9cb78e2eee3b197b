"""What all parts of a recorded run share."""

from types import SimpleNamespace

import pytest

from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.instrumentation import RunCapture
from srcgrad.tracing.graphs.recorder import Recorder


@pytest.fixture
def context():
    reads = CapturedReads(Recorder(), RunCapture, (), None)
    yield Context(reads)
    reads.let_go()


def test_a_change_is_more_than_an_arm_may_do(context):
    reasons = []
    context.reads.branching.arm = SimpleNamespace(spoil=reasons.append)
    context.changes()
    assert reasons == ["changes more than a name: do that after the `if`"]


def test_the_recorder_is_that_of_the_notes(context):
    assert context.recorder is context.reads.recorder
