"""The syntax nodes that generated code is made of: gast, with shorter constructors.

>>> from srcgrad.emit.unparse import text
>>> text(call(attribute(name("np"), "sum"), [name("x")], {"axis": constant(0)}))
'np.sum(x, axis=0)'
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gast

from srcgrad.emit.names import is_name, one_line

LOAD, STORE, PARAM = gast.Load(), gast.Store(), gast.Param()
ADD, MULT, DIV, USUB = gast.Add(), gast.Mult(), gast.Div(), gast.USub()


class Comment(gast.stmt):  # type: ignore[misc]
    """A line ``# text``, of whatever text; a syntax tree has no such thing."""

    _fields = ("text",)

    def __init__(self, text: str) -> None:
        self.text = one_line(text)


class BlankLine(gast.stmt):  # type: ignore[misc]
    """An empty line."""

    _fields = ()


def checked(id: str) -> str:
    """A name that is to be printed, if it is one.

    Raises
    ------
    ValueError
        If it is any other text.
    """
    if not is_name(id):
        raise ValueError(f"{id!r} is no name")
    return id


def made(kind: Any, /, **fields: Any) -> Any:
    """A node with all its fields, in a fraction of its constructor's time."""
    node = kind.__new__(kind)
    node.__dict__ = fields
    return node


def name(id: str) -> gast.Name:
    return made(gast.Name, id=checked(id), ctx=LOAD, annotation=None, type_comment=None)


def target(id: str) -> gast.Name:
    return made(
        gast.Name, id=checked(id), ctx=STORE, annotation=None, type_comment=None
    )


def constant(value: Any) -> gast.Constant:
    return made(gast.Constant, value=value, kind=None)


def integer(number: int) -> gast.expr:
    """An integer, with the sign in front as Python's grammar has it."""
    if number < 0:
        return gast.UnaryOp(gast.USub(), constant(-number))
    return constant(number)


def attribute(value: gast.expr, attr: str) -> gast.Attribute:
    return made(gast.Attribute, value=value, attr=checked(attr), ctx=LOAD)


def operation(left: gast.expr, op: gast.operator, right: gast.expr) -> gast.BinOp:
    return made(gast.BinOp, left=left, op=op, right=right)


def unary(op: gast.unaryop, operand: gast.expr) -> gast.UnaryOp:
    return made(gast.UnaryOp, op=op, operand=operand)


def choice(test: gast.expr, body: gast.expr, orelse: gast.expr) -> gast.IfExp:
    return made(gast.IfExp, test=test, body=body, orelse=orelse)


def dotted(path: str) -> gast.expr:
    """Names joined by dots, as an expression."""
    root, *attrs = path.split(".")
    expr = name(root)
    for attr in attrs:
        expr = attribute(expr, attr)
    return expr


def call(
    function: gast.expr,
    args: Iterable[gast.expr],
    keywords: Mapping[str, gast.expr] | None = None,
) -> gast.Call:
    named = []
    for key, expr in (keywords or {}).items():
        if is_name(key):
            named.append(made(gast.keyword, arg=key, value=expr))
        else:  # a `**kwargs` may get any text
            named.append(gast.keyword(None, gast.Dict([constant(key)], [expr])))
    return made(gast.Call, func=function, args=list(args), keywords=named)


def sequence(elements: Iterable[gast.expr]) -> gast.Tuple:
    return made(gast.Tuple, elts=list(elements), ctx=LOAD)


def compare(left: gast.expr, operator: gast.cmpop, right: gast.expr) -> gast.Compare:
    return made(gast.Compare, left=left, ops=[operator], comparators=[right])


def subscript(value: gast.expr, index: gast.expr) -> gast.Subscript:
    return made(gast.Subscript, value=value, slice=index, ctx=LOAD)


def assignment(where: gast.expr, value: gast.expr) -> gast.Assign:
    return made(gast.Assign, targets=[where], value=value, type_comment=None)


def unpack(names: Iterable[str], value: gast.expr) -> gast.Assign:
    return assignment(gast.Tuple([target(id) for id in names], STORE), value)


def loop(where: gast.expr, over: gast.expr, body: Sequence[gast.stmt]) -> gast.For:
    return gast.For(where, over, list(body), [], None)


def function(
    id: str, parameters: Sequence[str], body: Sequence[gast.stmt]
) -> gast.FunctionDef:
    args = [
        gast.Name(checked(parameter), PARAM, None, None) for parameter in parameters
    ]
    signature = gast.arguments(args, [], None, [], [], None, [])
    return gast.FunctionDef(id, signature, list(body), [], None, None, [])
