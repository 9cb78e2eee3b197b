"""What ``explain()`` says, and the error where generated code and the tape differ."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.serving.reports import arguments_of


def test_explain_says_each_thing_once():
    def half(x):
        if np.sum(x) > 1.0:
            for _ in range(1):
                x = x / 2.0
        return x

    @srcgrad.trace
    def halved(x):
        return np.sum(half(half(half(x))))

    halved(np.full(3, 10.0))
    assert halved.explain().count("bool of `np.sum(x) > 1.0` was True") == 1
    assert "(3 times)" in halved.explain()

    @srcgrad.trace
    def printing(x):
        input.__name__.upper()
        return x

    for length in range(1, 5):
        printing(np.ones(length))
    assert printing.explain().count("on the tape:") == 1


def test_explain_says_which_arms_are_known():
    @srcgrad.trace
    def bent(x):
        y = x * 2.0
        if x > 1.0:
            y = x * x
        if y > 0.0:
            y = [y, x][0]
        return y

    srcgrad.grad(bent)(np.float64(3.0))
    (made,) = bent.explain(as_dict=True)["traces"]
    (known,) = made["branches"]
    assert known.endswith("if x > 1.0:")
    (unseen,) = (text for text in made["guards"] if "bool of" in text)
    assert unseen.endswith("bool of `y > 0.0` was True")


def test_explain_counts_how_often_the_arms_ran_that_were_recorded():
    def cut(x):
        total = 0.0 * x[0]
        for i in range(9):
            if x[i] > 0.0:
                total = total + x[i]
        return total

    traced = srcgrad.trace(cut)
    for sign in (1.0, 1.0, -1.0):
        traced(sign * np.arange(-2.0, 7.0))
    (made,) = traced.explain(as_dict=True)["traces"]
    assert made["ran"] == [(6, 3)]
    assert "if x[i] > 0.0: (true 6 times, false 3 times, in the" in traced.explain()


def test_explain_counts_what_happened():
    @srcgrad.trace
    def signed(x):
        return x if np.sum(x) > 0 else -x

    for sign in (1.0, 1.0, -1.0):
        signed(sign * np.ones(2))
    first, counts, *rest = signed.explain().splitlines()
    line = signed.__wrapped__.__code__.co_firstlineno
    assert first == f"signed (test_reports.py:{line})"
    assert counts == "  3 calls: 1 compiled, 2 on the tape; 2 traces, 1 miss"
    assert sum(each.startswith("  trace: signed, traced at ") for each in rest) == 2
    assert sum("guard" in each and "was True" in each for each in rest) == 1
    assert sum("guard" in each and "was False" in each for each in rest) == 1
    assert any(each.startswith("  last miss: test_reports.py:") for each in rest)


def test_the_arguments_of_a_signature():
    signature = Signature((np.ones((2, 3)), 1.5, "sum"), {"axis": 0})
    assert arguments_of(signature) == "(2, 3), (), 'sum', 0"


def test_explain_as_a_dict():
    log = []

    @srcgrad.trace
    def loss(x, w):
        log.append(float(x[0]))
        if x[0] > 0.0:
            log.append(1.0)
        return np.sum(x * w)

    @srcgrad.trace
    def changes(x):
        x[0] = 1.0
        return x[1:]

    for _ in range(2):
        loss(np.ones(2), 2.0)
        changes(np.ones(2))
    found = loss.explain(as_dict=True)
    (made,) = found["traces"]
    assert (found["calls"], found["compiled"], found["traces_made"]) == (2, 1, 1)
    first, second = made["guards"]
    assert first == "`log` was a list"
    assert second.endswith("bool of `x[0] > 0.0` was True")
    assert made["effects"][0].endswith("log.append(float(x[0]))")
    assert found["on_the_tape"] == []
    (why,) = changes.explain(as_dict=True)["on_the_tape"]
    assert why["instead"] == "return or keep a copy: `state[1:].copy()`"
    assert "    instead: return or keep a copy" in changes.explain()


def test_where_traces_part_and_which_calls_missed():
    log, rate = [], {"n": 2}

    @srcgrad.trace
    def loss(x):
        y = x * rate["n"]
        if x[0] > 1.0:
            log.append(2.0)
        return np.sum(y)

    for first in (2.0, 0.0, 2.0):
        loss(np.array([first]))
    parts = [made["parts"] for made in loss.explain(as_dict=True)["traces"]]
    (pair,) = filter(None, parts)
    assert {guard.rpartition(" was ")[2] for guard in pair} == {"True", "False"}
    assert "    parts from the first: test_reports.py:" in loss.explain()
    rate["n"] = 3
    loss(np.array([2.0]))
    found = loss.explain(as_dict=True)
    assert [call for call, _ in found["misses_at"]] == [2, 4]
    assert found["misses_at"][1].reason == "`rate['n']` was 2"
    assert "    at call 4: `rate['n']` was 2" in loss.explain()


def test_an_if_that_only_the_gradient_has_is_no_guard():
    def doubled(x):
        t = np.sin(x)
        if t > 0.2:
            t = t * 2.0
        return t

    for x in (1.0, 1.0, 0.1, 1.0):
        with srcgrad.set_stance("default" if x == 1.0 else "fail_on_miss"):
            srcgrad.grad(doubled)(x)
    text = srcgrad.explain(doubled)
    assert "both arms: " in text
    assert "guard: " not in text


def test_a_test_that_ends_a_loop_is_no_guard():
    def cubic_root(x):
        y = x + 1.0
        for _ in range(50):
            step = (y * y * y - x) / (3.0 * y * y)
            y = y - step
            if abs(step) < 1e-12:
                break
        return y

    for x in (2.0, 2.0, 700.0):
        srcgrad.grad(cubic_root)(x)
    text = srcgrad.explain(cubic_root)
    assert "any count: test_reports.py:" in text
    assert ": if abs(step) < 1e-12:" in text
    assert not any(word in text for word in ("guard: test_reports", "one arm:", "part"))


def test_explain_says_how_long_a_trace_took():
    traced = srcgrad.trace(lambda x: np.sin(x))
    traced(np.ones(3))
    (made,) = traced.explain(as_dict=True)["traces"]
    assert made["seconds"] > 0.0
    assert f"made in {1e3 * made['seconds']:.1f} ms" in traced.explain()


def test_explain_says_what_waits_for_a_second_call():
    gradient = srcgrad.grad(lambda x: np.sum(np.sin(x)))
    gradient(np.ones(3))
    (waiting,) = gradient.explain(as_dict=True)["on_the_tape"]
    assert "of one kind came once" in waiting["reason"]
    gradient(np.ones(3))
    assert gradient.explain(as_dict=True)["on_the_tape"] == []


def test_where_there_is_no_source_it_is_said_what_to_do():
    names = {"np": np}
    exec("def cube(x): return np.sum(x**3)", names)  # as at Python's prompt
    slope = srcgrad.grad(names["cube"])
    for _ in range(2):
        slope(np.ones(2))
    with pytest.raises(RuntimeError, match="instead: define the function in a file"):
        slope.source()
