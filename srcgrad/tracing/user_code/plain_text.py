"""What does no more than compute, bind names and write, so far as its text tells.

>>> def statement(text):
...     return gast.parse(text).body[0]
>>> is_plain(statement("s = s + np.exp(x[i])"))
True
>>> is_plain(statement("x[i] = s.mean()"))
True
>>> is_plain(statement("x.y = s"))
False
>>> is_plain_definition(statement("def relu(x): return x if x > 0 else 0 * x"))
True

What the names stand for is looked at when it runs (``forking``).
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import gast

from srcgrad.codes import PerCode, per_code
from srcgrad.tracing.user_code.scopes import stored_names
from srcgrad.tracing.user_code.sources import Uninstrumentable, definition_of
from srcgrad.tracing.user_code.syntax_trees import nodes_in, placed

PLAIN_EXPRESSIONS = (
    *(gast.Name, gast.Constant, gast.BinOp, gast.UnaryOp, gast.Compare, gast.Call),
    *(gast.Subscript, gast.Slice, gast.Attribute, gast.keyword),
    *(gast.Tuple, gast.List, gast.BoolOp, gast.IfExp),
)
# What is called by these names knows no objects of the user's.
NUMERIC = frozenset({"np", "numpy", "math"})
NUMBER_FUNCTIONS = frozenset("abs min max float int bool round".split())
PLAIN_COMPARISONS = (gast.Is, gast.IsNot, gast.In, gast.NotIn)

# The code of functions made inside of others, whose text is plain.
_made_plain: PerCode[bool] = PerCode()


def is_plain(statement: Any) -> bool:
    """Whether a statement only binds names, or writes into arrays."""
    if isinstance(statement, gast.Pass):
        return True
    if isinstance(statement, gast.If):
        parts = [*statement.body, *statement.orelse]
        return is_expression(statement.test) and all(is_plain(each) for each in parts)
    if isinstance(statement, gast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, gast.Assign) and len(statement.targets) == 1:
        (target,) = statement.targets
        targets = target.elts if isinstance(target, gast.Tuple) else [target]
    else:
        return False
    are_plain = all(is_target(target) for target in targets)
    return are_plain and is_expression(statement.value)


def is_target(target: Any) -> bool:
    """Whether something that is assigned to is a name, or an element: ``h[i]``."""
    if isinstance(target, gast.Name):
        return True
    if not isinstance(target, gast.Subscript) or isinstance(target.slice, gast.Slice):
        return False
    base = target.value
    is_array = isinstance(base, gast.Name) or is_target(base)
    return is_array and is_expression(target.slice)


def writes(statements: Sequence[Any]) -> bool:
    """Whether plain statements write into what there is before."""
    return any(
        isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Store)
        for each in statements
        for node in nodes_in(each)
    )


def is_expression(expression: Any) -> bool:
    """Whether an expression only computes."""
    for node in nodes_in(expression):
        if not isinstance(node, PLAIN_EXPRESSIONS):
            return False
        if isinstance(node, gast.Compare) and any(
            isinstance(each, PLAIN_COMPARISONS) for each in node.ops
        ):
            return False
        if isinstance(node, gast.Call) and (
            not isinstance(node.func, (gast.Name, gast.Attribute))
            or any(each.arg in (None, "out") for each in node.keywords)
        ):
            return False
    return True


def is_of_numbers(function: Any) -> bool:
    """Whether a function that is called is one of NumPy's, or Python's, of numbers."""
    if isinstance(function, gast.Attribute):
        return isinstance(function.value, gast.Name) and function.value.id in NUMERIC
    return isinstance(function, gast.Name) and function.id in NUMBER_FUNCTIONS


def returned(statements: Sequence[Any]) -> list[Any] | None:
    """What plain statements return in the end, one way or the other; None if not."""
    if not statements or not all(is_plain(each) for each in statements[:-1]):
        return None
    last = statements[-1]
    if isinstance(last, gast.Return):
        is_value = last.value is not None and is_expression(last.value)
        return [last.value] if is_value else None
    if not isinstance(last, gast.If) or not is_expression(last.test):
        return None
    arms = [returned(arm) for arm in (last.body, last.orelse)]
    return None if None in arms else [value for arm in arms for value in arm or ()]


def returning_last(statements: Sequence[Any]) -> list[Any]:
    """The statements of a function, with what follows an early return in an arm.

    >>> function = gast.parse('''
    ... def f(x):
    ...     if x > 0:
    ...         return x
    ...     y = x * x
    ...     return y
    ... ''').body[0]
    >>> function.body = returning_last(function.body)
    >>> print(gast.unparse(function).strip())
    def f(x):
        if x > 0:
            return x
        else:
            y = x * x
            return y
    """
    for number, each in enumerate(statements):
        rest = statements[number + 1 :]
        if not isinstance(each, gast.If):
            continue
        body, orelse = each.body, each.orelse
        if not _returns(body):
            if not _returns(orelse):
                continue
            body = [*body, *rest]
        elif not _returns(orelse):
            orelse = [*orelse, *rest]
        arms = returning_last(body), returning_last(orelse)
        new = placed(gast.If(each.test, *arms), each)
        return [*statements[:number], new]
    return [*statements]


def continuing_last(statements: Sequence[Any]) -> list[Any]:
    """The statements of a loop, with what follows a ``continue`` in an arm, if plain.

    >>> loop = gast.parse('''
    ... for v in x:
    ...     if v < 0:
    ...         continue
    ...     s = s + v
    ... ''').body[0]
    >>> loop.body = continuing_last(loop.body)
    >>> print(gast.unparse(loop).strip())
    for v in x:
        if v < 0:
            pass
        else:
            s = s + v
    """
    for number, each in enumerate(statements):
        if isinstance(each, gast.If) and any(map(_continues, (each.body, each.orelse))):
            new = without_continue(statements[number:])[0]
            if is_plain(new):
                return [*statements[:number], new]
    return [*statements]


def without_continue(statements: Sequence[Any]) -> list[Any]:
    """The same, be it plain or not."""
    for number, each in enumerate(statements):
        before, rest = statements[:number], statements[number + 1 :]
        if isinstance(each, gast.Continue):
            return [*before, placed(gast.Pass(), each)]
        if not isinstance(each, gast.If):
            continue
        if not any(map(_continues, (each.body, each.orelse))):
            continue
        arms = [
            arm if _continues(arm) else [*arm, *rest]
            for arm in (each.body, each.orelse)
        ]
        new = gast.If(each.test, *map(without_continue, arms))
        return [*before, placed(new, each)]
    return [*statements]


def ends_with(kind: Any, statements: Sequence[Any]) -> bool:
    """Whether statements end with one of a kind, in each arm if that is an ``if``."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, gast.If):
        return ends_with(kind, last.body) and ends_with(kind, last.orelse)
    return isinstance(last, kind)


