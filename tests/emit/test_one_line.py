"""Expressions on one line: they parse back, with the parentheses that they need."""

import gast
import pytest
from hypothesis import HealthCheck, given, settings

from srcgrad.emit.one_line import text
from srcgrad.emit.syntax import (
    constant,
)
from tests.emit.trees import expressions


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # of `1(x)`, `"a" is x`
@given(expressions())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_an_expression_parses_back(tree):
    assert gast.dump(gast.parse(f"({text(tree)})").body[0].value) == gast.dump(tree)


@pytest.mark.parametrize(
    "source",
    [
        "x[0:3, None]",
        "x[:, 1:, ..., ::2]",
        "x[a + 1 : b, -n:, :]",
        "x[()]",
        "x[0,]",
        "-(x**2)",
        "(-x) ** 2",
        "x**-y.z",
        "x ** (a + b)",
        "2 ** x[0]",
        "a - (b - c)",
        "(a < b) == c",
        "not a < b",
        "(a + b).T",
        "(1).real",
        "f(x)(y)[0].z",
        "1e-05 + 1e16",
        "1e309",
        '{"a": 1}',
        "(x,)",
        "f(*x, a=(1, 2))",
        "~-x",
        "a @ b * c",
        "a @ (b * c)",
    ],
)
def test_an_expression_in_its_usual_form_stays(source):
    assert text(gast.parse(source).body[0].value) == source


def test_a_nan_is_refused():
    with pytest.raises(ValueError, match=r"np\.nan"):
        text(constant(float("nan")))
