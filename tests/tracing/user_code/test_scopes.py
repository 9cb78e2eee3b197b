"""Which names a definition binds, and which statements leave their block."""

import gast
import pytest

from srcgrad.tracing.user_code.scopes import (
    bound_names,
    last_test,
    may_leave,
    rebound_names,
)

BINDING = {
    "def f(a, /, b, *c, d=1, **e): pass": {"a", "b", "c", "d", "e"},
    "def f():\n    x, (y, *z) = t\n    x.a = w[0] = 1": {"x", "y", "z"},
    "def f():\n    for i in t:\n        with t as k: n += 1": {"i", "k", "n"},
    "def f():\n    [j for j in t if (last := j)]\n    lambda q: q": {"last"},
    "def f():\n    def g():\n        hidden = 1": {"g"},
    "def f():\n    import a.b, c as d\n    from e import g as h": {"a", "d", "h"},
    "def f():\n    match t:\n        case [p, *q] as r: s = 1": {"p", "q", "r", "s"},
}


@pytest.mark.parametrize("text", BINDING)
def test_bound_names(text):
    assert bound_names(gast.parse(text).body[0]) == BINDING[text]


def test_rebound_names():
    text = "def f():\n    if t:\n        global a, b\n    nonlocal c\n"
    text += "    def g():\n        global hidden"
    found = rebound_names(gast.parse(text).body[0])
    assert found == {"a": True, "b": True, "c": False}


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("if t:\n    return 1", True),
        ("for i in t:\n    break", True),
        ("def g():\n    return 1", False),
        ("x = lambda: 1", False),
        ("raise t", False),
    ],
)
def test_leaving_a_block(text, leaves):
    assert may_leave(gast.parse(text).body[0]) is leaves


@pytest.mark.parametrize(
    ("body", "is_last"),
    [
        ("x = f(x)\n    if x < t: break", True),
        ("if x < t: break\n    x = f(x)", False),
        ("if x < t:\n        y = x\n        break", False),
        ("if x < t: break\n    else: y = x", False),
        ("if y: continue\n    if x < t: break", False),
        ("if (y := x) < t: break", False),
        ("if x < t and y < t: break", False),
        ("x = f(x)", False),
    ],
)
def test_the_last_test_of_a_loop(body, is_last):
    loop = gast.parse(f"for i in t:\n    {body}").body[0]
    assert last_test(loop) is (loop.body[-1] if is_last else None)
