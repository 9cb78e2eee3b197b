"""``FollowedInt``: a Python integer of the environment that changes from call to call.

Counters do: ``self.steps += 1``, ``rate / (1 + decay * self.steps)``. Such a number is
no part of what a trace assumes, as long as nothing in Python depends on it: arithmetic
with integers is written down, in a formula with floats it is an input of the graph. Who
looks at it (a branch, an index, a range) gets the number, under a condition.

>>> from srcgrad.tracing.environment.references import Argument
>>> n = FollowedInt(Argument("n", 0), 3, reads=None)
>>> (2 * (n + 1)).reference.text, (2 * (n + 1)).concrete
('2 * (n + 1)', 8)
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.operators import BINARY_OPERATORS, COMPARISONS
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.references import Formula, Reference
from srcgrad.tracing.environment.symbolic import (
    PYTHONS,
    PYTHONS_ORDER,
    Symbolic,
    concrete_of,
)

# So large, one that a loop counts on from is still as exact as a float.
LARGEST = 2**52

SEQUENCE_KINDS = frozenset({list, tuple})

SYMBOLS = {own.name: own.symbol for own in (*BINARY_OPERATORS, *COMPARISONS)}
# The operators that make an integer of integers.
INTEGRAL = frozenset("add sub mul floordiv mod".split())


class FollowedInt(Symbolic):
    """The integer at a place, where ``concrete`` was found; ``reads`` takes note."""

    __slots__ = ("_made", "reads", "reference")

    is_changing, loop_state = True, None

    def __init__(self, reference: Reference, concrete: int, reads: Any) -> None:
        super().__init__(concrete, None)
        self.reference = reference  # type: ignore[misc]
        self.reads = reads
        # What it comes to in a formula is one input, however often it is written.
        self._made: dict[str, FollowedInt] = {}

    def look(self) -> Any:
        """The number itself, for Python to depend on."""
        self.reads.pin(self.reference, self.concrete)
        return self.concrete

    def as_float(self) -> Any:
        """The number in the graph, as a float: an input."""
        if abs(self.concrete) > LARGEST:  # to NumPy it may not even be a number
            return self.look()
        if self._float is None:
            self.reads.require(conditions.is_within(self.reference, LARGEST))
            reference = Formula("float({})", self.reference)
            self._float = self.reads.taken(reference, float(self.concrete))
        return self._float

    def as_index(self) -> Any:
        """The number as an index of an array: one in the graph, too."""
        number, writer = self.as_float(), self.reads.recorder.writer
        if not isinstance(number, ArrayProtocol):
            return number
        return writer.write_index(int, (writer.value_of(number),), self.concrete)

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        function: Callable[[Any, Any], Any] = PYTHONS[name]
        if isinstance(other, Symbolic):
            if not isinstance(other, FollowedInt):
                return NotImplemented  # it knows what to do
            other = other.look()
        mine: Any = self
        if type(other) is int and name in INTEGRAL:
            pattern = f"{other!r} {SYMBOLS[name]} {{}}"
            if not is_reflected:
                pattern = f"{{}} {SYMBOLS[name]} {other!r}"
            pair = (other, self.concrete) if is_reflected else (self.concrete, other)
            return self.within(pattern, function(*pair))
        if (type(other) is int and name == "truediv") or is_float(other):
            mine = self.as_float()
        else:
            mine = self.look()
        return function(other, mine) if is_reflected else function(mine, other)

    def within(self, pattern: str, value: int) -> "FollowedInt":
        """The integer that a formula of this one gives."""
        if pattern not in self._made:
            reference = Formula(pattern, self.reference)
            self._made[pattern] = FollowedInt(reference, value, self.reads)
        return self._made[pattern]

    def _compare(self, name: str, other: Any) -> Any:
        """How it compares with a number, which is all that is noted of it then."""
        if isinstance(other, Symbolic) and not isinstance(other, FollowedInt):
            return NotImplemented  # it knows what to do
        is_equality = isinstance(other, FollowedInt) and name in ("eq", "ne")
        if is_equality and self.concrete == other.concrete:
            self.reads.require(conditions.are_equal(self.reference, other.reference))
            return name == "eq"
        if not (type(other) in (int, bool) or _is_finite(other)):
            return super()._compare(name, other)
        found: bool = PYTHONS_ORDER[name](self.concrete, other)
        self.reads.require(
            conditions.compares(self.reference, SYMBOLS[name], other, found)
        )
        return found

    def __bool__(self) -> bool:
        found: bool = self._compare("ne", 0)
        return found

    def __neg__(self) -> Any:
        return self.within("-{}", -self.concrete)


def beside_floats(item: Any) -> Any:
    """What NumPy makes an array of: an integer beside a float becomes a float there."""
    leaves = [*_leaves(item)]
    others = [raw_of(leaf) for leaf in leaves if type(leaf) is not FollowedInt]
    has_int = len(others) < len(leaves)
    return _as_floats(item) if has_int and any(map(_is_inexact, others)) else item


def _is_inexact(item: Any) -> bool:
    if isinstance(item, (float, complex)):
        return True
    return isinstance(item, (np.ndarray, np.inexact)) and item.dtype.kind in "fc"


def _leaves(item: Any) -> Iterator[Any]:
    if type(item) in SEQUENCE_KINDS:
        for each in item:
            yield from _leaves(each)
    else:
        yield item


def _as_floats(item: Any) -> Any:
    if type(item) in SEQUENCE_KINDS:
        return type(item)(map(_as_floats, item))
    return item.as_float() if type(item) is FollowedInt else item


def is_float(item: Any) -> bool:
    """Whether an integer is converted to a float where it meets this."""
    if isinstance(item, (ArrayProtocol, np.ndarray)):
        return item.dtype.kind in "fc"
    return isinstance(item, (float, complex, np.inexact))


def _is_finite(item: Any) -> bool:
    return type(item) is float and item - item == 0.0


def length_of_range(args: Sequence[Any]) -> FollowedInt | None:
    """How long ``range(*args)`` is, if that changes.

    >>> from srcgrad.tracing.environment.references import Argument
    >>> n = FollowedInt(Argument("n", 0), 3, reads=None)
    >>> length_of_range([2, n]).reference.text
    'len(range(2, n))'
    """
    changing = [arg for arg in args if type(arg) is FollowedInt]
    if len(changing) != 1 or any(type(a) not in (int, FollowedInt) for a in args):
        return None
    (number,) = changing
    if len(args) == 1:
        return number
    texts = ["{}" if arg is number else repr(arg) for arg in args]
    values = map(concrete_of, args)
    return number.within(f"len(range({', '.join(texts)}))", len(range(*values)))
