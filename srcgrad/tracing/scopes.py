"""Which names a definition binds, and which statements may leave their block.

>>> tree = gast.parse("def f(x, *rest):\\n    global n\\n    n = y = [k for k in x]")
>>> sorted(bound_names(tree.body[0])), rebound_names(tree.body[0])
(['n', 'rest', 'x', 'y'], {'n': True})
"""

from typing import Any

import gast

from srcgrad.tracing.syntax_trees import children_of, nodes_in


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
        elif not isinstance(each, (gast.FunctionDef, gast.Lambda, gast.ClassDef)):
            # A statement may stand in many things, but not in an expression.
            inner = children_of(each)
            pending += [child for child in inner if not isinstance(child, gast.expr)]
    return found


def stored_names(node: Any) -> set[str]:
    """The names assigned in a node, those of inner scopes aside."""
    if isinstance(node, gast.Name):
        return set() if isinstance(node.ctx, gast.Load) else {node.id}
    if isinstance(node, gast.FunctionDef):
        return {node.name}
    if isinstance(node, (gast.Import, gast.ImportFrom)):
        names = (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        return {*names}
    if isinstance(node, (gast.MatchAs, gast.MatchStar)) and node.name is not None:
        inner = getattr(node, "pattern", None)
        return {node.name} | (set() if inner is None else stored_names(inner))
    if isinstance(node, gast.Lambda):
        return set()
    inner = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
    if isinstance(node, inner):
        # Only `:=` reaches out of a comprehension.
        walrus = (n for n in nodes_in(node) if isinstance(n, gast.NamedExpr))
        return {n.target.id for n in walrus}
    return {name for child in children_of(node) for name in stored_names(child)}


def may_leave(statement: Any) -> bool:
    """Whether a statement may leave the block that it stands in, but by an error."""
    if isinstance(statement, (gast.Return, gast.Break, gast.Continue)):
        return True
    if isinstance(statement, (gast.FunctionDef, gast.Lambda, gast.ClassDef)):
        return False
    return any(map(may_leave, gast.iter_child_nodes(statement)))
