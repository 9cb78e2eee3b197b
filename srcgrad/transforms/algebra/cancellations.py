"""Gradients through a maximum that cancel: those of a log-sum-exp and of a softmax.

There the maximum is subtracted for the sake of the range alone. What flows back to it
is zero up to rounding, and is spread over the largest elements all the same.

>>> import numpy as np
>>> from srcgrad.graph import Joint
>>> names = ("z", "exp", "t", "w", "d", "u", "dz")
>>> z, exp, t, w, d, u, dz = (Value((3,), np.dtype(float), name) for name in names)
>>> is_max = Value((3,), np.dtype(bool), "is_max")
>>> numbers = ("g", "m", "s", "v", "dm", "count", "n", "each")
>>> g, m, s, v, dm, count, n, each = (
...     Value((), np.dtype(float), name, "scalar") for name in numbers
... )
>>> nodes = (
...     Node(np.max, (z,), out=m),
...     Node(np.subtract, (z, m), out=t),
...     Node(np.exp, (t,), out=exp),
...     Node(np.sum, (exp,), out=s),
...     Node(np.divide, (g, s), out=w),
...     Node(np.multiply, (w, exp), out=d),
...     Node(np.sum, (d,), out=v),
...     Node(np.subtract, (g, v), out=dm),
...     Node(np.equal, (z, m), out=is_max),
...     Node(np.sum, (is_max,), out=count),
...     Node(np.maximum, (count, 1.0), out=n),
...     Node(np.divide, (dm, n), out=each),
...     Node(np.where, (is_max, each, 0.0), out=u, in_backward=True),
...     Node(np.add, (d, u), out=dz, in_backward=True),
... )
>>> graph = Joint((z,), nodes, (s,), cotangents=(g,), gradients=(dz,))
>>> print(drop_cancelled(graph))
m = max(z)
t = subtract(z, m)
exp = exp(t)
s = sum(exp)
w = divide(g, s)
d = multiply(w, exp)
return s; d

That it cancels is shown by calculation with ``polynomials``: here ``g - g / s * s``.
With floats that is NaN where a factor is infinite, or a divisor zero. So no divisor is
looked into but numbers and what ``shifts`` knows to be positive, and no exponential is
a factor but one that is at most one. All else may be as it is, what flows back above
all: if that is no number, neither is the rest of the gradient, made of the same. For a
``z`` with inf or NaN in it, or with nothing but -inf, both are NaN everywhere. Where
the cotangent of a factor is infinite, the tape has inf - inf, NaN, at the largest
element; here it has the infinity.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.graph import Program
from srcgrad.policy import MOST_SUMMANDS
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.algebra.formula_patterns import is_number
from srcgrad.transforms.algebra.polynomial_forms import Polynomials
from srcgrad.transforms.algebra.shifts import Shifts
from srcgrad.transforms.rewrite import Rewriter, Term, rewrite


def drop_cancelled(graph: Program) -> Program:
    """Drop the terms of gradients that are zero but for rounding."""
    if np.where not in graph.functions or not any(map(_is_shared_out, graph.nodes)):
        return graph
    return rewrite(graph, _without_zeros, (np.add,))


def _is_shared_out(node: Step) -> bool:
    """Whether a node gives some elements a cotangent, as the rule of ``max`` does."""
    return type(node) is Node and node.function is np.where and node.in_backward


def _without_zeros(node: Node, rewriter: Rewriter) -> Any:
    if node.function is not np.add or node.kwargs or not node.in_backward:
        return None
    for x, value in (node.args, node.args[::-1]):
        share = _share(value, rewriter)
        if share is None or type(x) is not Value or node.out in rewriter.decisive:
            continue
        if _cancel([share.cotangent], x, share.shape, rewriter):
            return Term(x)
        for other in _shares(x, rewriter):
            both = [share.cotangent, other.cotangent]
            if (
                share.is_all
                and other.is_all
                and share.chosen is other.chosen
                and share.number is other.number
                and _cancel(both, x, share.shape, rewriter)
            ):
                return _without(x, other.value, rewriter)
    return None


def _cancel(
    values: list[Value], beside: Value, shape: tuple[int, ...], rewriter: Rewriter
) -> bool:
    """Whether the sum of some values is zero, or else what is beside it is not finite.

    Whatever the values are made of, that is made of too; and of what they sum along
    some axes there is a sum along these.
    """
    shifts = Shifts(rewriter.maker_in_forward)
    polynomials = Polynomials(rewriter.maker, shifts.may_divide)
    if not polynomials.are_zero(values, shape):
        return False
    unknown = polynomials.unknown
    if any(shifts.may_be_infinite(value) for value, _ in unknown):
        return False
    sums = polynomials.sums_in(beside, shape)
    return all(
        any(summed <= along for along in sums.get(value, ()))
        for value, summed in unknown
    )


class _Share(NamedTuple):
    """What a maximum's cotangent gives to the chosen elements: a part of it to each.

    ``is_all``: of which ``value`` is all, and not a sum or fraction.
    """

    value: Value
    chosen: Value
    cotangent: Value
    number: Value
    shape: tuple[int, ...]
    is_all: bool


def _share(value: Any, rewriter: Rewriter) -> _Share | None:
    """What a value is made of, if it is such a share, or a view or part of one."""
    node = rewriter.maker(value)
    while node is not None and (source := _multiple_of(node)) is not None:
        node = rewriter.maker(source)
    if node is None or not _is_shared_out(node) or node.kwargs:
        return None
    chosen, each, otherwise = node.args
    division, equal = rewriter.maker(each), rewriter.maker(chosen)
    if (
        division is None
        or equal is None
        or division.function is not np.divide
        or equal.function not in (np.equal, np.bitwise_and)
        or not (is_number(otherwise) and otherwise == 0)
    ):
        return None
    cotangent, number = division.args
    count = rewriter.maker(number)
    if count is None or count.function is not np.maximum:
        return None
    out = node.results[0]
    return _Share(value, chosen, cotangent, number, out.shape, out is value)


def _multiple_of(node: Node) -> Any:
    """What a value is a view, a sum, or a finite multiple of: zero, where that is."""
    first = node.args[0]
    if node.function in (np.multiply, np.divide):
        factors = node.args if node.function is np.multiply else (first,)
        number = node.args[-1] if type(first) is Value else first
        is_finite = is_number(number) and math.isfinite(number) and number != 0
        found = [each for each in factors if type(each) is Value]
        return found[0] if is_finite and found else None
    is_view = facts_of(node.function).view == "whole"
    return first if is_view or node.function in (np.negative, np.sum) else None


def _shares(value: Any, rewriter: Rewriter, most: int = MOST_SUMMANDS) -> list[_Share]:
    """The shares among the terms of a sum that is made for nobody else."""
    node = rewriter.maker(value)
    if node is None or node.function is not np.add or node.kwargs or not most:
        return []
    if rewriter.uses[value] > 1:
        return []
    found = (_share(term, rewriter) for term in node.args)
    return [*filter(None, found), *_shares(node.args[0], rewriter, most - 1)]


def _without(value: Value, gone: Value, rewriter: Rewriter) -> Any:
    """A sum without one of its terms."""
    node = rewriter.maker(value)
    assert node is not None
    first, second = node.args
    if gone in (first, second):
        return Term.of(second if gone is first else first)
    return _without(first, gone, rewriter) + Term.of(second)
