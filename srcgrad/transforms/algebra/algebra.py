"""Algebra: the same values (up to rounding) from fewer or cheaper operations.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> x, t, u, y = (Value((3,), np.dtype(float), name) for name in "xtuy")
>>> nodes = (
...     Node(np.power, (x, 2), out=t),
...     Node(np.multiply, (3.0, t), out=u),
...     Node(np.divide, (u, 96), out=y),
... )
>>> graph = Graph((x,), nodes, (y,))
>>> print(graph)
t = power(x, 2)
u = multiply(3.0, t)
y = divide(u, 96)
return y
>>> print(simplify_algebra(graph))
t = multiply(x, x)
y = divide(t, 32.0)
return y
"""

import functools
import math
from typing import Any

import numpy as np

from srcgrad.graph import Program
from srcgrad.policy import MOST_FACTORS
from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.cse import key_of
from srcgrad.transforms.algebra.formula_patterns import number_in
from srcgrad.transforms.algebra.identities import (
    REAL,
    ROUNDED,
    Identities,
    magnitudes_at,
)
from srcgrad.transforms.algebra.looks import Looks
from srcgrad.transforms.algebra.outer_products import sum_of_outer_products
from srcgrad.transforms.rewrite import Rewriter, Term, call, elementwise, rewrite


def simplify_algebra(graph: Program) -> Program:
    """Apply the rules below wherever they fit."""
    return rewrite(graph, functools.partial(_simplify, looks=Looks()), FORMULAS.roots)


def _simplify(node: Node, rewriter: Rewriter, looks: Looks) -> Term | None:
    if node.function not in FORMULAS.roots or type(node.out) is not Value:
        return None
    kind = node.out.dtype.kind
    if kind not in "fc":
        return None
    if node.out.dtype.type in (np.longdouble, np.clongdouble):
        return None  # Python's numbers, which the identities reckon with, are shorter
    if node.function is np.add and kind == "f" and not node.kwargs:
        found: Term | None = sum_of_equals(node, rewriter)
        if found is None and node.in_backward:
            found = minus_a_sum(node, rewriter)
        if found is not None:
            return found
    shape = node.out.shape
    if shape and node.function in (np.add, np.subtract) and len(shape) == 2:
        found = sum_of_outer_products(node, rewriter)
        if found is not None:
            return found
    found = FORMULAS.apply(node, rewriter, looks)
    if found is not None:
        return found
    if kind == "f" and node.in_backward and node.function is np.multiply:
        short: Term | None = fraction(node, rewriter)
        return short
    return None


# ----- Sums -----


def sum_of_equals(node: Node, rewriter: Rewriter) -> Any:
    """``x + x -> 2.0 * x``, which is exact, and ``x + y + y -> x + 2.0 * y``.

    The latter only if ``2.0 * y`` is in range: it need not be where the sum is.
    """
    first, second = node.args
    if first is second or _is_same_call(first, second, rewriter):
        if node.out not in rewriter.decisive:
            term = twice(first, rewriter)
            if magnitudes_at(node, rewriter).cover(term):
                return term
        return 2.0 * Term(first)
    for total, y in (node.args, node.args[::-1]):
        inner = rewriter.made_by(np.add, total)
        if inner is None or inner.kwargs:
            continue
        rest = [arg for arg in inner.args if arg is not y]
        if (
            len(rest) == 1
            and _has_dtype(y, total.dtype)
            and rewriter.uses[total] == 1
            and node.out not in rewriter.decisive
        ):
            term = Term.of(rest[0]) + twice(y, rewriter)
            return term if magnitudes_at(node, rewriter).cover(term) else None
    return None


def _is_same_call(first: Any, second: Any, rewriter: Rewriter) -> bool:
    """Whether two values are made in the same way: ``x * y`` and ``y * x``."""
    made = rewriter.definition
    if type(second) is not Value or second not in made:
        return False
    other = made[second]
    one = rewriter.made_by(other.function, first)
    if one is None or rewriter.maker(second) is None:
        return False
    return {*one.inputs} == {*other.inputs} and key_of(one) == key_of(other)


def twice(y: Value, rewriter: Rewriter) -> Any:
    """``2.0 * y``; if ``y`` is a product, with the number before its first factor."""
    factors: list[Value] = []
    while len(factors) < MOST_FACTORS:
        node = rewriter.maker(y)
        if (
            node is None
            or node.function is not np.multiply
            or node.kwargs
            or rewriter.uses[y] > (1 if factors else 2)
            or not all(_has_dtype(factor, y.dtype) for factor in node.args)
        ):
            break
        y, factor = node.args
        factors.append(factor)
    return math.prod(map(Term, reversed(factors)), start=2.0 * Term(y))


