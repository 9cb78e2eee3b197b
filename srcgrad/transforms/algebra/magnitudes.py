"""How large products are against each other, to show that a new one stays in range.

A product is a number times a monomial, a power for each Value in it. What the program
computes anyway is in range, or its result is not; so is, then, a multiple of that by
less than one.

>>> import numpy as np
>>> g, s, x, h = (Value(shape, np.dtype(float)) for shape in ((), (), (3,), (3,)))
>>> made = {s: Node(np.divide, (g, 96), out=s), h: Node(np.multiply, (s, x), out=h)}
>>> magnitudes = Magnitudes(made.get, np.dtype(float))
>>> magnitudes.of(h)[0] == 1 / 96
True
>>> h, s, x = map(Term, (h, s, x))
>>> magnitudes.cover(2.0 * s * x), magnitudes.cover(200.0 * s * x)
(True, False)

For a divisor both bounds count: it must not become zero, either. Where a factor does,
what is lost is smaller than ``patterns.is_moderate`` vouches for; but float16 has so
few small numbers that there both count always.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from srcgrad.policy import DEEPEST_PRODUCT, MOST_PRODUCTS
from srcgrad.steps import Node, Value
from srcgrad.transforms.rewrite import Term

# A number, and the powers, other than 0, of Values that it is a multiple of.
Product = tuple[float, dict[Value, int]]

# Equal numbers differ by that much: products of a few factors, rounded.
EQUAL_WITHIN = 1e-9


class Factors(NamedTuple):
    """A Value as a product; and that and all that it is made of."""

    product: Product
    parts: list[Product]


# The operation that makes a Value a product, if any does, and its operands: for as long
# as Values are made by the same nodes, and of one dtype.
Made = dict[Value, tuple[Callable[..., Product], list[Value | Product]] | None]


class Learnt(NamedTuple):
    """What is known of all nodes so far, and of the Values that were asked for last."""

    made: Made
    factors: dict[Value, Factors]


class Magnitudes:
    """The products that there are; ``maker`` gives the node that makes a Value.

    ``node`` is what is computed anyway, if it takes that to know; ``learnt`` is what
    others with the same ``maker`` and ``dtype`` have found out.
    """

    def __init__(
        self,
        maker: Callable[[Any], Node | None],
        dtype: np.dtype[Any],
        node: Node | None = None,
        learnt: Learnt | None = None,
    ) -> None:
        self.maker = maker
        self.dtype = dtype
        self.known: dict[Value, Factors] = {}
        self._node = node
        self._made, self._factors = Learnt({}, {}) if learnt is None else learnt

    def _learn(self) -> bool:
        """Take it that the node is computed; whether that is news."""
        node, self._node = self._node, None
        if node is None:
            return False
        if _is_product(node):
            product = PRODUCT_RULES[node.function](*map(self.of, node.args))
            self.known[node.results[0]] = Factors(product, [product])
        else:
            for value in node.inputs:
                self.of(value)
        return True

    def of(self, item: Any) -> Product:
        """An operand as a product: it is known then, and all that it is made of."""
        if type(item) is not Value:
            return _number(item)
        found = self.known.get(item)
        if found is None:
            found = self.known[item] = self._factors.get(item) or self._find(item)
        return found.product

    def _find(self, item: Value) -> Factors:
        parts: list[Product] = []
        found = Factors(self._product(item, DEEPEST_PRODUCT, parts), parts)
        if item in self._made:  # or else it is not there yet
            if len(self._factors) >= MOST_PRODUCTS:
                self._factors.clear()
            self._factors[item] = found
        return found

    def _product(self, item: Any, depth: int, parts: list[Product]) -> Product:
        """A Value as a product, which is added to the parts with all that makes it.

        What is that far back is seldom wanted again, and so not kept.
        """
        made = self._making(item) if depth else None
        if made is None:
            product: Product = 1.0, {item: 1}
        else:
            operation, operands = made
            products = []
            for each in operands:  # a list of them takes longer, and this is often
                if type(each) is Value:
                    each = self._product(each, depth - 1, parts)
                products.append(each)
            product = operation(*products)
        parts.append(product)
        return product

    def _making(self, item: Value) -> Any:
        """The operation that makes a Value a product, and its operands, if any does."""
        if item in self._made:
            return self._made[item]
        node = self.maker(item)
        if node is None:
            return None  # yet
        found = None
        if item.dtype == self.dtype and _is_product(node):
            operands = [a if type(a) is Value else _number(a) for a in node.args]
            found = PRODUCT_RULES[node.function], operands
        self._made[item] = found
        return found

    def cover(self, term: Term) -> bool:
        """Whether all that a Term computes on its way to its result is in range."""
        for number, arg in enumerate(term.args):
            if isinstance(arg, Term) and arg.function is not None:
                is_divisor = term.function is np.divide and number == 1
                if arg.function in PRODUCT_RULES and not self._bound(arg, is_divisor):
                    return False
                if not self.cover(arg):
                    return False
        return True

    def _bound(self, term: Term, is_divisor: bool) -> bool:
        product = self._of_term(term)
        needs_both = is_divisor or self.dtype == np.float16
        return self._is_known(product, needs_both) or (
            self._learn() and self._is_known(product, needs_both)
        )

    def _is_known(self, product: Product, needs_both: bool) -> bool:
        """Whether it is in range, as far as is known."""
        # Few are compared: to make keys of them would take longer.
        size, powers = product
        known = []
        for _, parts in self.known.values():
            for number, each in parts:
                if each == powers:
                    known.append(number)
        if not known or not size <= max(known) * (1.0 + EQUAL_WITHIN):  # it may be nan
            return False
        return not needs_both or size >= min(known) / (1.0 + EQUAL_WITHIN)

    def _of_term(self, item: Any) -> Product:
        if not isinstance(item, Term):
            return self.of(item)
        if item.function in PRODUCT_RULES:
            return PRODUCT_RULES[item.function](*map(self._of_term, item.args))
        return self.of(item.out)


def _number(item: Any) -> Product:
    return abs(float(item)), {}


def _is_product(node: Node) -> bool:
    if node.function not in PRODUCT_RULES or node.kwargs:
        return False
    return all(type(arg) is Value or _has_size(arg) for arg in node.args)


def _has_size(number: Any) -> bool:
    if type(number) is float:  # as most are
        return number != 0 and math.isfinite(number)
    return bool(np.ndim(number) == 0 and number != 0 and np.isfinite(number))


def _times(first: Product, second: Product) -> Product:
    return first[0] * second[0], _joined(first[1], second[1], 1)


def _over(first: Product, second: Product) -> Product:
    return first[0] / second[0], _joined(first[1], second[1], -1)


def _joined(
    first: dict[Value, int], second: dict[Value, int], sign: int
) -> dict[Value, int]:
    if not second:
        return first
    # A plain dict: a Counter takes several times as long.
    powers = first.copy()
    for value, power in second.items():
        powers[value] = powers.get(value, 0) + sign * power
        if not powers[value]:
            del powers[value]
    return powers


# The formula of this analysis: what makes a product of products.
PRODUCT_RULES: dict[Any, Callable[..., Product]] = {
    np.multiply: _times,
    np.divide: _over,
    np.negative: lambda product: product,
}
