"""A profile as rows, and as a table of the user's lines and the generated ones."""

import re

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.report import measuring
from tests.tracing.report import report_programs as programs

W = np.eye(3) / 2


@pytest.fixture(scope="module")
def profile():
    function = srcgrad.trace(programs.rnn)
    args = srcgrad.Variable(W, requires_grad=True), np.ones((40, 3)), 0.1
    for _ in range(2):
        function(*args)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "MOST_RUNS", 2)
        return function.profile(*args)


def test_the_users_lines_have_what_their_counterparts_cost(profile):
    of_13 = [
        line for line in profile.generated if getattr(line.statement, "first", 0) == 13
    ]
    assert {line.function for line in of_13} == {"forward", "backward"}
    (own,) = [line for line in profile.user if line.line == 13]
    assert own.text == "    return np.tanh(z)"
    assert own.filename == programs.__file__
    assert own.cost.taken == sum(line.cost.taken for line in of_13)
    assert own.cost.seconds == pytest.approx(sum(line.cost.seconds for line in of_13))
    assert own.cost.runs == 40


def test_what_is_for_no_line_comes_last(profile):
    *_, last = profile.user
    assert last[:3] == (None, None, "")
    own = [line for line in profile.generated if line.statement is None]
    assert last.cost.taken == sum(line.cost.taken for line in own)
    assert "saved" in own[-2].text


def test_a_statement_runs_as_often_as_code_for_it_begins(profile):
    runs = {line.line: line.cost.runs for line in profile.user if line.line}
    assert runs == {12: 40, 13: 40, 18: 41, 19: 40, 20: 1, 21: 1, 22: 1}


def test_the_table_has_all_lines_beside_their_costs(profile):
    text = str(profile)
    row = next(each for each in text.split("\n") if each.endswith("return np.tanh(z)"))
    pattern = (
        r" +[\d.]+ (ns|µs|ms) +[\d.]+ +40 +[\d.]+ k?B( +-?[\d.]+ k?B)? +13  +return.*"
    )
    assert re.fullmatch(pattern, row)
    assert text.startswith("rnn (report_programs.py:16)\n")
    assert (
        len({len(each) for each in text.split("\n") if each.startswith("      time")})
        == 2
    )


def test_it_says_in_short_what_it_is(profile):
    assert re.fullmatch(r"<profile of rnn: [\d.]+ .s>", repr(profile))


def test_in_a_notebook_it_is_a_page_with_costs(profile):
    shown = profile._repr_html_()
    assert shown.startswith("<iframe")
    assert "runs 40 times" in shown
