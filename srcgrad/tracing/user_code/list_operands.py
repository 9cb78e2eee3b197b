"""Lists with Variables as operands of ndarrays: ``R @ [x, y]``, ``y < [low, high]``.

NumPy would look for numbers in the list. So both kinds of copies of a function call
``operated`` where, by its text, an operand may be a list.

>>> from srcgrad import Variable
>>> x = Variable(2.0, requires_grad=True)
>>> operated("MatMult", np.eye(2), [x, 1.0]).value
array([2., 1.])
>>> from srcgrad.tracing.user_code.syntax_trees import nodes_in
>>> tree = gast.parse("def f(p, q, r): l = [p]; return l + g(q) - 2.0 * r, l, p.T")
>>> sorted(list_names(nodes_in(tree), set()))
['l', 'q']
>>> squared = gast.parse("def f(p, q): return p * p + q * 2 + (q + q)")
>>> sorted(list_names(nodes_in(squared), set()))
['q']
"""

from collections.abc import Collection, Iterable
from typing import Any

import gast
import numpy as np

from srcgrad.operators import BINARY_OPERATORS, COMPARISONS
from srcgrad.protocols import raw_of
from srcgrad.tape.operands import LIST_TYPES
from srcgrad.tracing.arrays.functional_array import array_of
from srcgrad.tracing.environment.trust import is_namedtuple
from srcgrad.tracing.user_code.written_names import is_known

OPERATORS = {own.syntax: own.python for own in (*BINARY_OPERATORS, *COMPARISONS)}
# Expressions that make lists and tuples, and what a list has that no array has.
LIST_DISPLAYS = gast.List, gast.Tuple, gast.ListComp
LIST_METHODS = frozenset({"append", "extend", "insert", "pop"})
DEFINITIONS = gast.FunctionDef, gast.Lambda


def operated(symbol: str, first: Any, second: Any) -> Any:
    """``first @ second``, say, one of which may be a list with Variables."""
    if _is_list(first) or _is_list(second):
        first, second = operands(symbol, first, second)
    return OPERATORS[symbol](first, second)


def operands(symbol: str, first: Any, second: Any) -> tuple[Any, Any]:
    """Two operands, with an array for the list that NumPy would make an array of."""
    if takes_lists(symbol, first):
        return first, array_of(second) if _is_list(second) else second
    if _is_list(first) and takes_lists(symbol, second):
        first = array_of(first)
    return first, second


def _is_list(item: Any) -> bool:
    return type(item) in LIST_TYPES or is_namedtuple(type(item))


def takes_lists(symbol: str, item: Any) -> bool:
    """Whether it makes an array of the list that is its operand."""
    raw = raw_of(item)
    if isinstance(raw, np.inexact):
        return symbol != "Mult"  # NumPy takes that for a repetition
    return isinstance(raw, np.ndarray) or type(item).__module__.startswith(
        "scipy.sparse"
    )


# ----- By the function's text -----


def list_names(nodes: Iterable[Any], known: Collection[str]) -> set[str]:
    """The names that may be lists, of all nodes of a definition.

    They are given to lists that it makes, or filled as lists; or they are parameters,
    or what functions of the user's give, that nothing is done with that a list does
    not do. ``known`` are functions and modules that are not the user's.
    """
    made: set[str] = set()
    given: set[str] = set()
    others: set[str] = set()
    for node in nodes:
        if isinstance(node, gast.Assign):
            names = [each.id for each in node.targets if type(each) is gast.Name]
            if isinstance(node.value, LIST_DISPLAYS):
                made.update(names)
            elif _is_users_call(node.value, known):
                given.update(names)
        elif isinstance(node, DEFINITIONS):
            parameters = *node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs
            given.update(each.id for each in parameters)
        elif isinstance(node, gast.Attribute) and type(node.value) is gast.Name:
            (made if node.attr in LIST_METHODS else others).add(node.value.id)
        else:
            others.update(
                each.id for each in _no_lists(node) if type(each) is gast.Name
            )
    return made | (given - others)


def _is_users_call(node: Any, known: Collection[str]) -> bool:
    return isinstance(node, gast.Call) and not is_known(node.func, known)


def _no_lists(node: Any) -> tuple[Any, ...]:
    """The parts of an expression that cannot be lists."""
    if isinstance(node, gast.UnaryOp) and not isinstance(node.op, gast.Not):
        return (node.operand,)
    if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Tuple):
        return (node.value,)
    if not isinstance(node, gast.BinOp):
        return ()
    sides = node.left, node.right
    names = [getattr(side, "id", None) for side in sides]
    is_itself = None not in names and names[0] == names[1]
    if isinstance(node.op, gast.Pow) or (is_itself and type(node.op) is not gast.Add):
        return sides  # no list times itself, say
    # `[0.0] * 3` is a list, and `[0.0] + 3` an error.
    numbers = [each.value for each in sides if isinstance(each, gast.Constant)]
    is_times = isinstance(node.op, gast.Mult) and int in map(type, numbers)
    return sides if numbers and not is_times else ()


def list_operator(node: Any, lists: set[str], known: Collection[str]) -> str | None:
    """The operator of an expression one side of which may be a list, and not both.

    ``lists`` and ``known`` are as for ``list_names``.
    """
    symbol, sides = operation_of(node)
    are_displays = [isinstance(side, LIST_DISPLAYS) for side in sides]
    if symbol is None or all(are_displays):
        return None
    may_be = any(
        getattr(side, "id", None) in lists or _is_users_call(side, known)
        for side in sides
    )
    return symbol if any(are_displays) or may_be else None


def operation_of(node: Any) -> tuple[str | None, tuple[Any, ...]]:
    """The operator and sides of an expression; None: a list can be none of them."""
    if isinstance(node, gast.BinOp):
        sides, operator = (node.left, node.right), node.op
    else:
        sides, operator = (node.left, *node.comparators), node.ops[0]
    symbol = type(operator).__name__
    is_plain = any(isinstance(side, gast.Constant) for side in sides)
    may_take = len(sides) == 2 and symbol in OPERATORS and not is_plain
    return symbol if may_take else None, sides
