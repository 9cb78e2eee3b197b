"""What ``explain()`` says, and the error where generated code and the tape differ."""

import numpy as np
import pytest

import srcgrad
from srcgrad import DivergenceError, Variable
from srcgrad.emit import Module
from srcgrad.tracing.reports import arguments_of, compare
from srcgrad.tracing.signature import Signature


def test_explain_says_each_thing_once():
    @srcgrad.trace
    def halved(x):
        while np.sum(x) > 1.0:
            x = x / 2.0
        return np.sum(x)

    halved(np.full(3, 10.0))
    assert halved.explain().count("bool is True") == 1
    assert "(5 times)" in halved.explain()

    @srcgrad.trace
    def printing(x):
        input.__name__.upper()
        return x

    for length in range(1, 5):
        printing(np.ones(length))
    assert printing.explain().count("on the tape:") == 1


def test_explain_counts_what_happened():
    @srcgrad.trace
    def signed(x):
        return x if np.sum(x) > 0 else -x

    for sign in (1.0, 1.0, -1.0):
        signed(sign * np.ones(2))
    first, counts, *rest = signed.explain().splitlines()
    line = signed.__wrapped__.__code__.co_firstlineno
    assert first == f"signed (test_reports.py:{line})"
    assert counts == "  3 calls: 1 compiled, 2 on the tape; 2 traces, 1 misses"
    assert sum(each.startswith("  trace: signed, traced at ") for each in rest) == 2
    assert sum("bool is True" in each for each in rest) == 1
    assert sum("bool is False" in each for each in rest) == 1
    assert any(each.startswith("  last miss: test_reports.py:") for each in rest)


def test_the_arguments_of_a_signature():
    signature = Signature((np.ones((2, 3)), 1.5, "sum"), {"axis": 0})
    assert arguments_of(signature) == "(2, 3), (), 'sum', 0"


# ----- Divergences -----


def f(x):
    return x


SAME = [
    (1.0, 1.0 + 1e-9),
    (np.array([1.0, np.nan]), np.array([1.0, np.nan])),
    ({"a": [1, "text", None]}, {"a": [1, "text", None]}),
    (Variable(np.ones(2)), Variable(np.ones(2))),
]
OTHER = [
    (1.0, 1.001),
    (1.0, np.float64(1.0)),
    (np.array([1.0, np.nan]), np.array([1.0, 2.0])),
    (np.ones(2), np.ones((1, 2))),
    ({"a": [1, "text"]}, {"a": [2, "text"]}),
    (Variable(np.ones(2)), np.ones(2)),
    (Variable(np.ones(2)), Variable(np.zeros(2))),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME)
def test_results_that_differ_by_rounding_only_are_the_same(ours, theirs):
    compare(f, ours, theirs)


@pytest.mark.parametrize(("ours", "theirs"), OTHER)
def test_a_divergence_is_an_error_with_both_results(ours, theirs):
    with pytest.raises(DivergenceError, match=r"^f: generated code gave .*, the tape"):
        compare(f, ours, theirs)


def test_verify_compares_generated_code_with_the_tape(monkeypatch):
    traced = srcgrad.trace(lambda x: x * 2.0, verify=True)
    for _ in range(2):
        traced(np.ones(2))
    run = Module.call_forward

    def wrong(self, raws):
        outs, saved = run(self, raws)
        return [out + 1.0 for out in outs], saved

    monkeypatch.setattr(Module, "call_forward", wrong)
    with pytest.raises(DivergenceError, match=r"gave array\(\[3., 3.\]\), the tape"):
        traced(np.ones(2))
