"""``MaybeInt``: an integer of one arm of an ``if``, of which the other gives a float.

``snow = 0`` in one arm, ``snow = 0.9 * rain`` in the other one. With floats it is a
float of the graph; who looks at the integer itself (an index, a text, a sum of
integers) has one arm. Where the float is there, what is done with it is looked at in
the graph (``transforms.maybe_ints``).

>>> seen = []
>>> snow = MaybeInt(3, 3.0, lambda: seen.append("seen"))
>>> 0.5 * snow, snow < 4.0, seen
(1.5, True, [])
>>> 2 * snow, seen
(6, ['seen'])
"""

import operator
from collections.abc import Callable
from typing import Any

from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Value
from srcgrad.tracing.counts.arm_labels import ArmLabel
from srcgrad.tracing.counts.arm_truths import ArmTruth, MaybeTruth
from srcgrad.tracing.counts.loop_counts import LoopCount
from srcgrad.tracing.counts.loop_indices import MOST
from srcgrad.tracing.environment.changing_ints import (
    PYTHONS,
    PYTHONS_ORDER,
    FollowedInt,
    is_float,
)
from srcgrad.tracing.environment.references import Known, Reference
from srcgrad.unboxing import EXACT

Tell = Callable[[str], None]
INSTEAD = "; write the int as a float"
SEEN = "gives an int or a float, by arm, and the int itself is asked for" + INSTEAD
ASKED = "gives True or np.True_, by arm, and more than its truth is asked for"
TOLD = "gives an int or a float, by arm, which what comes after can tell" + INSTEAD

# What with a float is the same for an integer.
WITH_FLOATS = ("add", "sub", "mul", "truediv")


class MaybeInts:
    """The ``values`` that are integers if another arm runs; those ``seen`` by Python.

    ``wholes`` are the inputs that stand for integers.
    """

    def __init__(self) -> None:
        self.values: dict[Value, Tell] = {}
        self.seen: set[Value] = set()
        self.wholes: set[Value] = set()

    def noted(self, value: Value, item: Any, given: Any, tell: Tell) -> Any:
        """What stands for what two arms give, of which the one that ran is ``given``.

        ``tell`` is told why there is one of them, if that comes out.
        """
        self.values[value] = tell

        def see() -> None:
            self.seen.add(value)
            tell(SEEN)

        return item if int_of(given) is None else MaybeInt(given, item, see)

    def truth(self, value: Value, item: Any, given: Any, tell: Tell) -> Any:
        """The same for what is true or false, one time as Python says it."""

        def see() -> None:
            self.seen.add(value)
            tell(ASKED)

        return MaybeTruth(given, item, see)

    def give_up(self) -> None:
        """Somebody could tell from what is done with them that they are integers."""
        for tell in self.values.values():
            tell(TOLD)


class MaybeInt(FollowedInt):
    """An integer as the arm that ran has ``given`` it, which is a float in the graph.

    ``see`` is told that Python depends on it: there is one arm then, and it is what
    that has given, which may be in the graph itself.
    """

    __slots__ = ("_given", "_see")

    def __init__(self, given: Any, as_float: Any, see: Callable[[], None]) -> None:
        self.value = given if type(given) is int else given.value
        self._given, self._float, self._see = given, as_float, see

    @property
    def reference(self) -> Reference:  # type: ignore[override]
        """For who finds it again at each call: where it is seen, it is a constant."""
        return Known(repr(self.seen()), self.value)

    def given(self) -> Any:
        """What the arm that ran has given."""
        self._see()
        return self._given.given() if type(self._given) is MaybeInt else self._given

    def seen(self) -> int:
        """The number itself, for Python to depend on."""
        given = self.given()
        return given if type(given) is int else int(given.seen())

    def as_float(self) -> Any:
        """The number in the graph, as a float."""
        return self._float

    def as_index(self) -> Any:
        """The number as an index of an array."""
        given = self.given()
        return given if type(given) is int else given.as_index()

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        is_blind = name in WITH_FLOATS and is_float(other)
        mine: Any = self._float if is_blind else self.given()
        if type(other) is MaybeInt:
            other = other.given()
        return PYTHONS[name](*((other, mine) if is_reflected else (mine, other)))

    def _compare(self, name: str, other: Any) -> Any:
        is_blind = is_float(other) or (type(other) is int and abs(other) <= EXACT)
        mine: Any = self._float if is_blind else self.given()
        if type(other) is MaybeInt:
            other = other.given()
        return PYTHONS_ORDER[name](mine, other)

    def __bool__(self) -> bool:
        return bool(self._float != 0.0)

    def __neg__(self) -> Any:
        return -self.given()

    __hash__ = FollowedInt.__hash__


def int_of(item: Any) -> int | None:
    """The integer that an arm gives, if it does, and that a float can be."""
    is_one = type(item) is MaybeInt or type(item) is int or _is_count(item)
    number: Any = getattr(item, "value", item) if is_one else None
    return number if is_one and abs(number) <= EXACT else None


def as_float(item: Any) -> Any:
    """What an arm gives, with a float for such an integer."""
    if isinstance(item, (MaybeInt, LoopCount, ArmTruth, ArmLabel)):
        return item.as_float()
    return item if int_of(item) is None and type(item) is not bool else float(item)


def are_maybe_ints(item: Any, other: Any) -> bool:
    """Whether one of two may be such an integer, and the other one may be a float."""
    pair = item, other
    are_whole = [int_of(each) is not None for each in pair]
    if not any(are_whole) or all(type(each) in (int, LoopCount) for each in pair):
        return False
    are_floats = [isinstance(each, (float, ArrayProtocol)) for each in pair]
    return all(map(operator.or_, are_whole, are_floats))


def are_ints(item: Any, other: Any) -> bool:
    """Whether both are integers that may go on in the graph: ``accepted += 1``."""
    return all(
        _is_count(each) or (type(each) is int and abs(each) < MOST)
        for each in (item, other)
    )


def _is_count(item: Any) -> bool:
    return type(item) is LoopCount and not item.is_product
