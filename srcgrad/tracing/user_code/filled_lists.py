"""Which lists a loop fills while nobody sees them, by the text of the function.

>>> tree = gast.parse('''
... def f(x):
...     s, out = 0.0, 1
...     seen = [s]
...     for v in x:
...         s = s + v
...         seen.append(s)
...     return np.array(seen)
... ''').body[0]
>>> sorted(gast.unparse(node).strip() for node in lists_in(tree))
['[s]', 'seen.append(s)']
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import gast

from srcgrad.tracing.user_code.list_texts import appended, names_shared, new_lists
from srcgrad.tracing.user_code.syntax_trees import nodes_in

INNER = (gast.FunctionDef, gast.Lambda, gast.ClassDef, gast.ListComp, gast.SetComp)
HIDING = (*INNER, gast.DictComp, gast.GeneratorExp)
LEAVING = (gast.Break, gast.Continue, gast.Return, gast.Yield, gast.YieldFrom)


def lists_in(definition: Any) -> set[Any]:
    """Lists that are made to be filled by a loop, and the calls that fill them."""
    if isinstance(definition, gast.Lambda):
        return set()
    body = definition.body
    loops = [s for s in body if isinstance(s, gast.For) and not s.orelse]
    appends = [(loop, call) for loop in loops for call in _appends(loop)]
    if not appends:
        return set()
    nodes = nodes_in(definition)
    hidden = names_shared(definition, nodes, HIDING)
    hidden |= {
        each.id for each in nodes_in(definition.args) if isinstance(each, gast.Name)
    }
    uses = Counter(n.id for n in nodes if isinstance(n, gast.Name))
    made = {n: (s, new) for s in body for n, new in new_lists(s) if _is_plain(new)}
    found: set[Any] = set()
    for loop, call in appends:
        name = call.func.value.id
        start, new = made.get(name, (None, None))
        if start is None or name in hidden or body.index(start) > body.index(loop):
            continue
        inside = nodes_in(loop)
        known = 2 + sum(_is_last_item(n, name) for n in nodes)
        known += sum(_takes(n, name) for n in nodes if n not in inside)
        if uses[name] == known and not any(isinstance(n, LEAVING) for n in inside):
            found |= {new, call}
    return found


def _appends(loop: Any) -> Iterator[Any]:
    """Statements ``name.append(item)`` that run in each iteration."""
    for statement in loop.body:
        if not isinstance(statement, gast.Expr) or appended(statement.value) is None:
            continue
        if not isinstance(statement.value.args[0], gast.Starred):
            yield statement.value


def _is_plain(new: Any) -> bool:
    return not any(isinstance(each, gast.Starred) for each in new.elts)


def _is_last_item(node: Any, name: str) -> bool:
    """``name[-1]``"""
    return (
        isinstance(node, gast.Subscript)
        and isinstance(node.ctx, gast.Load)
        and isinstance(node.value, gast.Name)
        and node.value.id == name
        and isinstance(node.slice, gast.UnaryOp)
        and isinstance(node.slice.op, gast.USub)
        and isinstance(node.slice.operand, gast.Constant)
        and node.slice.operand.value == 1
    )


def _takes(node: Any, name: str) -> bool:
    """``function(name, ...)``"""
    if not isinstance(node, gast.Call) or not node.args:
        return False
    first = node.args[0]
    return isinstance(first, gast.Name) and first.id == name