def minus_a_sum(node: Node, rewriter: Rewriter) -> Any:
    """``x + sum(-y) -> x - sum(y)``, or with factors; in gradients only.

    Where ``x`` is -0.0 and the sum is zero, the sign of the result may be another.
    """
    for x, value in (node.args, node.args[::-1]):
        positive = _negated(value, rewriter)
        if positive is not None and node.out not in rewriter.decisive:
            return Term.of(x) - positive
    return None


def _negated(value: Any, rewriter: Rewriter, most: int = MOST_FACTORS) -> Any:
    """``sum(y) / z`` for ``sum(-y) / z``, of which nobody else wants a part."""
    node = rewriter.maker(value)
    if node is None or rewriter.uses[value] > 1 or not most:
        return None
    if node.function is np.sum:
        return _negated_sum(node, rewriter)
    if node.function not in (np.multiply, np.divide) or node.kwargs:
        return None
    first, second = node.args
    if (part := _negated(first, rewriter, most - 1)) is not None:
        return elementwise(node.function, part, Term.of(second))
    if node.function is np.multiply:
        part = _negated(second, rewriter, most - 1)
    return None if part is None else Term.of(first) * part


def _negated_sum(node: Node, rewriter: Rewriter) -> Any:
    terms, *axis = node.args
    negative = rewriter.maker(terms)
    if (
        negative is None
        or negative.function is not np.negative
        or rewriter.uses[terms] > 1
        or len(axis) > 1
        or not node.kwargs.keys() <= {"axis", "keepdims"}
    ):
        return None
    y = Term.of(negative.args[0])
    return call(node.results[0], np.sum, y, *axis, **node.kwargs)


def _has_dtype(item: Any, dtype: np.dtype[Any]) -> bool:
    return type(item) is Value and item.kind != "float" and item.dtype == dtype


# ----- Fractions -----
# A number is written in another way if that is so many characters shorter, and with a
# divisor that has no more digits than a person would write.
SHORTER, MOST_SHORT = 6, 2**20


def fraction(node: Node, rewriter: Rewriter) -> Any:
    """``x / 96`` for ``0.010416666666666666 * x``, ``0.6 * x`` for 0.6000000000000001.

    Such numbers come of folding constants in gradients.
    """
    for x, number in (node.args, node.args[::-1]):
        if type(number) is Value or type(x) is not Value:
            continue
        if not isinstance(number, (float, np.floating)):
            continue
        kind = node.results[0].dtype.type
        number = number_in(number, node.results[0].dtype)
        if len(str(number)) <= SHORTER:
            return None
        size, limits = abs(number), np.finfo(kind)
        divisor = round(1.0 / number) if 1.0 / MOST_SHORT < size < 1.0 else 1
        short = float(f"{number:.{limits.precision - 1}g}")
        if node.kwargs or node.out in rewriter.decisive:
            return None
        if kind(1.0 / divisor) == kind(number) and _is_shorter(divisor, number):
            return Term(x) / divisor
        is_rounding = 0.0 < abs(short - number) <= 2 * float(limits.eps) * size
        if is_rounding and _is_shorter(short, number):
            return short * Term(x)
    return None


def _is_shorter(number: Any, other: Any) -> bool:
    return len(str(number)) + SHORTER <= len(str(other))


# ----- Formulas; see `patterns` for what the letters stand for -----
# Right to the bit, for real and for complex numbers.
SIGN_IDENTITIES = Identities(
    (lambda x: -(-x), lambda x: x),  # noqa: B002 - twice is the point
    (lambda x: +x, lambda x: x),
    (lambda x, y: x + -y, lambda x, y: x - y),
    (lambda x, y: x - -y, lambda x, y: x + y),
)

