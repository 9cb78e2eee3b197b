"""What is printed parses back to the same tree, comments and blank lines aside."""

import gast
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from srcgrad.emit.syntax import (
    BlankLine,
    Comment,
    constant,
    function,
)
from srcgrad.emit.unparse import unparse
from tests.emit.trees import NAMES, statements


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(st.lists(statements(), min_size=1, max_size=2), st.lists(NAMES, unique=True))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_function_parses_back(body, parameters):
    module = gast.Module([function("forward", parameters, body)], [])
    assert gast.dump(gast.parse(unparse(module))) == gast.dump(module)


@given(st.text())
def test_a_docstring_parses_back(value):
    tree = gast.Module([gast.Expr(constant(value))], [])
    try:
        tree_back = gast.parse(unparse(tree))
    except UnicodeEncodeError:
        return  # lone surrogates are no source text
    assert tree_back.body[0].value.value == value


def test_comments_and_blank_lines_stand_where_they_are_put():
    body = [Comment("one"), gast.Pass(), BlankLine(), Comment("two"), gast.Return(None)]
    module = gast.Module([function("f", [], body), function("g", [], body[:2])], [])
    assert unparse(module) == (
        "def f():\n    # one\n    pass\n\n    # two\n    return\n"
        "\n\ndef g():\n    # one\n    pass\n"
    )


def test_other_statements_are_printed_too():
    source = (
        "@decorator\ndef f(x, y=1, z=None):\n    for i in range(3):\n"
        "        y += i\n    while x:\n        x = y = 2\n    if x:\n        pass\n"
        "    elif y:\n        raise ValueError(x)\n    else:\n        del x\n"
        "    return [a for a in y if a]\n"
    )
    tree = gast.parse(source)
    assert gast.dump(gast.parse(unparse(tree))) == gast.dump(tree)
