"""Grad mode and anomaly mode: inside blocks, as decorators, by thread."""

import threading

import numpy as np
import pytest

import srcgrad
from srcgrad import detect_anomaly
from tests.threads import run_in_threads
from tests.variables import variable


def test_modes():
    x = variable([1.0])
    with srcgrad.no_grad():
        assert not (x * 2).requires_grad
        with srcgrad.enable_grad():
            assert (x * 2).requires_grad
            with srcgrad.set_grad_enabled(False):
                assert not (x * 2).requires_grad
        assert str(x * 2).startswith("Variable containing:")
    assert srcgrad.no_grad()(lambda: (x * 2).requires_grad)() is False
    with pytest.raises(ZeroDivisionError), srcgrad.no_grad():
        raise ZeroDivisionError
    assert srcgrad.is_grad_enabled()


def test_modes_are_those_of_a_thread():
    seen = []
    with srcgrad.no_grad():
        thread = threading.Thread(target=lambda: seen.append(srcgrad.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_threads_that_run_at_once_have_modes_of_their_own():
    barrier = threading.Barrier(4)
    x = variable([1.0])

    def work(number):
        with srcgrad.set_grad_enabled(number % 2 == 0):
            barrier.wait(timeout=30)
            assert (x * 2.0).requires_grad is (number % 2 == 0)
            barrier.wait(timeout=30)
        assert srcgrad.is_grad_enabled()

    run_in_threads(4, work)


def test_detect_anomaly_is_a_decorator_and_of_its_thread():
    seen = []

    @detect_anomaly()
    def inside():
        thread = threading.Thread(
            target=lambda: seen.append(srcgrad.modes.state.anomaly)
        )
        thread.start()
        thread.join()
        x = variable([0.0])
        with pytest.raises(RuntimeError, match="SqrtBackward"):
            np.sqrt(x).sum().backward()

    inside()
    assert seen == [False]
    assert not srcgrad.modes.state.anomaly
