"""Which names a definition binds, and which statements may leave their block.

>>> tree = gast.parse("def f(x, *rest):\\n    global n\\n    n = y = [k for k in x]")
>>> sorted(bound_names(tree.body[0])), rebound_names(tree.body[0])
(['n', 'rest', 'x', 'y'], {'n': True})
"""

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.tracing.user_code.syntax_trees import (
    add_children,
    inner_statements,
    nodes_in,
)


def bound_names(node: Any) -> set[str]:
    """The names that a function binds itself: its parameters, and what it assigns."""
    arguments = node.args
    names = {
        argument.id
        for argument in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        )
        if argument is not None
    }
    body = [node.body] if isinstance(node, gast.Lambda) else node.body
    for statement in body:
        names |= stored_names(statement)
    return names


def rebound_names(node: Any) -> dict[str, bool]:
    """The names that a function declares ``global`` (True) or ``nonlocal``."""
    if isinstance(node, gast.Lambda):
        return {}
    found: dict[str, bool] = {}
    pending = [*node.body]
    while pending:
        each = pending.pop()
        if isinstance(each, (gast.Global, gast.Nonlocal)):
            found |= dict.fromkeys(each.names, isinstance(each, gast.Global))
        elif not isinstance(each, (gast.FunctionDef, gast.ClassDef)):
            pending += inner_statements(each)
    return found


def stored_names(node: Any) -> set[str]:
    """The names assigned in a node, those of inner scopes aside."""
    names: set[str] = set()
    pending = [node]
    for each in pending:  # it grows meanwhile
        find = STORING.get(type(each))
        if find is None:
            add_children(each, pending)
        elif (found := find(each)) is not None:
            names |= found
    return names


def _stored_name(node: Any) -> set[str] | None:
    return None if type(node.ctx) is gast.Load else {node.id}


def _imported(node: Any) -> set[str]:
    return {alias.asname or alias.name.partition(".")[0] for alias in node.names}


def _captured(node: Any) -> set[str]:
    """What a pattern binds."""
    inner = getattr(node, "pattern", None)
    names = set() if inner is None else stored_names(inner)
    return names if node.name is None else names | {node.name}


def _captured_keys(node: Any) -> set[str]:
    """The same of a pattern of a mapping, with the rest of that."""
    names = {name for each in node.patterns for name in stored_names(each)}
    return names if node.rest is None else names | {node.rest}


def _walrus(node: Any) -> set[str]:
    """Only `:=` reaches out of a comprehension."""
    return {n.target.id for n in nodes_in(node) if isinstance(n, gast.NamedExpr)}


# How nodes bind names that do so in a way of their own.
STORING: dict[type, Callable[[Any], set[str] | None]] = {
    gast.Name: _stored_name,
    gast.Lambda: lambda node: None,
    gast.FunctionDef: lambda node: {node.name},
    gast.Import: _imported,
    gast.ImportFrom: _imported,
    gast.MatchAs: _captured,
    gast.MatchStar: _captured,
    gast.MatchMapping: _captured_keys,
    **dict.fromkeys(
        (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp), _walrus
    ),
}


def may_leave(statement: Any) -> bool:
    """Whether a statement may leave the block that it stands in, but by an error."""
    if isinstance(statement, (gast.Return, gast.Break, gast.Continue)):
        return True
    if isinstance(statement, (gast.FunctionDef, gast.ClassDef)):
        return False
    return any(map(may_leave, inner_statements(statement)))


def ends_early(loop: Any) -> bool:
    """Whether a loop may end before all its items are taken, but by an error."""

    def leaves(statement: Any) -> bool:
        if isinstance(statement, (gast.Return, gast.Break)):
            return True
        if isinstance(statement, (gast.FunctionDef, gast.ClassDef)):
            return False
        if isinstance(statement, (gast.For, gast.While)):
            returns = any(isinstance(n, gast.Return) for n in nodes_in(statement))
            return returns or any(map(leaves, statement.orelse))
        return any(map(leaves, inner_statements(statement)))

    return any(map(leaves, loop.body))


def last_test(loop: Any) -> Any:
    """The ``if test: break`` that ends the body of a loop, if nothing else leaves it.

    Then it is the same to be left, and to come to the end. None, if it may not be.
    """
    *others, last = loop.body
    is_break = (
        isinstance(last, gast.If)
        and not last.orelse
        and [type(each) for each in last.body] == [gast.Break]
        and not any(isinstance(node, gast.NamedExpr) for node in nodes_in(last.test))
        and not isinstance(last.test, gast.BoolOp)
    )
    return last if is_break and not any(map(may_leave, others)) else None
