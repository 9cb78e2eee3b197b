"""Numbers that a loop changes by themselves: ``t += dt``, ``step = step * 0.5``.

Python's floats are constants to a graph, another one in each iteration: a loop that
ends by a test would be as long as it was. So they become numbers of the graph as it
begins, if its tests have to do with what is there.

>>> tree = gast.parse('''
... def f(x):
...     t, step = 0.0, 1.0
...     while x * step > 1.0 and t < 2.0:
...         step *= 0.5
...         t = t + step
...         x = x * t
... ''').body[0]
>>> stepped_in(tree.body[1], {"t", "step"})
Stepped(names=('step', 't'), tested=('x',))
"""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import gast

from srcgrad.tracing.user_code.scopes import STORING, may_leave, stored_names
from srcgrad.tracing.user_code.syntax_trees import nodes_in

STEP_OPERATORS = (gast.Add, gast.Sub, gast.Mult, gast.Div)


class Stepped(NamedTuple):
    """Such names, and the others that the tests of their loop read."""

    names: tuple[str, ...]
    tested: tuple[str, ...]


def stepped_in(loop: Any, known: Collection[str]) -> Stepped | None:
    """Those of the names ``known`` before a loop that all it does is to change."""
    tests = [*_tests_of(loop)]
    if not tests:
        return None
    inside = [node for each in loop.body for node in nodes_in(each)]
    updates, stores = Counter(map(_updated, inside)), Counter(_stored(inside))
    names = sorted(name for name in known if 0 < updates[name] == stores[name])
    read = {n.id for test in tests for n in nodes_in(test) if isinstance(n, gast.Name)}
    return Stepped((*names,), (*sorted(read.difference(names)),)) if names else None


def _stored(nodes: Collection[Any]) -> Iterator[str]:
    """Names by each place where they are bound."""
    for node in nodes:
        if isinstance(node, gast.Name):
            if not isinstance(node.ctx, gast.Load):
                yield node.id
        elif type(node) in STORING:
            yield from stored_names(node)


def _tests_of(loop: Any) -> Iterator[Any]:
    """What decides whether a loop goes on."""
    if isinstance(loop, gast.While):
        yield loop.test
    for statement in loop.body:
        if isinstance(statement, gast.If) and may_leave(statement):
            yield statement.test


def _updated(statement: Any) -> str | None:
    """The name in ``t += dt`` or ``t = t + dt``."""
    if isinstance(statement, gast.AugAssign):
        target = statement.target if isinstance(statement.op, STEP_OPERATORS) else None
        return getattr(target, "id", None)
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return None
    (target,), value = statement.targets, statement.value
    if not isinstance(value, gast.BinOp) or not isinstance(value.op, STEP_OPERATORS):
        return None
    name = getattr(target, "id", None)
    return name if getattr(value.left, "id", None) == name else None
