"""What ``explain()`` says, and the error where generated code and the tape differ."""

import numpy as np

import srcgrad
from srcgrad.tracing.reports import arguments_of
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
