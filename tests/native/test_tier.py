"""Which code answers calls, and what is told of it."""

import copy
import gc
import linecache
import pickle

import numpy as np
import pytest

import srcgrad
from srcgrad.native import tier
from tests.native.test_native_lowering import DONE, X

pytest.importorskip("numba", reason="Numba is not installed: `pip install .[native]`")


def test_the_source_is_what_is_compiled(answered):
    derived = srcgrad.grad(srcgrad.trace(DONE["a loop of numbers"]))
    for _ in range(2):
        derived(X)
    source = derived.source(tier="native")
    assert "for i in range(1, 20):" in source or "np.sin(" in source
    assert "def kernel(x):" in source
    assert "answered by: machine code is being tried" in derived.explain()
    with pytest.raises(ValueError, match="tier"):
        derived.source(tier="gpu")


def test_the_faster_tier_stays():
    with srcgrad.set_native("now"):
        derived = srcgrad.value_and_grad(srcgrad.trace(DONE["a loop of numbers"]))
        for _ in range(2 * tier.NATIVE_TRIALS + 2):
            derived(X)
    assert "of NumPy's time" in derived.explain()


def test_nothing_is_compiled_of_what_is_called_a_few_times():
    derived = srcgrad.grad(lambda x: np.sum(x * x))
    for _ in range(3):
        derived(X)
    assert "answered by" not in derived.explain()
    assert "np.empty((24,))" in derived.source(tier="native")


def test_nothing_is_compiled_if_so_it_is_said(monkeypatch):
    monkeypatch.setattr(tier, "SECONDS_OF_NUMBA", 0.0)
    with srcgrad.set_native(False):
        derived = srcgrad.grad(lambda x: np.sum(x * x))
        for _ in range(3):
            derived(X)
    assert "answered by" not in derived.explain()
    with pytest.raises(RuntimeError, match="set_native"):
        derived.source(tier="native")


@pytest.mark.parametrize("mode", [True, "now"])
def test_a_trace_goes_with_its_function(mode):
    def f(x):
        return np.sum(x * np.exp(x))

    before = {*linecache.cache}
    gc.disable()  # reference counting has to do
    try:
        with srcgrad.set_native(mode):
            traced = srcgrad.trace(f)
            for _ in range(3):
                traced(X)
        own = {name for name in linecache.cache if name.startswith("<srcgrad f")}
        own -= before
        assert own
        del traced
        assert own.isdisjoint(linecache.cache)
    finally:
        gc.enable()


def test_one_function_may_have_a_mode_of_its_own():
    @srcgrad.trace(native="now")
    def f(x):
        return np.sum(x * x)

    for each in (f, pickle.loads(pickle.dumps(_of_module)), copy.deepcopy(f)):
        for _ in range(2):
            each(X)
        assert "answered by: machine code" in each.explain()
    with pytest.raises(ValueError, match="native is True, False or"):
        srcgrad.trace(native="later")(f.__wrapped__)


@srcgrad.trace(native="now")
def _of_module(x):
    return np.sum(np.exp(x))


def test_the_mode_is_one_of_three():
    with pytest.raises(ValueError, match="native is True, False or"):
        srcgrad.set_native("later")


def test_what_was_traced_without_it_says_how_to_get_machine_code():
    def cube(x):
        return np.sum(x**3)

    gradient = srcgrad.grad(cube)
    with srcgrad.set_native(False):
        gradient.compile(np.ones(3))
    with srcgrad.set_native("now"):
        gradient(np.ones(3))
        with pytest.raises(RuntimeError, match=r"stays with NumPy; .*native=\"now\""):
            gradient.source(tier="native")
