"""Errors in traced functions are the user's own, at the user's line."""

import contextlib

import pytest

import srcgrad
from tests.tracing.comparing import X, outcome

attempts = []


def fails_on_negative(x):
    total = x.sum()
    if total < 0:
        raise ValueError(f"negative: {total:.1f}, {x}")
    return x * 2.0


def raises_always(x):
    attempts.append(1)
    raise KeyError("never")


def test_an_error_on_one_path_leaves_the_others_compiled():
    traced = srcgrad.trace(fails_on_negative)
    for x in (-X, X, -X, X, X, -X, X):
        outcome(traced, x)
    assert traced.stats.compiled == 3
    assert traced.stats.traces == 1


def test_a_failing_call_happens_once():
    traced = srcgrad.trace(raises_always)
    attempts.clear()
    for _ in range(2):
        with pytest.raises(KeyError, match="never"):
            traced(X)
    assert len(attempts) == 2


def test_an_error_shows_the_users_line():
    traced = srcgrad.trace(fails_on_negative)
    for x in (X, -X):
        with contextlib.suppress(ValueError):
            traced(x)
    with pytest.raises(ValueError, match="negative") as caught:
        traced(-X)
    assert caught.traceback[-1].path.name == "test_traced_errors.py"
