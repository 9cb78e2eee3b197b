"""Values as polynomials in other Values, to show that what they are cancels.

A polynomial has a number for each monomial, a monomial a power for each factor. Factors
are Values of which nothing is known, and sums along axes of what depends on these: the
rest of a product goes out of a sum.

>>> import numpy as np
>>> x, y = (Value((3,), np.dtype(float), name) for name in "xy")
>>> n, s, t, p = (Value((), np.dtype(float), name, "scalar") for name in "nstp")
>>> nodes = (
...     Node(np.multiply, (n, x), out=y),
...     Node(np.sum, (y,), out=s),
...     Node(np.sum, (x,), out=t),
...     Node(np.divide, (s, t), out=p),
... )
>>> polynomials = Polynomials({node.out: node for node in nodes}.get)
>>> polynomials.of(p, ()) == polynomials.of(n, ())
True
"""

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.policy import POLYNOMIAL_DEPTH, POLYNOMIAL_STEPS, POLYNOMIAL_TERMS
from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.formula_patterns import is_number
from srcgrad.transforms.reading import arguments
from srcgrad.updates import cast

# The name of each axis of a Value, as in `np.einsum`; None for one of length 1.
Subscripts = tuple[int | None, ...]

# A Value with its subscripts, or `(subscript, monomial)`: the sum of that along this.
Factor = tuple[Any, Any]
Monomial = frozenset[tuple[Factor, int]]
Polynomial = dict[Monomial, Fraction]

ONE: Monomial = frozenset()


class LengthError(Exception):
    """A calculation has become too long."""


class Polynomials:
    """What Values are in terms of others.

    ``maker`` gives the node that makes one; ``may_divide`` tells by what quotients are
    looked into.
    """

    def __init__(
        self,
        maker: Callable[[Any], Node | None],
        may_divide: Callable[[Any], bool] = lambda _: True,
    ) -> None:
        self.maker = maker
        self.may_divide = may_divide
        self.steps = 0
        self.depth = 0
        self.known: dict[tuple[Value, Subscripts], Polynomial] = {}
        self.opaque: set[tuple[Value, Subscripts]] = set()

    def are_zero(self, values: Sequence[Value], shape: tuple[int, ...]) -> bool:
        """Whether all terms of some values, each broadcast to a shape, cancel."""
        subscripts = tuple(range(len(shape)))
        total: Polynomial = {}
        try:
            for value in values:
                total = _plus(total, self.of(value, subscripts))
        except LengthError:
            return False
        return not total

    @property
    def unknown(self) -> list[tuple[Value, set[int]]]:
        """All that the values so far are made of, and along which axes it is summed.

        These are counted from the end.
        """
        return [
            (
                value,
                {
                    subscript
                    for subscript in subscripts
                    if subscript is not None and subscript < 0
                },
            )
            for value, subscripts in self.opaque
        ]

    def sums_in(
        self, value: Value, shape: Sequence[int]
    ) -> dict[Value, list[set[int]]]:
        """For all that a value is made of, along which axes it is summed there."""
        found: dict[Value, list[set[int]]] = defaultdict(list)
        try:
            terms = self.of(value, tuple(range(len(shape))))
        except LengthError:
            return found
        products: list[tuple[Monomial, set[int]]] = [(each, set()) for each in terms]
        while products:
            monomial, along = products.pop()
            for (source, inner), _ in monomial:
                if type(source) is Value:
                    found[source].append(along)
                else:
                    products.append((inner, along | {source}))
        return found

    def of(self, item: Any, subscripts: Subscripts) -> Polynomial:
        """The polynomial of an operand; ``subscripts`` are those of the whole."""
        if type(item) is not Value:
            if not is_number(item) or not math.isfinite(item):
                raise LengthError
            return {ONE: Fraction(float(item))} if item else {}
        subscripts = _aligned(item.shape, subscripts)
        key = item, subscripts
        if key not in self.known:
            self.steps += 1
            self.depth += 1
            found = (
                None
                if self.depth > POLYNOMIAL_DEPTH
                else self._expanded(item, subscripts)
            )
            self.depth -= 1
            if found is None:
                self.opaque.add(key)
                found = {frozenset({(key, 1)}): Fraction(1)}
            if self.steps > POLYNOMIAL_STEPS or len(found) > POLYNOMIAL_TERMS:
                raise LengthError
            self.known[key] = found
        return self.known[key]

    def _expanded(self, value: Value, subscripts: Subscripts) -> Polynomial | None:
        """By the operation that makes a value; None if that says nothing."""
        node = self.maker(value)
        if node is None or value.dtype.kind != "f":
            return None
        if node.function is np.sum:
            return self._sum(node, subscripts)
        if node.function in (np.broadcast_to, cast):
            return self.of(node.args[0], subscripts)
        if node.function is np.divide and not self.may_divide(node.args[1]):
            return None
        if node.function in POLYNOMIAL_RULES:
            operands = [] if node.kwargs else node.args
            found = [self.of(operand, subscripts) for operand in operands]
            return POLYNOMIAL_RULES[node.function](*found) if found else None
        source = _same_elements(node)
        return (
            None if source is None else self.of(source, _kept(node, source, subscripts))
        )

    def _sum(self, node: Node, subscripts: Subscripts) -> Polynomial | None:
        given = arguments(node)
        x, axis = given["a"], given["axis"]
        is_plain = given["dtype"] is given["initial"] is None and given["where"] is True
        if not is_plain or type(x) is not Value:
            return None
        count = len(x.shape)
        axes = range(count) if axis is None else np.atleast_1d(axis).tolist()
        # Counted from the end: negative, as no subscript of a whole is.
        bound = {axis % count: axis % count - count for axis in axes}
        if not set(subscripts).isdisjoint(bound.values()):
            return None  # they stand for an axis around this sum
        rest = iter(subscripts)
        inner = []
        for number in range(count):
            outer = next(rest) if given["keepdims"] or number not in bound else None
            inner.append(bound.get(number, outer))
        terms = self.of(x, tuple(inner))
        for number in sorted(bound, reverse=True):
            terms = _summed(terms, bound[number], x.shape[number])
        return terms


