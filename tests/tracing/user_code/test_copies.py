"""What both kinds of copies are made with."""

import gast

from srcgrad.tracing.user_code.copies import (
    capture_call,
    compile_definition,
    constant,
    drop_annotations,
    is_copied,
    name_read,
    without_defaults,
)


def definition(source):
    return gast.parse(source).body[0]


def test_a_definition_is_compiled_where_it_stood():
    def original(x):
        return x

    node = definition("def original(x): return x")
    code = compile_definition(node, original.__code__)
    assert (code.co_name, code.co_filename) == ("original", __file__)
    assert is_copied(code)
    assert not is_copied(original.__code__)


def test_defaults_and_annotations_are_left_to_the_original():
    node = definition("def f(a: A = g(), *, b: B = h(), c): return a")
    without_defaults(node)
    assert [default.value for default in node.args.defaults] == [None]
    assert [d and d.value for d in node.args.kw_defaults] == [None, None]
    assert node.args.args[0].annotation is None
    inner = definition("def f(a: A): return a")
    drop_annotations(inner.args)
    assert inner.args.args[0].annotation is None


def test_calls_of_the_capture():
    at = definition("x\n\ny")
    node = capture_call("named", constant("x"), name_read("x"), at=at)
    assert gast.dump(node.func.value) == gast.dump(name_read("__srcgrad__"))
    assert node.lineno == at.lineno
