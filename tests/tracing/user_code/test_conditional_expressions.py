"""Which parts of a test become functions, so that both ways may be run."""

import gast
import pytest

from srcgrad.tracing.user_code.conditional_expressions import as_test, conditional


def expression(text):
    return gast.parse(text).body[0].value


def shown(node):
    return gast.unparse(node).replace("__srcgrad__.", "")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a < b", "chained(a, 'Lt', b)"),
        ("a and b and c", "both(a, lambda: both(b, lambda: c))"),
        ("not (a or b)", "negated(either(a, lambda: b))"),
        ("a < b == c", "chained(a, 'Lt', b, 'Eq', lambda: c)"),
    ],
)
def test_tests(text, written):
    assert shown(as_test(expression(text), lambda node: node)) == written


def test_a_conditional_expression_looks_at_the_test_first():
    written = shown(conditional(expression("a if t else b")))
    assert written == "chosen(t, lambda: b, lambda: a)"
