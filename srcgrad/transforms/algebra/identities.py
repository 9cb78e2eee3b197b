"""Algebraic identities, written as the formulas that they are.

An identity is a pair of lambdas, before and after, or has several forms of the latter;
see ``patterns`` for their letters.

>>> from srcgrad.graph import Graph
>>> from srcgrad.transforms.rewrite import rewrite
>>> identities = Identities((lambda x, y: x + -y, lambda x, y: x - y))
>>> x, y, t, z = (Value((3,), np.dtype(float), name) for name in "xytz")
>>> nodes = Node(np.negative, (x,), out=t), Node(np.add, (t, y), out=z)
>>> print(rewrite(Graph((x, y), nodes, (z,)), identities.apply))
z = subtract(y, x)
return z
"""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.facts import Operation
from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.formula_patterns import (
    LETTERS_FOR_NUMBERS,
    Formula,
    Pattern,
    is_moderate,
    is_number,
    number_in,
    pattern_of,
)
from srcgrad.transforms.algebra.looks import Look, Looks, may_fit
from srcgrad.transforms.algebra.magnitudes import Learnt, Magnitudes
from srcgrad.transforms.rewrite import Rewriter, Term

# How far the two sides of an identity are the same: to the bit for all numbers, for
# real ones, or but for rounding.
ALWAYS, REAL, ROUNDED = range(3)


class Identity(NamedTuple):
    """A formula, taken apart, and what it becomes, as functions of its letters."""

    before: Pattern
    forms: tuple[Formula, ...]
    holds: int


def identity(before: Formula, *forms: Formula, holds: int) -> Identity:
    """Read an identity off lambdas."""
    pattern, _ = pattern_of(before)
    return Identity(pattern, forms, holds)


class Identities:
    """A table of identities; the first that fits a node is used, in its first form."""

    def __init__(self, *rows: tuple[Formula, ...], holds: int = ALWAYS) -> None:
        self.rows = [identity(*row, holds=holds) for row in rows]
        self.roots: set[Any] = {row.before.ufunc for row in self.rows}

    def __or__(self, other: "Identities") -> "Identities":
        """The rows of two tables."""
        joined = Identities()
        joined.rows, joined.roots = self.rows + other.rows, self.roots | other.roots
        return joined

    def apply(
        self, node: Node, rewriter: Rewriter, looks: Looks | None = None
    ) -> Term | None:
        """What stands for a node by these identities, None if none fits.

        ``looks`` are those at the operands of others, if it is not the first node.
        """
        looks = Looks() if looks is None else looks
        candidates = self.candidates(node, looks.at(node, rewriter))
        if not candidates:
            return None
        most = _most(node, rewriter)
        match = _Match(node, rewriter)
        for candidate in candidates:
            if candidate.holds <= most and match.fits(candidate.before):
                for form in candidate.forms:
                    term = form(**match.letters)
                    if match.takes(term):
                        return term  # type: ignore[no-any-return]
        return None

    def candidates(self, node: Node, looks: tuple[Look, ...]) -> Sequence[Identity]:
        """The rows that might fit a node, by what a first look tells."""
        if node.function not in self.roots or node.kwargs:
            return ()
        is_0d = node.results[0].shape == ()
        return _candidates(self, node.function, is_0d, looks)


def _most(node: Node, rewriter: Rewriter) -> int:
    """How far what stands for a node may differ from it."""
    if node.results[0].dtype.kind != "f":
        return ALWAYS
    return REAL if node.out in rewriter.decisive else ROUNDED


@functools.lru_cache(maxsize=4096)
def _candidates(
    table: Identities, function: Operation, is_0d: bool, looks: tuple[Look, ...]
) -> tuple[Identity, ...]:
    return tuple(
        row
        for row in table.rows
        if row.before.ufunc is function and may_fit(row.before, looks, is_0d)
    )


class _Match:
    """A try to read a node as a pattern: what its letters stand for, so far."""

    def __init__(self, node: Node, rewriter: Rewriter) -> None:
        assert type(node.out) is Value
        self.node = node
        self.out = node.out
        self.rewriter = rewriter
        self.letters: dict[str, Any] = {}
        self.inner: list[Value] = []
        # The sizes of what is known; of some interest, once there is a match.
        self.magnitudes: Magnitudes | None = None

    def fits(self, pattern: Pattern) -> bool:
        """Whether the node is one of a pattern; begins anew."""
        self.letters, self.inner = {}, []
        return self.fits_all(pattern, self.node.args)

    def fits_all(self, pattern: Pattern, args: tuple[Any, ...]) -> bool:
        before = len(self.inner)
        orders = (args, args[::-1]) if pattern.commutes else (args,)
        for order in orders:
            if all(map(self._fits, pattern.args, order)):
                return True
            del self.inner[before:]
        return False

    def _fits(self, pattern: Any, item: Any) -> bool:
        if isinstance(pattern, Pattern):
            return self._is_call(pattern, item)
        if isinstance(pattern, str):
            if pattern in LETTERS_FOR_NUMBERS and is_number(item):
                item = number_in(item, self.out.dtype)
            self.letters[pattern] = Term.of(item)
            return self._may_stand_for(pattern, item)
        return (
            is_number(item)
            and bool(item == pattern)
            and math.copysign(1.0, item) == math.copysign(1.0, pattern)
        )

    def _is_call(self, pattern: Pattern, item: Any) -> bool:
        node = self.rewriter.maker(item)
        if node is None or node.function is not pattern.ufunc or node.kwargs:
            return False
        self.inner.append(item)
        return item.dtype == self.out.dtype and self.fits_all(pattern, node.args)

    def _may_stand_for(self, letter: str, item: Any) -> bool:
        if letter in LETTERS_FOR_NUMBERS:
            return is_number(item) and is_moderate(item, self.out.dtype)
        if type(item) is not Value or item.dtype.kind == "b":
            return False  # truth values have no signs
        if letter == "w":
            return item.shape == self.out.shape
        return letter != "s" or (item.shape == () and self.out.shape != ())

    def takes(self, term: Any) -> bool:
        """Whether ``term`` shall stand for the node; None is no Term."""
        return isinstance(term, Term) and self.pays(term) and self.covers(term)

    def pays(self, term: Term) -> bool:
        """Whether less is computed with ``term``, and nothing in a lower precision."""
        uses = self.rewriter.uses
        return term.function is None or (
            all(uses[value] == 1 for value in self.inner)
            and _computes_in(term, self.out.dtype)
        )

    def covers(self, term: Term) -> bool:
        """Whether no product on the way leaves the range where none did before.

        Of a power the square may be taken first: it is between the two.
        """
        if self.node.function not in (np.multiply, np.divide, np.negative):
            return True
        if self.magnitudes is None:
            self.magnitudes = magnitudes_at(self.node, self.rewriter)
        return self.magnitudes.cover(term)


def magnitudes_at(node: Node, rewriter: Rewriter) -> Magnitudes:
    """The sizes of what is known where a node is computed."""
    dtype = node.results[0].dtype
    learnt = rewriter.learnt.get((dtype, node.in_backward))
    if learnt is None:
        learnt = rewriter.learnt[dtype, node.in_backward] = Learnt({}, {})
    return Magnitudes(rewriter.maker, dtype, node, learnt)


def _computes_in(term: Term, dtype: np.dtype[Any]) -> bool:
    """Whether all that a Term would compute has some dtype."""
    return term.function is None or (
        term.out.dtype == dtype
        and all(_computes_in(arg, dtype) for arg in term.args if type(arg) is Term)
    )
