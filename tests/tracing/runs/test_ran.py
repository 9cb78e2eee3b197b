"""What a run gives, and what it may not leave."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.runs.record import record
from tests.tracing.comparing import X


def test_a_grad_mode_left_changed_is_so_after_each_call():
    def function(x):
        srcgrad.set_grad_enabled(False)
        return x * 2.0

    traced = srcgrad.trace(function)
    for _ in range(3):
        with srcgrad.enable_grad():
            traced(X)
            assert not srcgrad.is_grad_enabled()


def test_a_container_in_two_places_is_refused():
    def function(x):
        items = [x * 2.0]
        return items, items

    with pytest.raises(Refusal, match="returns one container in two places"):
        record(function, Signature((X,), {}))


def test_effects_come_with_the_result():
    kept = []

    def function(x):
        kept.append(x * 3.0)
        return x * 2.0

    found = record(function, Signature((X,), {}))
    np.testing.assert_array_equal(found.outcome.result, X * 2.0)
    assert len(found.outcome.values) == 1
    assert kept == []  # not yet: a condition may fail after it
