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
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.transforms.rewrite import Term

# A number, and the powers, other than 0, of Values that it is a multiple of.
Product = tuple[float, dict[Value, int]]

# So far back it is looked what a Value is made of, and numbers that are equal differ.
MOST_DEPTH, ROUNDING = 4, 1e-9


class Factors(NamedTuple):
    """A Value as a product; and the sizes of that and all that it is made of."""

    product: Product
    sizes: dict[Hashable, tuple[float, ...]]


# What is known of Values, by how far back it was looked: for as long as these are made
# by the same nodes, and of one dtype.
Taken = dict[tuple[Value, int], Factors]


class Magnitudes:
    """The products that there are; ``maker`` gives the node that makes a Value.

    ``node`` is what is computed anyway, if it takes that to know; ``taken`` what others
    with the same ``maker`` and ``dtype`` have found out.
    """

    def __init__(
        self,
        maker: Callable[[Any], Node | None],
        dtype: np.dtype[Any],
        node: Node | None = None,
        taken: Taken | None = None,
    ) -> None:
        self.maker = maker
        self.dtype = dtype
        self.known: list[Mapping[Hashable, Sequence[float]]] = []
        self._node = node
        self._taken: Taken = {} if taken is None else taken

    def _learn(self) -> bool:
        """Take it that the node is computed; whether that is news."""
        node, self._node = self._node, None
        if node is None:
            return False
        if _is_product(node):
            size, powers = OPERATIONS[node.function](*map(self.of, node.args))
            self.known.append({_monomial(powers): (size,)})
        else:
            for value in node.inputs:
                self.of(value)
        return True

    def of(self, item: Any) -> Product:
        """An operand as a product: it is known then, and all that it is made of."""
        if not isinstance(item, Value):
            return abs(float(item)), {}
        factors = self._factors(item, MOST_DEPTH)
        self.known.append(factors.sizes)
        return factors.product

    def _factors(self, item: Any, depth: int) -> Factors:
        if not isinstance(item, Value):
            return Factors((abs(float(item)), {}), {})
        if (found := self._taken.get((item, depth))) is not None:
            return found
        node = self.maker(item) if depth else None
        if node is None or not _is_product(node) or item.dtype != self.dtype:
            powers = {item: 1}
            found = Factors((1.0, powers), {_monomial(powers): (1.0,)})
        else:
            found = _put_together(
                OPERATIONS[node.function],
                [self._factors(arg, depth - 1) for arg in node.args],
            )
        # What nothing makes may be about to be made.
        if node is not None or not depth:
            self._taken[item, depth] = found
        return found

    def cover(self, term: Term) -> bool:
        """Whether all that a Term computes on its way to its result is in range."""
        for number, arg in enumerate(term.args):
            if isinstance(arg, Term) and arg.function is not None:
                is_divisor = term.function is np.divide and number == 1
                if arg.function in OPERATIONS and not self._bound(arg, is_divisor):
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
        size, monomial = product[0], _monomial(product[1])
        known = [other for sizes in self.known for other in sizes.get(monomial, ())]
        if not known or not size <= max(known) * (1.0 + ROUNDING):  # it may be nan
            return False
        return not needs_both or size >= min(known) / (1.0 + ROUNDING)

    def _of_term(self, item: Any) -> Product:
        if not isinstance(item, Term):
            return self.of(item)
        if item.function in OPERATIONS:
            return OPERATIONS[item.function](*map(self._of_term, item.args))
        return self.of(item.out)


def _put_together(
    operation: Callable[..., Product], parts: Sequence[Factors]
) -> Factors:
    product = operation(*[part.product for part in parts])
    sizes: dict[Hashable, tuple[float, ...]] = {}
    for part in parts:
        for monomial, known in part.sizes.items():
            sizes[monomial] = sizes.get(monomial, ()) + known
    monomial = _monomial(product[1])
    sizes[monomial] = (*sizes.get(monomial, ()), product[0])
    return Factors(product, sizes)


def _is_product(node: Node) -> bool:
    if node.function not in OPERATIONS or node.kwargs:
        return False
    return all(type(arg) is Value or _has_size(arg) for arg in node.args)


def _has_size(number: Any) -> bool:
    if type(number) is float:  # as most are
        return number != 0 and math.isfinite(number)
    return bool(np.ndim(number) == 0 and number != 0 and np.isfinite(number))


def _monomial(powers: dict[Value, int]) -> Hashable:
    return frozenset(powers.items())


def _times(first: Product, second: Product) -> Product:
    return first[0] * second[0], _joined(first[1], second[1], 1)


def _over(first: Product, second: Product) -> Product:
    return first[0] / second[0], _joined(first[1], second[1], -1)


def _joined(
    first: dict[Value, int], second: dict[Value, int], sign: int
) -> dict[Value, int]:
    # A plain dict: a Counter takes several times as long.
    powers = first.copy()
    for value, power in second.items():
        powers[value] = powers.get(value, 0) + sign * power
        if not powers[value]:
            del powers[value]
    return powers


OPERATIONS: dict[Any, Callable[..., Product]] = {
    np.multiply: _times,
    np.divide: _over,
    np.negative: lambda product: product,
}
