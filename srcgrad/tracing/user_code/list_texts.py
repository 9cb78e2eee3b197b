"""Lists by the text of a function: where they are made, filled, known to others.

>>> tree = gast.parse('''
... def f(x):
...     s, seen = 0.0, [x]
...     seen.append(s)
...     return lambda: s
... ''').body[0]
>>> nodes = nodes_in(tree)
>>> [name for node in nodes for name, _ in new_lists(node)]
['seen']
>>> [appended(node) for node in nodes if appended(node)]
['seen']
>>> sorted(names_shared(tree, nodes, (gast.Lambda,)))
['s']
"""

from collections.abc import Collection, Iterator
from typing import Any

import gast

from srcgrad.tracing.user_code.comprehensions import kept_generators
from srcgrad.tracing.user_code.syntax_trees import nodes_in

DECLARING = (gast.Global, gast.Nonlocal)


def new_lists(statement: Any) -> Iterator[tuple[str, Any]]:
    """The names in ``name = [...]`` or ``other, name = 0.0, [...]``, with the lists."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return
    (target,), value = statement.targets, statement.value
    pairs = [(target, value)]
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
    for name, new in pairs:
        if isinstance(name, gast.Name) and isinstance(new, gast.List):
            yield name.id, new


def appended(node: Any) -> str | None:
    """The name of a list to which a call appends something."""
    if not isinstance(node, gast.Call) or len(node.args) != 1 or node.keywords:
        return None
    function = node.func
    if not isinstance(function, gast.Attribute) or function.attr != "append":
        return None
    return function.value.id if isinstance(function.value, gast.Name) else None


def names_shared(
    definition: Any, nodes: Collection[Any], scopes: tuple[type, ...]
) -> set[str]:
    """The names that scopes within a function may know, or others outside of it.

    So may generators that are not used up at once.
    """
    within = {n for n in nodes if isinstance(n, scopes)} | kept_generators(nodes)
    inner = {
        name.id
        for each in within - {definition}
        for name in nodes_in(each)
        if isinstance(name, gast.Name)
    }
    return inner | {name for n in nodes if isinstance(n, DECLARING) for name in n.names}
