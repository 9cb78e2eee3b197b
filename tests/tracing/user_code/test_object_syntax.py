import gast
import pytest

from srcgrad.tracing.user_code.object_syntax import ObjectSyntax, read

TEXTS = {
    "-p": "-seen(p)",
    "not p": "not seen(p)",
    "not (p and q)": "not (seen(p) and seen(q))",
    "p and q": "real(seen(p) and q)",
    "p or q and r": "real(seen(p) or real(seen(q) and r))",
    "p if q or r else s": "p if seen(q) or seen(r) else s",
    "[x for x in p if q]": "[x for x in seen(p) if seen(q)]",
    "f(*p, *[1])": "f(*seen(p), *[1])",
    "f'{p:.2f}'": "f'{seen(p):.2f}'",
    "lambda p: -p": "lambda p: -p",
}


@pytest.mark.parametrize("text", TEXTS)
def test_where_python_runs_special_methods(text):
    tree = ObjectSyntax().visit(gast.parse(text).body[0].value)
    assert gast.unparse(tree).replace("__srcgrad__.", "") == TEXTS[text]


def test_functions_inside_ask_if_such_a_class_is_known():
    syntax = ObjectSyntax()
    syntax.knows = True
    tree = syntax.visit(gast.parse("lambda p: -p").body[0].value)
    assert gast.unparse(tree) == "lambda p: -__srcgrad__.seen(p)"


def test_a_target_is_read():
    target = gast.parse("a.b.c = 1").body[0].targets[0]
    assert gast.unparse(read(target)) == "a.b.c"
