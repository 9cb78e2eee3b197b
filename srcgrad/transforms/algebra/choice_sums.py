"""Sums of choices, in derivatives: zero here and there, so one choice.

The way back of ``np.where(c, x, y)``, and the way back of that, are sums of such.

>>> from srcgrad.graph import Graph
>>> from srcgrad.transforms.rewrite import rewrite
>>> c = Value((3,), np.dtype(bool), "c")
>>> a, b, t, u, y = (Value((3,), np.dtype(float), name) for name in "abtuy")
>>> nodes = (
...     Node(np.where, (c, a, 0.0), out=t, in_backward=True),
...     Node(np.where, (c, 0.0, b), out=u, in_backward=True),
...     Node(np.add, (t, u), out=y, in_backward=True),
... )
>>> print(rewrite(Graph((c, a, b), nodes, (y,)), sum_of_choices))
y = where(c, a, b)
return y
"""

from typing import Any, NamedTuple

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.formula_patterns import is_number
from srcgrad.transforms.rewrite import Rewriter, Term, call, elementwise


class Choice(NamedTuple):
    """``where(condition, value, 0.0)``, or with ``is_else`` the other way round."""

    condition: Value
    value: Any
    is_else: bool


def sum_of_choices(node: Node, rewriter: Rewriter) -> Term | None:
    """``where(c, a, 0.0) + where(c, 0.0, b) -> where(c, a, b)``"""
    if node.function is not np.add or not node.in_backward or node.kwargs:
        return None
    first, second = node.args
    found = _joined(first, second, node, rewriter)
    if found is not None:
        return found
    # A longer sum, in the order in which it is written.
    inner = rewriter.maker(first)
    if inner is None or inner.function is not np.add or rewriter.uses[first] > 1:
        return None
    found = _joined(inner.args[1], second, node, rewriter)
    return None if found is None else elementwise(np.add, Term.of(inner.args[0]), found)


def _joined(x: Any, y: Any, node: Node, rewriter: Rewriter) -> Term | None:
    """The sum of two choices by one condition as one of them; None of others."""
    out = node.out
    assert type(out) is Value
    if not all(_is_like(each, out) and rewriter.uses[each] == 1 for each in (x, y)):
        return None
    others = _choices(y, rewriter)
    for one in _choices(x, rewriter):
        for other in others:
            if one.condition is other.condition and one.is_else != other.is_else:
                both = one.value, other.value
                arms = both[::-1] if one.is_else else both
                return call(out, np.where, Term(one.condition), *arms)
    return None


def _is_like(item: Any, out: Value) -> bool:
    is_same = type(item) is Value and (item.shape, item.dtype) == (
        out.shape,
        out.dtype,
    )
    return is_same and item.kind == out.kind == "array"


def _choices(item: Value, rewriter: Rewriter) -> list[Choice]:
    """In which ways something is a choice between a value and zero."""
    node = rewriter.maker(item)
    if node is None or node.kwargs:
        return []
    if node.function is np.multiply:
        return _multiples(node, item, rewriter)
    if node.function is not np.where or len(node.args) != 3:
        return []
    condition, x, y = node.args
    if _is_zero(y):
        found = [Choice(condition, Term.of(x), False)]
        if type(x) is Value and rewriter.uses[x] == 1 and x.shape == item.shape:
            for inner in _choices(x, rewriter):
                kept = call(item, np.where, Term.of(condition), inner.value, 0.0)
                found.append(inner._replace(value=kept))
    elif _is_zero(x):
        found = [Choice(condition, Term.of(y), True)]
    else:
        found = []
    return [each for each in found if type(each.condition) is Value]


def _multiples(node: Node, item: Value, rewriter: Rewriter) -> list[Choice]:
    """``where(c, x, 0.0) * 0.5`` is ``where(c, x * 0.5, 0.0)``."""
    source, number = node.args
    if type(source) is not Value:
        source, number = number, source
    if not is_number(number) or not np.isfinite(number) or source.dtype != item.dtype:
        return []
    if rewriter.uses[source] > 1 or source.shape != item.shape:
        return []
    return [
        each._replace(value=each.value * number)
        for each in _choices(source, rewriter)
        if isinstance(each.value, Term)
    ]


def _is_zero(item: Any) -> bool:
    return is_number(item) and bool(item == 0)
