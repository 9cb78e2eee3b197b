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

Of a list it tells whether its last item is read, and whether the loop may end at any
time.

>>> [flags for flags in lists_in(tree).values() if flags]
[(False, False)]
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import gast

from srcgrad.emit.syntax import LOAD
from srcgrad.tracing.user_code.list_texts import appended, names_shared, new_lists
from srcgrad.tracing.user_code.syntax_trees import nodes_in

SCOPES = (gast.FunctionDef, gast.Lambda, gast.ClassDef)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
LEAVING = (gast.Break, gast.Return)
SKIPPING = (gast.Continue, gast.Yield, gast.YieldFrom)

# Of a list whether its last item is read, and whether its loop may end at any time.
Flags = tuple[bool, ...]
# Of a name: the list is seen there.
LIST_IS_SEEN: Flags = (True,)


def lists_in(definition: Any) -> dict[Any, Flags]:
    """Lists that are made to be filled by a loop, and the calls that fill them."""
    if isinstance(definition, gast.Lambda):
        return {}
    bodies = [*_bodies(definition.body)]
    if not any(_appends(loop) for body in bodies for loop in _loops(body)):
        return {}
    nodes = nodes_in(definition)
    hidden = names_shared(definition, nodes, SCOPES) | _names_in_comprehensions(nodes)
    hidden |= {
        each.id for each in nodes_in(definition.args) if isinstance(each, gast.Name)
    }
    found: dict[Any, Flags] = {}
    for body in bodies:
        found |= _lists_of(body, nodes, hidden)
    return found


def _lists_of(
    body: Sequence[Any], nodes: Collection[Any], hidden: Collection[str]
) -> dict[Any, Flags]:
    """The same of the loops among some statements of a definition, with its ``nodes``.

    The ``hidden`` names are those that others see, too.
    """
    made = {n: (s, new) for s in body for n, new in new_lists(s) if _is_plain(new)}
    found: dict[Any, Flags] = {}
    appends = [(loop, call) for loop in _loops(body) for call in _appends(loop)]
    for loop, call in appends:
        name = call.func.value.id
        start, new = made.get(name, (None, None))
        if start is None or name in hidden or body.index(start) > body.index(loop):
            continue
        inside, own = nodes_in(loop), _until_bound(name, body, loop)
        used = {n for n in own if isinstance(n, gast.Name) and n.id == name}
        lasts = {n.value for n in own if _is_last_item(n, name)}
        used -= {call.func.value, *lasts, *nodes_in(gast.Tuple(start.targets, LOAD))}
        are_reads = all(isinstance(n.ctx, gast.Load) for n in used)
        if are_reads and used.isdisjoint(inside) and not _has_any(inside, SKIPPING):
            may_end = isinstance(loop, gast.While) or _has_any(inside, LEAVING)
            found |= {new: (len(lasts) > 0, may_end), call: ()}
            here = {node for each in body for node in nodes_in(each)}
            used |= {n for n in nodes if _is_read(n, name) and n not in here}
            found |= dict.fromkeys(used - _given_on(nodes), LIST_IS_SEEN)
    return found


def _bodies(body: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Some statements, and those of the loops among them."""
    yield body
    for loop in body:
        if isinstance(loop, gast.For | gast.While):
            yield from _bodies(loop.body)


def _loops(body: Sequence[Any]) -> list[Any]:
    return [s for s in body if isinstance(s, gast.For | gast.While) and not s.orelse]


def _is_read(node: Any, name: str) -> bool:
    return (
        isinstance(node, gast.Name)
        and node.id == name
        and isinstance(node.ctx, gast.Load)
    )


def _names_in_comprehensions(nodes: Collection[Any]) -> set[str]:
    """The names that comprehensions read, but for what they go along first."""
    return {
        name.id
        for each in nodes
        if isinstance(each, COMPREHENSIONS)
        for name in nodes_in(each)
        if isinstance(name, gast.Name) and name is not each.generators[0].iter
    }


def _until_bound(name: str, body: Sequence[Any], loop: Any) -> list[Any]:
    """The nodes of a body up to where a name becomes something else, after a loop.

    So it is in ``seen = np.array(seen)``.
    """
    found: list[Any] = []
    for place, statement in enumerate(body):
        nodes = nodes_in(statement)
        if place > body.index(loop) and isinstance(statement, gast.Assign):
            bound = {n for target in statement.targets for n in _names_bound(target)}
            if name in bound:
                return found + nodes_in(statement.value)
        found += nodes
    return found


def _names_bound(target: Any) -> Iterator[str]:
    parts = target.elts if isinstance(target, gast.Tuple) else (target,)
    return (part.id for part in parts if isinstance(part, gast.Name))


def _has_any(nodes: Collection[Any], kinds: tuple[type, ...]) -> bool:
    return any(isinstance(node, kinds) for node in nodes)


def _appends(loop: Any) -> list[Any]:
    """Statements ``name.append(item)`` that run in each iteration."""
    calls = [each.value for each in loop.body if isinstance(each, gast.Expr)]
    return [
        call
        for call in calls
        if appended(call) is not None and not isinstance(call.args[0], gast.Starred)
    ]


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


def _given_on(nodes: Collection[Any]) -> set[Any]:
    """The names that are arguments, or that a loop goes along, or of which are items.

    Of all else it is the list itself that somebody sees.
    """
    found: set[Any] = set()
    for node in nodes:
        if isinstance(node, gast.Call):
            found.update(each for each in node.args if isinstance(each, gast.Name))
        elif isinstance(node, gast.For | gast.comprehension):
            found.add(node.iter)
        elif isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load):
            found.add(node.value)
    return found
