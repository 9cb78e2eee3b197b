"""Algebraic identities, written as the formulas that they are.

An identity is a pair of lambdas, before and after. A letter says what it stands for:

* ``x``, ``y``: any operand;
* ``w``: one as large as the result;
* ``s``: one that is 0-d where the result is not: work on it costs next to nothing;
* ``a``, ``b``: a number of moderate size in the program, see ``is_moderate``.

>>> import numpy as np
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
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from srcgrad.facts import facts_of
from srcgrad.graph import Node, Value
from srcgrad.transforms.magnitudes import Magnitudes, room_for
from srcgrad.transforms.rewrite import Rewriter, Term

Formula = Callable[..., Any]

NUMBER = "number"
LETTERS_FOR_NUMBERS = frozenset("ab")


class Pattern(NDArrayOperatorsMixin):
    """A formula taken apart: a ufunc on numbers, letters (as text) and such."""

    def __init__(self, ufunc: np.ufunc | None, args: tuple[Any, ...]) -> None:
        self.ufunc = ufunc
        self.args = args
        self.commutes = _commutes(ufunc)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> "Pattern":
        return Pattern(ufunc, tuple(map(_letter_or_self, inputs)))


def _letter_or_self(item: Any) -> Any:
    is_letter = isinstance(item, Pattern) and item.ufunc is None
    return item.args[0] if is_letter else item


class Identity(NamedTuple):
    """A formula, taken apart, and what it becomes, as a function of its letters."""

    before: Pattern
    after: Formula
    letters: tuple[str, ...]


def identity(before: Formula, after: Formula) -> Identity:
    """Read an identity off two lambdas."""
    letters = [Pattern(None, (name,)) for name in inspect.signature(before).parameters]
    return Identity(before(*letters), after, tuple(inspect.signature(after).parameters))


class Identities:
    """A table of identities; the first that fits a node is used."""

    def __init__(self, *rows: tuple[Formula, Formula]) -> None:
        self.rows = [identity(before, after) for before, after in rows]
        self.roots = {row.before.ufunc for row in self.rows}
        self.candidates: dict[tuple[Any, ...], list[Identity]] = {}

    def apply(self, node: Node, rewriter: Rewriter, looks: Any = None) -> Term | None:
        """What stands for a node by these identities, None if none fits.

        ``looks`` is what ``look_at`` says, where several tables are tried.
        """
        if node.function not in self.roots or node.kwargs:
            return None
        for candidate in self._candidates(node, looks or look_at(node, rewriter)):
            match = _Match(node, rewriter)
            if match.fits_all(candidate.before, node.args):
                term = candidate.after(*map(match.letters.get, candidate.letters))
                if isinstance(term, Term) and match.pays(term) and match.covers(term):
                    return term
        return None

    def _candidates(self, node: Node, looks: Any) -> list[Identity]:
        """The rows that might fit, by a first look at the operands only."""
        is_0d = node.results[0].shape == ()
        key = (node.function, is_0d, looks)
        if (found := self.candidates.get(key)) is None:
            found = self.candidates[key] = [
                row
                for row in self.rows
                if row.before.ufunc is node.function
                and _may_fit_all(row.before, looks, is_0d)
            ]
        return found


def _commutes(function: Any) -> bool:
    return function is not None and facts_of(function).commutes


class Look(NamedTuple):
    """What a first look tells of a Value: the ufunc that makes it, and its operands."""

    ufunc: np.ufunc | None
    is_0d: bool
    operands: tuple[Any, ...] = ()


def look_at(node: Node, rewriter: Rewriter) -> tuple[Any, ...]:
    """A first look at the operands of a node."""
    return tuple([_look(arg, rewriter) for arg in node.args])


def _look(item: Any, rewriter: Rewriter, deeper: bool = True) -> Any:
    """A ``Look`` at a Value, two ufuncs deep; a word for a number; else the type."""
    if not isinstance(item, Value):
        return NUMBER if is_number(item) else type(item)
    node = rewriter.maker(item)
    # Other functions are all the same to a pattern, and would fill its memory.
    if node is None or not isinstance(node.function, np.ufunc):
        return Look(None, item.shape == ())
    operands: Any = ()
    if deeper:
        operands = tuple([_look(arg, rewriter, False) for arg in node.args])
    return Look(node.function, item.shape == (), operands)


def _may_fit_all(pattern: Pattern, looks: Sequence[Any], is_0d: bool) -> bool:
    orders = [looks, looks[::-1]] if pattern.commutes else [looks]
    return any(
        all(_may_fit(*pair, is_0d) for pair in zip(pattern.args, order, strict=False))
        for order in orders
    )


def _may_fit(pattern: Any, look: Any, is_0d: bool) -> bool:
    """Whether an operand may be what a pattern says; ``is_0d``: of the result."""
    if isinstance(pattern, Pattern):
        return (
            isinstance(look, Look)
            and look.ufunc is pattern.ufunc
            and (not look.operands or _may_fit_all(pattern, look.operands, is_0d))
        )
    if not isinstance(pattern, str) or pattern in LETTERS_FOR_NUMBERS:
        return bool(look == NUMBER)
    if pattern == "s":
        return isinstance(look, Look) and look.is_0d and not is_0d
    if pattern == "w":
        return isinstance(look, Look) and look.is_0d == is_0d
    return isinstance(look, Look)


def is_number(item: Any) -> bool:
    """Whether an argument is a real number that stands in the program; not a bool."""
    return isinstance(item, (int, float, np.floating, np.integer)) and not isinstance(
        item, bool
    )


def number_in(item: Any, dtype: np.dtype[Any]) -> Any:
    """A number as the Python number that it is where a result has some dtype.

    NumPy's arithmetic on two constants would be that of their own dtypes.

    >>> number_in(np.uint8(200), np.dtype(float)) * 2
    400.0
    """
    return item if type(item) in (int, float) else dtype.type(item).item()


class _Match:
    """A try to read a node as a pattern: what its letters stand for, so far."""

    def __init__(self, node: Node, rewriter: Rewriter) -> None:
        assert isinstance(node.out, Value)
        self.node = node
        self.out = node.out
        self.rewriter = rewriter
        self.letters: dict[str, Any] = {}
        self.inner: list[Value] = []

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
        if not isinstance(item, Value) or item.dtype.kind == "b":
            return False  # truth values have no signs
        if letter == "w":
            return item.shape == self.out.shape
        return letter != "s" or (item.shape == () and self.out.shape != ())

    def pays(self, term: Term) -> bool:
        """Whether less is computed with ``term``, and nothing in a lower precision."""
        uses = self.rewriter.uses
        return term.function is None or (
            all(uses[value] == 1 for value in self.inner)
            and all(value.dtype == self.out.dtype for value in _new_values(term))
        )

    def covers(self, term: Term) -> bool:
        """Whether no product on the way leaves the range where none did before.

        Of a power the square may be taken first: it is between the two.
        """
        if self.node.function not in (np.multiply, np.divide, np.negative):
            return True
        return magnitudes_at(self.node, self.rewriter).cover(term)


def magnitudes_at(node: Node, rewriter: Rewriter) -> Magnitudes:
    """The sizes of what is known where a node is computed."""
    magnitudes = Magnitudes(rewriter.maker, node.results[0].dtype, room_for(node))
    magnitudes.learn(node)
    return magnitudes


def _new_values(term: Term) -> list[Value]:
    """What a Term would compute."""
    if term.function is None:
        return []
    inner = [arg for arg in term.args if isinstance(arg, Term)]
    return [term.out, *(value for arg in inner for value in _new_values(arg))]


def is_moderate(number: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a product with a number stays in range, but for the largest and smallest.

    Multiplying by two such numbers at once, or in another order, differs beyond
    rounding for results within that factor of the smallest of their dtype only; that
    none leaves the range at its other end, ``Magnitudes`` shows.

    >>> is_moderate(96, np.dtype(np.float32)), is_moderate(1e9, np.dtype(np.float32))
    (True, False)
    """
    limit = _moderate(dtype)
    return bool(1.0 / limit <= abs(number) <= limit)


@functools.lru_cache(maxsize=16)
def _moderate(dtype: np.dtype[Any]) -> float:
    return math.pow(np.finfo(dtype).max, 0.125)
