"""Compilations that take long: who is told, and what becomes of the call."""

import itertools
import logging

import numpy as np
import pytest

import srcgrad
from srcgrad.deadline import Deadline, TookTooLong, check
from srcgrad.modes import override


def polynomial(x):
    total = 0.0
    for k in range(40):
        total = total + np.sin(x[k % 3]) * x[0]
    return total * total


X = np.array([0.3, 0.5, 0.7])


@pytest.fixture
def ticking(monkeypatch):
    """Give the function by which so many seconds pass with each look at the clock."""

    def tick(seconds):
        ticks = itertools.count(0.0, seconds)
        monkeypatch.setattr(Deadline, "clock", staticmethod(lambda: next(ticks)))

    monkeypatch.setattr(Deadline, "has_warned", False)
    return tick


def gradient_on_the_tape():
    with srcgrad.set_stance("tape"):
        return srcgrad.value_and_grad(polynomial)(X)


def assert_is_right(found):
    for one, other in zip(found, gradient_on_the_tape(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_nothing_is_due_where_nothing_is_compiled():
    check()


def test_who_compiles_something_in_a_compilation_has_its_deadline():
    deadline = Deadline("loss", seconds=1.0, clock=iter([0.0, 2.0]).__next__)
    with override(deadline=deadline), pytest.raises(TookTooLong, match="more than 1 s"):
        check()


def test_a_decorated_function_that_takes_too_long_stays_on_the_tape(ticking):
    ticking(30.0)
    traced = srcgrad.trace(polynomial)
    gradient = srcgrad.value_and_grad(traced)
    with pytest.warns(RuntimeWarning, match="stays on the tape from now on: takes"):
        assert_is_right(gradient(X))
    ticking(0.0)
    assert_is_right(gradient(X))
    assert (traced.stats.compiled, traced.stats.traces) == (0, 0)
    assert "s to compile" in traced.explain()
    assert "whole arrays" in traced.explain()


def test_a_variable_has_its_gradient_when_the_time_is_over(ticking):
    ticking(30.0)
    x = srcgrad.Variable(X, requires_grad=True)
    with pytest.warns(RuntimeWarning, match="stays on the tape"):
        srcgrad.trace(polynomial)(x).backward()
    np.testing.assert_allclose(x.grad.data, gradient_on_the_tape()[1])


def test_what_nobody_asked_for_waits_until_the_tape_has_cost_as_much(ticking):
    gradient = srcgrad.value_and_grad(function := _undecorated())
    ticking(0.5)
    for _ in range(3):
        assert_is_right(gradient(X))
    assert _stats(function).traces == 0
    ticking(0.0)
    for _ in range(200):
        assert_is_right(gradient(X))
    assert _stats(function).traces == 1
    assert _stats(function).compiled > 100


def test_what_nobody_asked_for_takes_a_share_of_the_time_of_the_tape(ticking):
    gradient = srcgrad.value_and_grad(function := _undecorated())
    ticking(1e-4)
    gradient(X)
    gradient(X)
    assert _stats(function).traces == 1


def test_a_listener_is_told_of_a_long_compilation_once(ticking, caplog):
    ticking(0.2)
    with caplog.at_level(logging.INFO, logger="srcgrad"):
        assert_is_right(srcgrad.value_and_grad(srcgrad.trace(polynomial))(X))
    (record,) = caplog.records
    assert "polynomial has taken 1 s" in record.getMessage()


def test_who_does_not_listen_is_warned_once(ticking, monkeypatch):
    monkeypatch.setattr(logging.Logger, "hasHandlers", lambda self: False)
    ticking(0.2)
    gradient = srcgrad.value_and_grad(srcgrad.trace(polynomial))
    with pytest.warns(RuntimeWarning, match="has taken 1 s"):
        gradient(X)
    again = srcgrad.value_and_grad(srcgrad.trace(polynomial))
    assert_is_right(again(X))  # a further warning would be an error


def _undecorated():
    """A function without traces of its own so far."""

    def again(x):
        return polynomial(x)

    return again


def _stats(function):
    return vars(function)["__srcgrad_traces__"].traced.stats
