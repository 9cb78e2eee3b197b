"""One run, recorded, which may begin again."""

import numpy as np

from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.runs import record, walked
from tests.tracing.comparing import X


def test_a_recording_that_starts_again_draws_the_same(monkeypatch):
    rng, rolling = np.random.default_rng(3), []

    def noisy(x):
        return np.sum(x * rng.normal(size=3))

    def rolls(*args):
        rolling.append(args)
        if len(rolling) == 1:
            raise record.StartAgain

    expected = noisy(X), rng.normal()
    rng = np.random.default_rng(3)
    monkeypatch.setattr(walked, "with_loops", rolls)
    found = record.record(noisy, Signature((X,), {}))
    assert len(rolling) == 2
    assert (found.outcome.result, rng.normal()) == expected