_continues = functools.partial(ends_with, gast.Continue)
_returns = functools.partial(ends_with, gast.Return)


# ----- Names -----


def bound_after(statements: Sequence[Any], before: set[str]) -> set[str]:
    """The names that are bound for certain after plain statements."""
    bound = set(before)
    for each in statements:
        if isinstance(each, gast.If):
            arms = bound_after(each.body, bound), bound_after(each.orelse, bound)
            bound = arms[0] & arms[1]
        elif not isinstance(each, gast.Return):
            bound |= stored_names(each)
    return bound


def unbound_reads(statements: Sequence[Any], before: set[str]) -> Iterator[str]:
    """The names that plain statements may read before they bind them."""
    bound = set(before)
    for each in statements:
        if isinstance(each, gast.If):
            yield from _names_in(each.test, bound)
            for arm in (each.body, each.orelse):
                yield from unbound_reads(arm, bound)
        elif not isinstance(each, gast.Pass):
            yield from _names_in(each, bound)
        bound = bound_after([each], bound)


def _names_in(node: Any, bound: set[str]) -> Iterator[str]:
    for each in nodes_in(node):
        name = each.target if isinstance(each, gast.AugAssign) else each
        if isinstance(name, gast.Name) and name.id not in bound:
            is_stored = name is each and isinstance(name.ctx, gast.Store)
            yield from () if is_stored else (name.id,)


# ----- Functions -----


def is_plain_definition(definition: Any) -> bool:
    """Whether a function does no more than compute what it returns."""
    if isinstance(definition, gast.Lambda):
        return is_expression(definition.body)
    if definition.decorator_list:
        return False
    body = definition.body
    is_told = isinstance(body[0], gast.Expr) and isinstance(
        body[0].value, gast.Constant
    )
    body = returning_last(body[1:] if is_told else body)
    return returned(body) is not None


def note_plain(function: Any) -> None:
    """Note that a function made inside of another one is plain."""
    _made_plain.put(function.__code__, True)


@per_code
def is_plain_function(function: Any) -> bool:
    """Whether a function of the user's does no more than compute what it returns."""
    if _made_plain.get(function.__code__):
        return True
    try:
        return is_plain_definition(definition_of(function.__code__))
    except Uninstrumentable:
        return False
