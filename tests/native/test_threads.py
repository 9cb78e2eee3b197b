"""Loops that several threads share."""

import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad.native import nests
from tests.native.answered import by_tape

ROWS = np.random.default_rng(0).uniform(0.5, 1.5, size=(9, 300))

SHARED = {
    "one row": lambda x: np.sum(np.exp(-x[0]) * x[1]),
    "one row, and no sum": lambda x: np.exp(-x[0]) * x[1],
    "rows, and a sum of each": lambda x: np.sum(np.sum(np.sin(x) * x, axis=1) ** 1.5),
    "a sum of all, and the largest": lambda x: np.sum(np.log(x)) * np.max(x * 2.0),
    "three axes": lambda x: np.sum(np.sum(np.cos(x.reshape(3, 3, 300)), (1, 2)) ** 2),
    "sums of many blocks": lambda x: np.sum(np.max(x.reshape(3, 900) ** 2, axis=1)),
    "short rows": lambda x: np.sum(np.sum(x.reshape(540, 5) * 2.0, axis=1) ** 2),
    "sums along the first axis": lambda x: np.sum(np.sum(np.exp(x), axis=0) ** 2),
}


@pytest.fixture(autouse=True)
def _few_elements_are_many(monkeypatch):
    monkeypatch.setattr(nests, "NATIVE_ELEMENTS", 100)


def check(name, threads):
    def function(x):
        return SHARED[name](x)

    derive = srcgrad.trace if "no sum" in name else srcgrad.value_and_grad
    with srcgrad.set_native("now", threads=threads):
        derived = derive(function)
        for factor in (1.0, 1.0, 1.1):
            found = derived(ROWS * factor)
    expected = function(ROWS * 1.1)
    if "no sum" not in name:
        expected = by_tape(function, ROWS * 1.1)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    return derived


@pytest.mark.parametrize("threads", [2, 3, 64])
@pytest.mark.parametrize("name", SHARED)
def test_values_and_gradients(name, threads, machine):
    derived = check(name, threads)
    assert machine.runs, derived.explain()
    assert "prange" in derived.source(tier="native")


@pytest.mark.one_in(3)  # each takes Numba a second or two
@pytest.mark.parametrize("name", SHARED)
def test_numba_shares_them(name, answered):
    pytest.importorskip("numba", reason="`pip install .[native]`")
    derived = check(name, 2)
    assert answered.own, derived.explain()
    assert not answered.left


@pytest.mark.parametrize("row", [0, 4, 8])
def test_what_a_thread_hears_is_said(row, answered):
    pytest.importorskip("numba", reason="`pip install .[native]`")
    with srcgrad.set_native("now", threads=3):
        traced = srcgrad.trace(lambda x: np.sum(np.exp(x)))
        for _ in range(2):
            traced(ROWS)
    odd = ROWS.copy()
    odd[row, 7] = 1e3
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert traced(odd) == np.inf
    assert "overflow" in str(said[0].message)
    assert answered.left == 1
    assert np.isfinite(traced(ROWS))
    assert answered.left == 1


def test_what_was_said_before_the_threads_began_is_not_lost(answered):
    pytest.importorskip("numba", reason="`pip install .[native]`")
    with srcgrad.set_native("now", threads=2):
        traced = srcgrad.trace(lambda x: np.sum(np.exp(x)) + 1.0 / np.exp(x[0, 0]))
        for _ in range(2):
            traced(ROWS)
    odd = ROWS.copy()
    odd[0, 0] = 1e3
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        traced(odd)


def test_the_number_of_threads_is_one():
    for wrong in (0, -1, 1.5, None, "2"):
        with pytest.raises(ValueError, match="threads is a number from 1 on"):
            srcgrad.set_native(True, threads=wrong)
