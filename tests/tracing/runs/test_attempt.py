"""A recording, or why there is none: a reason, an error of ours, or the user's own."""

import numpy as np

import srcgrad
from srcgrad.errors import CompilerError
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.runs import ends
from srcgrad.tracing.runs.attempt import attempt
from srcgrad.tracing.runs.recording import Recording
from tests.tracing.comparing import X


def doubled(x):
    return x * 2.0


def reads_input(x):
    return x * float(input())


def raises(x):
    raise ValueError("always")


def misspelt(x):
    return x.no_such_method()


def of(function, transform=None):
    return attempt(function, Signature((X,), {}, (), transform))


def test_a_recording():
    found = of(doubled)
    assert isinstance(found, Recording)
    np.testing.assert_array_equal(found.outcome.result, X * 2.0)


def test_a_reason():
    assert "calls `input`" in of(reads_input)
    assert of(misspelt).startswith("while it was traced: AttributeError")


def test_an_error_of_the_users():
    assert of(raises) is None


def test_an_error_of_ours(monkeypatch):
    monkeypatch.setattr(ends, "reach_of", None)
    assert isinstance(of(doubled), CompilerError)


def test_what_has_no_gradient():
    reason = of(doubled, srcgrad.grad(doubled))
    assert "must return one real number, but doubled" in reason
