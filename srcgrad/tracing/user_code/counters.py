"""Integers that count the iterations of a ``while``: most are only compared.

>>> loop = gast.parse('''
... while err > tol and k < 50:
...     x, err = step(x)
...     k += 1
... ''').body[0]
>>> found = counters_of(loop, lambda name: True, lambda name: False)
>>> found.steps, list(found.limits.values()), found.read
({'k': 1}, [Limit(change=1, stands='last')], set())

How long such a comparison goes on as it is can be told beforehand:

>>> iterations_until(ORDERS["Lt"], 3 - 50, 1), iterations_until(ORDERS["Gt"], 3 - 50, 4)
(47, 12)
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gast

from srcgrad.operators import COMPARISONS
from srcgrad.tracing.user_code.scopes import stored_names
from srcgrad.tracing.user_code.syntax_trees import children_of, nodes_in

ORDERS = {own.syntax: own.python for own in COMPARISONS}

# What has iterations, or names, of its own.
APART = (
    *(gast.For, gast.While, gast.FunctionDef, gast.Lambda, gast.ClassDef),
    *(gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp),
)


class Limit(NamedTuple):
    """A comparison with a counter in it.

    ``change`` is by what its left side, less its right side, changes in an iteration.
    ``stands``: it ends the loop as its test does, and is the first or the last part of
    that (``"first"``, ``"last"``); ``""``, if that cannot be told.
    """

    change: int
    stands: str


class Counters(NamedTuple):
    """Names by what they go up, where they are compared, and those that are read.

    So are those that are compared with something that may change.
    """

    steps: dict[str, int]
    limits: dict[Any, Limit]
    read: set[str]


def counters_of(
    loop: Any, may_count: Callable[[str], bool], is_read: Callable[[str], bool]
) -> Counters:
    """The counters of a ``while``.

    ``may_count`` says of a name that it is bound before, and by nobody else;
    ``is_read`` whether it is read elsewhere.
    """
    steps: dict[str, int] = {}
    found: dict[Any, Limit] = {}
    read: set[str] = set()
    for statement in loop.body:
        name, step, reads = _counting(statement)
        if name is None or not may_count(name) or name in steps:
            continue
        others = [each for each in loop.body if each is not statement]
        if any(name in stored_names(each) for each in (loop.test, *others)):
            continue
        limits = dict(_limits(loop, name, step))
        if limits.keys() & found.keys():
            continue
        steps[name] = step
        found |= limits
        inside = Counter(n.id for n in nodes_in(loop) if _is_read(n))[name]
        is_only_compared = inside == len(limits) + reads and not is_read(name)
        if not is_only_compared or not all(map(_is_constant, limits)):
            read.add(name)
    return Counters(steps, found, read)


def _counting(statement: Any) -> tuple[str | None, int, int]:
    """The name in ``k += 1``, by how much it goes up, and how often it is read."""
    target = value = None
    if isinstance(statement, gast.AugAssign) and isinstance(statement.op, gast.Add):
        target, value, reads = statement.target, statement.value, 0
    elif isinstance(statement, gast.Assign) and len(statement.targets) == 1:
        (target,), total, reads = statement.targets, statement.value, 1
        if isinstance(total, gast.BinOp) and isinstance(total.op, gast.Add):
            same = getattr(total.left, "id", None) == getattr(target, "id", "")
            value = total.right if same else None
    step = getattr(value, "value", None)
    if isinstance(target, gast.Name) and type(step) is int and step > 0:
        return target.id, step, reads
    return None, 0, 0


def _limits(loop: Any, name: str, step: int) -> Iterator[tuple[Any, Limit]]:
    test = loop.test
    parts = [test]
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And):
        parts = test.values
    is_told = not any(
        isinstance(node, (gast.Break, gast.Return)) for node in nodes_in(loop)
    ) and not any(isinstance(node, gast.NamedExpr) for node in nodes_in(test))
    for node in _nodes_in_iteration([test, *loop.body]):
        if not isinstance(node, gast.Compare) or len(node.ops) != 1:
            continue
        sides = node.left, node.comparators[0]
        is_counter = [isinstance(s, gast.Name) and s.id == name for s in sides]
        if sum(is_counter) != 1 or type(node.ops[0]).__name__ not in ORDERS:
            continue
        if any(_is_read(n) and n.id == name for s in sides for n in nodes_in(s)[1:]):
            continue
        stands = ""
        if is_told and node in (parts[0], parts[-1]):
            stands = "last" if node is parts[-1] else "first"
        yield node, Limit(step if is_counter[0] else -step, stands)


def _is_constant(test: Any) -> bool:
    """Whether a counter is compared with a number that is written there."""
    sides = test.left, *test.comparators
    return any(isinstance(side, gast.Constant) for side in sides)


def _nodes_in_iteration(nodes: list[Any]) -> Iterator[Any]:
    """What runs at most once in an iteration."""
    for node in nodes:
        yield node
        if not isinstance(node, APART):
            yield from _nodes_in_iteration([*children_of(node)])


def _is_read(node: Any) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load)


def iterations_until(order: Callable[[int, int], bool], start: int, change: int) -> Any:
    """After how many iterations ``order(start, 0)`` is another way; None: never."""
    now, near = order(start, 0), abs(start) // abs(change)
    counts = (near, near + 1)
    return next((j for j in counts if j and order(start + change * j, 0) != now), None)
