"""Calls without a look for a trace are the same calls."""

import functools
import math

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.serving.back_off import BackOff
from srcgrad.tracing.serving.cache import Stats
from srcgrad.tracing.serving.direct import MISS
from srcgrad.tracing.serving.pausing import Pause
from tests.tracing.comparing import plain

SCALE = {"by": 2.0}


@pytest.fixture
def rests(monkeypatch):
    """Where a look is in vain, the next three calls go without one."""
    monkeypatch.setattr(BackOff, "rest", lambda self, start, stats: 3)
    monkeypatch.setattr(BackOff, "allows_trace", lambda *_: False)


def filled(x, k=1.0):
    h = np.zeros(x.shape)
    h[0] = math.sin(x[0]) * k
    SCALE["last"] = h
    return np.sum(h * SCALE["by"])


def test_so_many_calls_are_served():
    counted = Stats()
    rest = Pause(2, lambda args, kwargs: (args, kwargs), counted)
    assert rest.take((), {}, ()) is None
    for _ in range(2):
        assert rest.direct((1,), {"k": 2}, (0,)) == ((0, 1), {"k": 2})
    assert rest.direct((1,), {}, ()) is MISS
    assert counted == Stats(tape=2)


@pytest.mark.usefixtures("rests")
@pytest.mark.parametrize("transform", [None, srcgrad.value_and_grad])
def test_calls_without_a_look_are_the_same_calls(transform):
    traced = srcgrad.trace(filled)
    bound = functools.partial(traced, k=3.0)
    made, of_bound = (
        each if transform is None else transform(each) for each in (traced, bound)
    )
    for number in range(10):
        SCALE["by"] = float(number)
        x = srcgrad.Variable(np.full(1 + number, 0.5), requires_grad=True)
        for k, call in ((1.0, made), (3.0, of_bound)):
            given = x if transform is None else x.data
            found = plain(call(given)), plain(SCALE["last"])
            with srcgrad.set_stance("tape"):
                assert found == (plain(call(given)), plain(SCALE["last"]))
            assert str(number * (math.sin(0.5) * k)) in str(found)


def test_within_a_gradient_on_the_tape_there_is_no_look_either(rests, monkeypatch):
    traced = srcgrad.trace(filled)
    gradient, looks = srcgrad.grad(traced), []
    allows = lambda *_: bool(looks.append(1))  # noqa: E731
    monkeypatch.setattr(BackOff, "allows_trace", allows)
    for number in range(12):
        SCALE["by"] = float(number)
        x = np.full(2, 0.5)
        with srcgrad.set_stance("tape"):
            expected = gradient(x).tolist()
        assert gradient(x).tolist() == expected
    assert len(looks) == 12 // 4  # of the gradient: the function within waits for it


@pytest.mark.usefixtures("rests")
def test_an_error_is_the_users_and_the_next_call_goes_well():
    traced = srcgrad.trace(lambda x, n: x / n)
    for n in (1, 2, 3, 0, 4, 5):
        if n == 0:
            with pytest.raises(ZeroDivisionError):
                traced(1.0, n)
        else:
            assert traced(1.0, n) == 1.0 / n
    assert traced.stats.tape == 6


@pytest.mark.usefixtures("rests")
def test_other_stances_and_functions_that_have_changed_hold_at_once():
    def f(x):
        return np.sum(x)

    traced = srcgrad.trace(f)
    for _ in range(2):
        assert traced(np.ones(2)) == 2.0
    with (
        srcgrad.set_stance("fail_on_miss"),
        pytest.raises(RuntimeError, match="misses"),
    ):
        traced(np.ones(2))
    f.__code__ = (lambda x: np.sum(x) * 3.0).__code__
    assert traced(np.ones(2)) == 6.0
