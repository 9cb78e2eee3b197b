"""Which comprehensions are loops, and their expressions as functions."""

import gast
import pytest

from srcgrad.tracing.user_code.comprehensions import (
    as_function,
    comprehensions_in,
    is_summed,
)
from srcgrad.tracing.user_code.syntax_trees import nodes_in


def expression(text):
    return gast.parse(text).body[0].value


@pytest.mark.parametrize(
    ("text", "is_it"),
    {
        "sum(v for v in x)": True,
        "sum([v for v in x])": True,
        "sum((v for v in x), 0.0)": False,
        "sum(v for v in x if v)": False,
        "sum(v for u in x for v in u)": False,
        "sum((w := v) for v in x)": False,
        "sum(x)": False,
        "sum((lambda: v)() for v in x)": False,
        "sum(last(w * v for w in x) for v in x)": False,
        "sum(max(w * v for w in x) for v in x)": True,
        "np.sum([v for v in x])": False,
    }.items(),
)
def test_what_is_summed(text, is_it):
    assert is_summed(expression(text)) is is_it


def test_lists_that_go_to_a_function_and_their_lists():
    tree = expression("f([[u * v for u in x] for v in y], [w for w in z])")
    found = {gast.unparse(node).strip() for node in comprehensions_in(nodes_in(tree))}
    assert found == {"[[u * v for u in x] for v in y]", "[u * v for u in x]"}


@pytest.mark.parametrize(
    ("text", "item", "expected"),
    [
        ("[v + 1 for v in x]", 2, 3),
        ("[a * b for a, b in x]", (2, 3), 6),
        ("[a * c for a, (b, *c) in x]", (2, (3, 4, 5)), [4, 5, 4, 5]),
    ],
)
def test_the_expression_is_a_function_of_the_item(text, item, expected):
    node = expression(text)
    function = as_function(node.generators[0].target, node.elt)
    source = gast.unparse(gast.fix_missing_locations(function))
    assert eval(source)(item) == expected
