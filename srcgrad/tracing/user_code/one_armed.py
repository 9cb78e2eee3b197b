"""``obstacle_at``: what in the text of an ``if`` keeps a trace to one of its arms.

>>> code = '''
... if x > 0:
...     for v in y:
...         x = x + v
... '''
>>> _obstacle(ast.parse(code).body[0])
('has a loop in an arm', 'run the loop before the `if`, or after it')
"""

import ast
import functools
import linecache
from collections.abc import Iterator
from typing import NamedTuple

from srcgrad.emit.checks import shown_location
from srcgrad.steps import Location

AFTER = "bind a name in both arms, and do that with it after the `if`"

# By the class of what stands in an arm: why it may not, and what to write instead.
REFUSED_STATEMENTS: dict[type[ast.AST], tuple[str, str]] = {
    **dict.fromkeys(
        (ast.For, ast.While),
        ("has a loop in an arm", "run the loop before the `if`, or after it"),
    ),
    ast.Raise: (
        "raises an error in an arm",
        "raise it before the traced function runs; a call that comes there is left to "
        "the tape",
    ),
    ast.Assert: ("has an `assert` in an arm", "assert before the `if`"),
    ast.Break: (
        "leaves a loop in an arm",
        "have nothing after the `if`, or test in the loop's head",
    ),
    ast.With: ("has a `with` in an arm", "have the `if` within it"),
    ast.Try: ("has a `try` in an arm", "have the `if` within it"),
    ast.FunctionDef: ("defines a function in an arm", "define it before the `if`"),
    ast.Delete: ("has a `del` in an arm", "delete after the `if`"),
    ast.AnnAssign: ("annotates a name in an arm", "annotate it before the `if`"),
    ast.NamedExpr: ("binds a name by `:=` in an arm", "bind it in a statement"),
    ast.Lambda: ("has a lambda in an arm", "define it before the `if`"),
    ast.JoinedStr: ("makes a text in an arm", "make it after the `if`"),
    ast.Dict: ("makes a dict in an arm", "make it before the `if`, or after it"),
    **dict.fromkeys(
        (ast.ListComp, ast.GeneratorExp),
        ("has a comprehension in an arm", "compute it before the `if`"),
    ),
}
TRUTH_OPERATORS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


class Obstacle(NamedTuple):
    """Why there is one arm of an ``if``, and what to write instead."""

    reason: str
    instead: str


def obstacle_at(where: Location) -> Obstacle | None:
    """What there is in the ``if`` on a line; None if nothing is known to be."""
    for node in ast.walk(_tree(where.filename)):
        if isinstance(node, ast.If) and node.lineno == where.line:
            found = _obstacle(node)
            return None if found is None else Obstacle(*found)
    return None


def told(where: Location) -> str | None:
    """The same in words."""
    found = obstacle_at(where)
    if found is None:
        return None
    line = where.text.strip().partition("\n")[0]
    return f"{shown_location(where)}{line} {found.reason}; instead: {found.instead}"


@functools.lru_cache(maxsize=8)
def _tree(filename: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:  # of a notebook's cell, or another language
        return ast.Module([], [])


def _obstacle(statement: ast.If) -> tuple[str, str] | None:
    arms = [*statement.body, *statement.orelse]
    # In the order of the text, as one would read it.
    nodes = (node for arm in arms for node in _nodes_in(arm))
    return next((why for node in nodes if (why := _why(node)) is not None), None)


def _nodes_in(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _nodes_in(child)


def _why(node: ast.AST) -> tuple[str, str] | None:
    if type(node) in REFUSED_STATEMENTS:
        return REFUSED_STATEMENTS[type(node)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return f"calls `{ast.unparse(node.value.func)}` for what it does", AFTER
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return f"sets the attribute `{ast.unparse(node)}` in an arm", AFTER
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        if isinstance(node.slice, ast.Slice):
            return f"writes into a slice, `{ast.unparse(node)}`", AFTER
    elif isinstance(node, ast.Compare) and any(
        isinstance(each, TRUTH_OPERATORS) for each in node.ops
    ):
        return "tests by `is` or `in` in an arm", "test before the `if`"
    return None