# The formula of this pass: right to the bit for real numbers. Not here: `x + 0` and
# `-(x - y)`, wrong for zeros. Numbers stand first, as in mathematics.
EXACT_IDENTITIES = Identities(
    (lambda x: np.conjugate(x), lambda x: x),
    (lambda x: np.square(x), lambda x: x * x),
    (lambda x, y: -x * -y, lambda x, y: x * y),
    (lambda x, y: -x / -y, lambda x, y: x / y),
    # Units
    (lambda x: x * 1, lambda x: x),
    (lambda x: x / 1, lambda x: x),
    (lambda x: x**1, lambda x: x),
    (lambda x: x - 0, lambda x: x),
    (lambda x: x * -1, lambda x: -x),
    (lambda x: x / -1, lambda x: -x),
    # A number takes a sign in, or else a scalar does
    (lambda x, a: -x * a, lambda x, a: -a * x),
    (lambda x, a: -x / a, lambda x, a: x / -a),
    (lambda x, a: a / -x, lambda x, a: -a / x),
    (lambda x, a: -(x * a), lambda x, a: -a * x),
    (lambda x, a: -(x / a), lambda x, a: x / -a),
    (lambda x, a: -(a / x), lambda x, a: -a / x),
    (lambda s, x: -(s * x), lambda s, x: -s * x),
    (lambda s, x: -(x / s), lambda s, x: x / -s),
    (lambda s, x: -(s / x), lambda s, x: -s / x),
    (lambda s, x, y: -(s * x * y), lambda s, x, y: -s * x * y),
    # and otherwise it goes out, where it may meet another one, or a sum
    (lambda w, y: -w * y, lambda w, y: -(w * y)),
    (lambda w, y: -w / y, lambda w, y: -(w / y)),
    (lambda x, w: x / -w, lambda x, w: -(x / w)),
    (lambda x, y, z: x + -y * z, lambda x, y, z: x - y * z),
    (lambda x, y, z: x - -y * z, lambda x, y, z: x + y * z),
    holds=REAL,
)


def ratio(x: Term, a: Any, b: Any) -> Any:
    """Write ``x * a / b`` with one number, if that reads well or saves work."""
    if b % a == 0:
        return x / (b / a)
    if a % b == 0 or x.out.shape:
        return a / b * x
    return None


def fourth_power(x: Any) -> Any:
    square = x * x
    return square * square


# The factors of a product, with one number before them.
numbers_first = (
    lambda x, y, a, b: a * b * x * y,
    lambda x, y, a, b: a * b * (x * y),
)


# Right but for rounding, for real numbers, as far as they are in range on the way (see
# `magnitudes`): of several forms after one formula, the first is used that is. Not
# here: `x ** 0.5`, no square root at -0.0 and -inf; `x * 0`, no zero for nan and inf.
EQUAL_BUT_ROUNDED = Identities(
    # Powers: NumPy's general one costs as much as 20 products
    (lambda x: x**2, lambda x: x * x),
    (lambda x: x**3, lambda x: x * x * x),
    (lambda x: x**4, fourth_power),
    (lambda x: x**-1, lambda x: 1.0 / x),
    (lambda x, y: 1 / x * y, lambda x, y: y / x),
    # Scalars first: work on them costs nothing next to that on arrays
    (lambda s, x, a: s * x * a, lambda s, x, a: a * s * x),
    (lambda s, x, a: s * x / a, lambda s, x, a: s / a * x),
    (lambda s, x, a: x * a * s, lambda s, x, a: a * s * x),
    (lambda s, x, a: x / a * s, lambda s, x, a: s / a * x),
    (lambda s, x, a: x / s * a, lambda s, x, a: x / (s / a)),
    (lambda s, x, a: x / s / a, lambda s, x, a: x / (s * a)),
    (lambda s, x, a: x * a / s, lambda s, x, a: x / (s / a)),
    (lambda s, x, a: x / a / s, lambda s, x, a: x / (s * a)),
    (lambda s, x, a: s / x * a, lambda s, x, a: a * s / x),
    (lambda s, x, a: s / x / a, lambda s, x, a: s / a / x),
    (lambda s, x, y, a: s * x * y * a, lambda s, x, y, a: a * s * x * y),
    (lambda s, x, y, a: s * x * y / a, lambda s, x, y, a: s / a * x * y),
    (
        lambda s, x, y, a: x * a * y * s,
        lambda s, x, y, a: a * s * x * y,
        lambda s, x, y, a: a * s * (x * y),
    ),
    # Numbers together
    (lambda x, a, b: x * a * b, lambda x, a, b: a * b * x),
    (lambda x, a, b: x / a / b, lambda x, a, b: x / (a * b)),
    (lambda x, a, b: x * a / b, ratio),
    (lambda x, b, a: x / b * a, ratio),
    (lambda x, a, b: a / x * b, lambda x, a, b: a * b / x),
    (lambda x, a, b: a / x / b, lambda x, a, b: a / b / x),
    (lambda x, a, b: a / (x * b), lambda x, a, b: a / b / x),
    (lambda x, a, b: a / (x / b), lambda x, a, b: a * b / x),
    (lambda x, y, a, b: (x * a) * (y * b), *numbers_first),
    (lambda x, y, a, b: x * a * y * b, *numbers_first),
    holds=ROUNDED,
)

FORMULAS = SIGN_IDENTITIES | EXACT_IDENTITIES | EQUAL_BUT_ROUNDED
