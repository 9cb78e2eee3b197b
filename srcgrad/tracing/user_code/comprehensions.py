"""Comprehensions as loops: what is done with each item, as a function of that.

``[f(v) for v in x]`` goes to the capture as ``x`` and ``lambda v: f(v)``, which runs it
as it runs a ``for`` that appends to a list, and ``sum(f(v) for v in x)`` as one that
adds up. What has conditions, or several loops, stays what it is.

>>> tree = gast.parse("sum(w * t for w, t in zip(a, b)) + np.sum([v for v in x])")
>>> found = comprehensions_in(nodes_in(tree))
>>> sorted(gast.unparse(node).strip() for node in found)
['[v for v in x]']
"""

from collections.abc import Collection, Sequence
from typing import Any

import gast

from srcgrad.emit.syntax import LOAD
from srcgrad.tracing.user_code.copies import CAPTURE, constant, name_read
from srcgrad.tracing.user_code.syntax_trees import nodes_in, placed

SUMMED = gast.ListComp, gast.GeneratorExp
# What belongs to the function around, or lets others run in between.
LEAVING_NODES = gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom
# What uses a generator up before it gives its own result.
USING_UP = frozenset("sum min max any all sorted list tuple set dict".split())
ITEM = f"{CAPTURE}item"


def comprehensions_in(nodes: Collection[Any]) -> set[Any]:
    """Lists that go straight to a function, and lists that these are made of."""
    found: set[Any] = set()
    for node in nodes:
        first = node.args[0] if isinstance(node, gast.Call) and node.args else None
        while isinstance(first, gast.ListComp) and is_loop(first):
            found.add(first)
            first = first.elt
    return found


def is_loop(node: Any) -> bool:
    """Whether a comprehension is one loop, in which something comes of each item."""
    (first, *more) = node.generators
    if more or first.ifs or first.is_async:
        return False
    nodes = nodes_in(node)
    return not any(isinstance(each, LEAVING_NODES) for each in nodes) and not _closes(
        node, nodes
    )


def _closes(comprehension: Any, nodes: Collection[Any]) -> bool:
    """Whether something in it may read the item later, when another has its name."""
    later = kept_generators(nodes)
    return any(
        isinstance(node, gast.Lambda) or node in later
        for node in nodes
        if node is not comprehension
    )


def kept_generators(nodes: Collection[Any]) -> set[Any]:
    """The generator expressions that may run later than where they stand."""
    used_up = {
        node.args[0]
        for node in nodes
        if isinstance(node, gast.Call) and node.args
        if isinstance(node.func, gast.Name) and node.func.id in USING_UP
    }
    return {node for node in nodes if isinstance(node, gast.GeneratorExp)} - used_up


def is_summed(call: Any) -> bool:
    """Whether it is ``sum(... for ... in ...)``, if the name means that."""
    is_sum = isinstance(call.func, gast.Name) and call.func.id == "sum"
    if not is_sum or len(call.args) != 1 or call.keywords:
        return False
    (given,) = call.args
    return isinstance(given, SUMMED) and is_loop(given)


def names_of(target: Any) -> Any:
    """The name of an item, if it has one; those of its parts, if it is taken apart."""
    if isinstance(target, gast.Name):
        return target.id
    if isinstance(target, (gast.Tuple, gast.List)):
        return tuple(map(names_of, target.elts))
    return None


def as_function(target: Any, expression: Any) -> Any:
    """``lambda target: expression``, whatever the target is."""
    if isinstance(target, gast.Name):
        return _function(target.id, expression)
    # Python itself takes the item apart.
    one = gast.Tuple([name_read(ITEM)], LOAD)
    loop = gast.comprehension(target, one, [], 0)
    made = gast.Subscript(gast.ListComp(expression, [loop]), constant(0), LOAD)
    return _function(ITEM, made)


def _function(name: str, expression: Any) -> Any:
    parameters: Sequence[Any] = [gast.Name(name, gast.Param(), None, None)]
    arguments = gast.arguments(parameters, [], None, [], [], None, [])
    return placed(gast.Lambda(arguments, expression), expression)
