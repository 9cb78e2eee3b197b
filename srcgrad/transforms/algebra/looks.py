"""A first look at the operands of a node: which identities may fit it at all.

Most nodes fit none. A look goes three calls deep and no further; two that are alike are
one object, so that what may fit is looked up, and seldom found out.

>>> from srcgrad.transforms.algebra.formula_patterns import pattern_of
>>> minus, _ = pattern_of(lambda x, y: x + -y)
>>> may_fit(minus, (VALUE, look_like(np.negative, False, (VALUE,))), False)
True
>>> may_fit(minus, (VALUE, NUMBER), False)
False
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.formula_patterns import (
    LETTERS_FOR_NUMBERS,
    Pattern,
    is_number,
)
from srcgrad.transforms.rewrite import Rewriter

# The formula of `algebra`: so deep are the identities, and these ufuncs they have
# inside; others look the same.
DEPTH = 3
INNER_UFUNCS = frozenset({np.multiply, np.divide, np.negative})


class Look:
    """What a look tells of an operand; compared by identity.

    ``ufunc`` is what makes it, if that is of interest, of ``operands`` (none: they are
    too far away to be seen); ``number`` one that formulas have.
    """

    __slots__ = ("is_0d", "is_value", "number", "operands", "ufunc")

    def __init__(
        self,
        ufunc: np.ufunc | None = None,
        is_0d: bool = False,
        operands: "tuple[Look, ...]" = (),
        is_value: bool = True,
        number: float | None = None,
    ) -> None:
        self.ufunc = ufunc
        self.is_0d = is_0d
        self.operands = operands
        self.is_value = is_value
        self.number = number


@functools.lru_cache(maxsize=4096)
def look_like(
    ufunc: np.ufunc | None, is_0d: bool, operands: tuple[Look, ...] = ()
) -> Look:
    """The look at what a ufunc makes of operands."""
    return Look(ufunc, is_0d, operands)


VALUE, SCALAR = Look(), Look(is_0d=True)
NUMBER, OTHER = Look(is_value=False, number=np.nan), Look(is_value=False)
DIGITS = {n: Look(is_value=False, number=n) for n in (-1, 0, 1, 2, 3, 4)}


class Looks:
    """The looks at the operands in one graph, which are made of each other."""

    def __init__(self) -> None:
        # By depth; the backward graph sees less of what the forward graph has made.
        self._forward: list[dict[Value, Look]] = [{} for _ in range(DEPTH)]
        self._backward: list[dict[Value, Look]] = [{} for _ in range(DEPTH)]

    def at(self, node: Node, rewriter: Rewriter) -> tuple[Look, ...]:
        """The looks at the operands of a node."""
        known = self._backward if node.in_backward else self._forward
        return _looks(node, rewriter, known, DEPTH - 1)


def _looks(
    node: Node, rewriter: Rewriter, known: list[dict[Value, Look]], depth: int
) -> tuple[Look, ...]:
    found, makers = known[depth], rewriter.definition
    for arg in node.args:
        if type(arg) is not Value or arg in found:
            continue
        found[arg] = VALUE if arg.shape else SCALAR
        if arg in makers and makers[arg].function in INNER_UFUNCS:
            maker = rewriter.maker(arg)
            if maker is not None:
                inner = _looks(maker, rewriter, known, depth - 1) if depth else ()
                found[arg] = look_like(maker.function, arg.shape == (), inner)
    return tuple([found[a] if type(a) is Value else _at_number(a) for a in node.args])


def _at_number(item: Any) -> Look:
    if type(item) is float and item not in DIGITS:
        return NUMBER
    return DIGITS.get(item, NUMBER) if is_number(item) else OTHER


def may_fit(pattern: Pattern, looks: Sequence[Look], is_0d: bool) -> bool:
    """Whether operands may be those of a pattern; ``is_0d``: of the result."""
    orders = [looks, looks[::-1]] if pattern.commutes else [looks]
    return any(
        all(_may_be(*pair, is_0d) for pair in zip(pattern.args, order, strict=False))
        for order in orders
    )


def _may_be(pattern: Any, look: Look, is_0d: bool) -> bool:
    if isinstance(pattern, Pattern):
        if pattern.ufunc not in INNER_UFUNCS:
            return look.is_value
        return look.ufunc is pattern.ufunc and (
            not look.operands or may_fit(pattern, look.operands, is_0d)
        )
    if not isinstance(pattern, str):
        return look.number == pattern or (look is NUMBER and pattern not in DIGITS)
    if pattern in LETTERS_FOR_NUMBERS:
        return look.number is not None
    if pattern == "s":
        return look.is_0d and not is_0d
    return look.is_value and (pattern != "w" or look.is_0d == is_0d)
