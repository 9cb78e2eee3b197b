"""What a recording tells of itself."""

import numpy as np

import srcgrad
from srcgrad.tracing.outside.signature import Signature
from srcgrad.tracing.runs.record import record
from tests.variables import vector


def test_arguments_come_before_what_was_read_outside():
    scale = np.array([2.0, 3.0])

    def function(x):
        return np.sum(x * scale)

    recording = record(function, Signature((vector(1.0, 2.0),), {}, ()))
    assert [value.name for value in recording.arguments] == ["x"]
    assert len(recording.graph.inputs) == 2
    assert not recording.has_lost_its_gradient
    assert recording.finish().data == 8.0


def test_a_gradient_may_be_lost_through_a_number():
    def function(x):
        return float(x[0].detach()) * 2.0

    traced = srcgrad.trace(function)
    recording = record(traced.__wrapped__, Signature((vector(1.0),), {}, ()))
    assert recording.finish() == 2.0