def _aligned(shape: tuple[int, ...], subscripts: Subscripts) -> Subscripts:
    """The subscripts of an operand by those of what it is broadcast to."""
    own = subscripts[len(subscripts) - len(shape) :]
    return tuple(None if n == 1 else one for n, one in zip(shape, own, strict=True))


def _same_elements(node: Node) -> Value | None:
    """What a node only gives other axes of length 1, if it does just that."""
    source, out = node.args[0], node.out
    if type(source) is not Value or type(out) is not Value:
        return None
    if node.function is operator.getitem:
        index = node.args[1]
        parts = index if isinstance(index, tuple) else (index,)
        is_whole = all(_is_simple(part) for part in parts)
    else:
        is_whole = facts_of(node.function).moves == "in order"
    lengths = [[n for n in value.shape if n != 1] for value in (source, out)]
    return source if is_whole and lengths[0] == lengths[1] else None


def _is_simple(part: Any) -> bool:
    """Whether a part of an index selects one element of an axis, or all in order."""
    return part is None or part is ... or type(part) is int or part == slice(None)


def _kept(node: Node, source: Value, subscripts: Subscripts) -> Subscripts:
    """The subscripts of what a node gives other axes of length 1."""
    shape = node.results[0].shape
    rest = (one for n, one in zip(shape, subscripts, strict=True) if n != 1)
    return tuple(None if n == 1 else next(rest) for n in source.shape)


def _plus(first: Polynomial, second: Polynomial, sign: int = 1) -> Polynomial:
    total = defaultdict(Fraction, first)
    for monomial, number in second.items():
        total[monomial] += sign * number
    return {monomial: number for monomial, number in total.items() if number}


def _times(first: Polynomial, second: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for a, x in first.items():
        for b, y in second.items():
            total = _plus(total, {_product(a, b): x * y})
    return total


def _product(first: Monomial, second: Monomial) -> Monomial:
    powers: Counter[Factor] = Counter(dict(first))
    for factor, power in second:
        powers[factor] += power
    return frozenset((factor, power) for factor, power in powers.items() if power)


def _over(first: Polynomial, second: Polynomial) -> Polynomial | None:
    if len(second) != 1:
        return None
    ((monomial, number),) = second.items()
    inverse = frozenset((factor, -power) for factor, power in monomial)
    return _times(first, {inverse: 1 / number})


def _summed(terms: Polynomial, subscript: int, length: int) -> Polynomial:
    """Sum along an axis: factors that do not depend on it go out of the sum."""
    total: Polynomial = {}
    for monomial, number in terms.items():
        inner = frozenset(
            each for each in monomial if subscript in _subscripts(each[0])
        )
        term = {monomial - inner: number * (1 if inner else length)}
        if inner:
            term = _times(term, {frozenset({((subscript, inner), 1)}): Fraction(1)})
        total = _plus(total, term)
    return total


def _subscripts(factor: Factor) -> set[Any]:
    """The subscripts that a factor depends on."""
    source, inner = factor
    if type(source) is Value:
        return set(inner)
    found = set[Any]().union(*(_subscripts(each) for each, _ in inner))
    return found - {source}


# The formula of this analysis: what makes a polynomial of polynomials.
POLYNOMIAL_RULES: dict[Any, Callable[..., Polynomial | None]] = {
    np.add: _plus,
    np.subtract: lambda first, second: _plus(first, second, -1),
    np.multiply: _times,
    np.divide: _over,
    np.negative: lambda terms: _plus({}, terms, -1),
    np.positive: lambda terms: terms,
}
