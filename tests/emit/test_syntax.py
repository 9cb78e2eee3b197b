"""Syntax nodes made by the short words are those that Python's parser makes."""

import gast
import pytest

from srcgrad.emit.syntax import (
    BlankLine,
    Comment,
    assignment,
    attribute,
    call,
    compare,
    constant,
    dotted,
    function,
    name,
    sequence,
    subscript,
    target,
    unpack,
)

x, y = name("x"), name("y")


@pytest.mark.parametrize(
    ("tree", "source"),
    [
        (x, "x"),
        (constant(1.5), "1.5"),
        (attribute(x, "shape"), "x.shape"),
        (dotted("np.linalg.inv"), "np.linalg.inv"),
        (dotted("abs"), "abs"),
        (call(x, [y, constant(0)]), "x(y, 0)"),
        (call(x, [], {"axis": constant(0), "out": y}), "x(axis=0, out=y)"),
        (sequence([x, y]), "(x, y)"),
        (sequence([]), "()"),
        (compare(x, gast.Lt(), y), "x < y"),
        (subscript(x, constant(0)), "x[0]"),
        (subscript(x, sequence([y, constant(0)])), "x[y, 0]"),
    ],
)
def test_expressions(tree, source):
    assert gast.dump(tree) == gast.dump(gast.parse(source).body[0].value)


@pytest.mark.parametrize(
    ("tree", "source"),
    [
        (assignment(target("h"), x), "h = x"),
        (unpack(["h", "_"], x), "h, _ = x"),
        (unpack(["h"], x), "h, = x"),
        (
            function("forward", ["x", "y"], [gast.Return(x)]),
            "def forward(x, y): return x",
        ),
        (function("f", [], [gast.Pass()]), "def f(): pass"),
    ],
)
def test_statements(tree, source):
    assert gast.dump(tree) == gast.dump(gast.parse(source).body[0])


def test_comments_and_blank_lines_stand_among_statements():
    comment = Comment("loss.py:3: y = x")
    assert isinstance(comment, gast.stmt)
    assert comment.text == "loss.py:3: y = x"
    assert isinstance(BlankLine(), gast.stmt)
    body = [comment, BlankLine(), gast.Pass()]
    assert function("f", [], body).body == body
