"""The page of a function says what is known of its calls and traces."""

import html
import re

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.report import writing
from tests.tracing.report import report_programs as programs
from tests.tracing.report.test_reported import Page


@pytest.fixture
def shown(tmp_path):
    """The text of a function's page."""

    def made(function, *args):
        path = tmp_path / "page.html"
        function.report(path, *args)
        text = path.read_text(encoding="utf-8")
        Page(text)
        return text

    return made


def plain(text):
    body = text.partition("<body>")[2].partition("<script>")[0]
    return html.unescape(re.sub(r"<[^>]*>", " ", body))


def variable(value):
    return srcgrad.Variable(np.asarray(value), requires_grad=True)


def test_calls_hits_and_misses_are_counted(shown):
    function = srcgrad.trace(lambda x, n: np.sum(x[: int(n)]))
    for count in (1, 1, 2, 2, 1):
        function(variable(np.ones(3)), np.array(count))
    words = plain(shown(function)).split()
    stats = function.stats
    for word, number in (
        *(("calls", stats.calls), ("hits", stats.compiled)),
        *(("traces", stats.traces), ("misses", stats.misses)),
    ):
        assert words[words.index(word) + 1] == str(number)
    assert " ".join(words).count("call 3 test_page.py:") == stats.misses == 1


def test_all_that_explain_says_is_on_the_page(shown):
    function = srcgrad.trace(programs.rnn)
    W = variable(np.eye(3) / 2)
    for limit in (0.1, 0.1, 1e6):
        function(W, np.ones((40, 3)), limit)
        function(W, np.ones((41, 3)), limit)
    noisy = srcgrad.trace(programs.noisy)
    for _ in range(2):
        noisy(variable(np.ones(3)))
    for each in (function, noisy, srcgrad.value_and_grad(programs.newton)):
        found, text = each.explain(as_dict=True), plain(shown(each))
        assert found["place"] in text
        for trace in found["traces"]:
            keys = "inputs", "branches", "endings", "guards", "notes", "effects"
            for said in [trace["header"], *(s for key in keys for s in trace[key])]:
                assert said in text


def test_why_calls_are_on_the_tape_and_what_to_write_instead_is_said(shown):
    text = plain(shown(srcgrad.grad(np.sin)))
    assert "every call: the function is not written in Python" in text
    assert "lambda x: sin(x)" in text


def test_each_trace_has_a_part_and_the_first_is_open(shown):
    function = srcgrad.trace(programs.vector)
    for count in (2, 3, 4):
        for _ in range(2):
            function(variable(np.ones(count)))
    text = shown(function)
    assert re.findall(r'<details class="trace"( open)?>', text) == [" open", "", ""]
    assert "Trace 3 of 3" in text


def test_of_many_traces_the_first_are_shown_and_the_others_counted(shown, monkeypatch):
    function = srcgrad.trace(programs.vector)
    for count in (2, 3, 4):
        function.compile(variable(np.ones(count)))
    monkeypatch.setattr(writing, "MOST_SECTIONS", 1)
    text = shown(function)
    assert text.count('class="trace"') == 1
    assert "Trace 1 of 3" in text
    assert "There are 2 more traces" in text


def test_costs_stand_with_the_trace_that_was_measured(shown):
    function = srcgrad.trace(programs.vector)
    for count in (2, 3):
        for _ in range(2):
            function(variable(np.ones(count)))
    for count in (2, 3):
        text = shown(function, variable(np.ones(count)))
        first, second = text.split('class="trace"')[1:]
        assert "panes costs" in first
        assert "panes costs" not in second
        assert f"x: float64[{count}]" in first.partition("</summary>")[0]


def test_a_trace_without_conditions_is_said_to_hold_always(shown):
    function = srcgrad.grad(programs.cube)
    function.compile(np.ones(3))
    assert "for all arguments of these kinds" in shown(function)


def test_two_pages_of_one_function_are_the_same(shown):
    function = srcgrad.grad(programs.decays)
    function.compile(np.ones(3))
    assert shown(function) == shown(function)


def test_nothing_is_loaded_from_elsewhere(shown):
    function = srcgrad.grad(programs.decays)
    function.compile(np.ones(3))
    text = shown(function)
    assert not re.search(r"(src|href|url|@import|https?:|//[a-z])\s*[=(\"']", text)
    assert "http" not in text


def test_what_utf_8_has_no_bytes_for_is_written_all_the_same(shown):
    space = {"np": np}
    exec("def f(x):\n    return np.sum(x)", space)
    space["f"].__name__ = "f\udcff<b>"
    text = shown(srcgrad.trace(space["f"]))
    assert "<title>f&#56575;&lt;b&gt;</title>" in text


def test_parts_of_the_way_back_are_shown_with_their_counterparts(shown):
    function = srcgrad.trace(lambda x, y: np.sum(x * y))
    x, y = variable(np.ones(2)), variable(np.ones(2))
    for _ in range(3):
        srcgrad.autograd.grad(function(x, y), [x])
    _, _, part = shown(function).rpartition(
        'aria-label="Generated: part of the way back"'
    )
    own, _, _ = part.partition("</section>")
    assert re.search(
        r'data-k="\d+"><span class="n">\d+</span>    <i class=k>return', own
    )
