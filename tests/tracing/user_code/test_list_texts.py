"""Lists by the text of a function."""

import gast
import pytest

from srcgrad.tracing.user_code.list_texts import appended, names_shared, new_lists
from srcgrad.tracing.user_code.syntax_trees import nodes_in


@pytest.mark.parametrize(
    ("text", "names"),
    {
        "a = []": ["a"],
        "a = [*b]": ["a"],
        "a, b = [], 1.0": ["a"],
        "a, b = [], [1.0]": ["a", "b"],
        "a = b = []": [],
        "a[0] = []": [],
        "a, b = f([])": [],
        "a += []": [],
    }.items(),
)
def test_the_names_of_new_lists(text, names):
    assert [name for name, _ in new_lists(gast.parse(text).body[0])] == names


@pytest.mark.parametrize(
    ("text", "name"),
    {
        "a.append(v)": "a",
        "a.append(*v)": "a",
        "a.append(v, w)": None,
        "a.append(item=v)": None,
        "a.extend(v)": None,
        "a.b.append(v)": None,
        "append(v)": None,
        "a": None,
    }.items(),
)
def test_what_a_call_appends_to(text, name):
    assert appended(gast.parse(text).body[0].value) == name


def test_names_that_others_may_know():
    code = """
def f(x):
    global g
    a = [i for i in x]
    return lambda: b
"""
    tree = gast.parse(code).body[0]
    nodes = nodes_in(tree)
    assert names_shared(tree, nodes, (gast.Lambda,)) == {"b", "g"}
    assert names_shared(tree, nodes, (gast.ListComp,)) == {"g", "i", "x"}
