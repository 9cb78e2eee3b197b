"""Grad mode and anomaly mode: inside blocks, as decorators, by thread."""

import threading

import numpy as np
import pytest

import srcgrad
from srcgrad import detect_anomaly
from srcgrad.modes import override, state
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


def test_set_grad_enabled_works_at_once_and_until_the_end_of_its_block():
    mode = srcgrad.set_grad_enabled(False)
    try:
        assert not srcgrad.is_grad_enabled()
        with mode:
            assert not srcgrad.is_grad_enabled()
        assert srcgrad.is_grad_enabled()
    finally:
        srcgrad.set_grad_enabled(True)


def test_set_grad_enabled_as_a_decorator_says_nothing_about_now():
    @srcgrad.set_grad_enabled(False)
    def inside():
        return srcgrad.is_grad_enabled()

    assert srcgrad.is_grad_enabled()
    assert inside() is False
    assert srcgrad.is_grad_enabled()


def test_one_object_may_be_entered_again_inside_itself():
    mode = srcgrad.no_grad()
    with mode:
        with mode, srcgrad.enable_grad():
            assert srcgrad.is_grad_enabled()
        assert not srcgrad.is_grad_enabled()
    assert srcgrad.is_grad_enabled()


def test_a_decorated_function_keeps_its_name_and_arguments():
    @srcgrad.no_grad()
    def step(x, *, rate=2.0):
        """Take a step."""
        return x * rate

    assert (step.__name__, step.__doc__) == ("step", "Take a step.")
    assert step(3.0, rate=1.5) == 4.5


def test_the_fast_path_is_that_of_the_plain_tape():
    state = srcgrad.modes.state
    assert state.fast
    for mode in ({"grad_enabled": False}, {"anomaly": True}, {"recorder": object()}):
        with override(**mode):
            assert not state.fast
        assert state.fast


# ----- Stances -----


def test_on_the_tape_nothing_is_recorded():
    def f(x):
        return x * x

    traced = srcgrad.trace(f)
    with srcgrad.set_stance("tape"):
        for _ in range(4):
            assert srcgrad.grad(f)(3.0) == srcgrad.grad(traced)(3.0) == 6.0
            assert traced(3.0) == 9.0
    assert traced.stats.traces == traced.stats.compiled == 0
    for _ in range(3):
        srcgrad.grad(f)(3.0)
    assert "1 compiled" in srcgrad.grad(f).explain()


def test_a_miss_may_be_an_error():
    @srcgrad.trace
    def f(x):
        return {True: x * x, False: -x}[bool(np.sum(x) > 0)]

    x = np.ones(2)
    f(x)
    with srcgrad.set_stance("fail_on_miss"):
        np.testing.assert_array_equal(f(x), x)
        with pytest.raises(
            RuntimeError, match=r"f misses.*test_modes.*bool of .*was True"
        ):
            f(-x)
        with pytest.raises(RuntimeError, match=r"f misses.*no trace is for such"):
            f(np.ones(3))
        with pytest.raises(RuntimeError, match="misses"):
            srcgrad.grad(lambda x: x)(1.0)


def test_a_stance_is_set_at_once_or_for_a_block():
    with srcgrad.set_stance("default"):  # whatever fails
        srcgrad.set_stance("tape")
        assert state.stance == "tape"
        with srcgrad.set_stance("verify"):
            assert state.stance == "verify"
        assert state.stance == "tape"
        srcgrad.set_stance("default")
        assert state.compiles
        with pytest.raises(ValueError, match="stance is one of"):
            srcgrad.set_stance("fast")


def test_what_inplace_operations_do_is_one_of_three_things():
    with srcgrad.set_inplace("warn"):
        srcgrad.set_inplace("error")
        assert state.inplace == "error"
    assert state.inplace == "copy"
    with pytest.raises(ValueError, match="mode is one of"):
        srcgrad.set_inplace("fail")
