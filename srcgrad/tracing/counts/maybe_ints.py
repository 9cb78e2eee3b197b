"""``ByArm``: an integer of one arm of an ``if``, of which the other gives a float.

``snow = 0`` in one arm, ``snow = 0.9 * rain`` in the other one. With floats it is a
float of the graph; who looks at the integer itself (an index, a text, a sum of
integers) has one arm. Where the float is there, what is done with it is looked at in
the graph (``transforms.maybe_ints``). So it is with a truth, of which the other arm
gives a ``np.bool_``.

>>> seen = []
>>> snow = ByArm(3, 3.0, lambda: seen.append("seen"))
>>> 0.5 * snow, snow < 4.0, seen
(1.5, True, [])
>>> 2 * snow, seen
(6, ['seen'])
"""

import operator
from collections.abc import Callable
from typing import Any

from srcgrad.protocols import ArrayProtocol, is_truth, meant, raw_of
from srcgrad.steps import Value
from srcgrad.tracing.counts.loop_indices import MOST
from srcgrad.tracing.environment.changing_ints import is_float
from srcgrad.tracing.environment.symbolic import (
    PYTHONS,
    PYTHONS_ORDER,
    Symbolic,
    as_seen,
    concrete_of,
    is_counted,
)
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
        if int_of(given) is None:
            return item
        return self._by_arm(value, item, given, tell, SEEN)

    def truth(self, value: Value, item: Any, given: Any, tell: Tell) -> Any:
        """The same for what is true or false, one time as Python says it."""
        return self._by_arm(value, item, given, tell, ASKED)

    def _by_arm(self, value: Value, item: Any, given: Any, tell: Tell, why: str) -> Any:
        def see() -> None:
            self.seen.add(value)
            tell(why)

        return ByArm(given, item, see)

    def give_up(self) -> None:
        """Somebody could tell from what is done with them that they are integers."""
        for tell in self.values.values():
            tell(TOLD)


class ByArm(Symbolic):
    """An integer or truth as the arm that ran has ``given`` it; a float in the graph.

    The other arm gives another type: a float, or a ``np.bool_``. ``see`` is told that
    Python depends on it: there is one arm then, and it is what that has given, which
    may be in the graph itself.
    """

    __slots__ = ("_given", "_see")

    def __init__(self, given: Any, as_float: Any, see: Callable[[], None]) -> None:
        super().__init__(meant(raw_of(concrete_of(given))), as_float)
        self._given, self._see = given, see

    @property
    def loop_state(self) -> Any:
        """An integer is told by which it is."""
        return super().loop_state if self.is_truth else None

    def given(self) -> Any:
        """What the arm that ran has given."""
        self._see()
        return given_of(self._given)

    def look(self) -> Any:
        """What it is, for Python to depend on: a ``np.bool_`` stays in the graph."""
        return as_seen(self.given())

    def as_index(self) -> Any:
        """The number as an index of an array; a truth is a mask."""
        given = self.look() if self.is_truth else self.given()
        return given.as_index() if isinstance(given, Symbolic) else given

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        is_blind = name in WITH_FLOATS and is_float(other)
        pair = self._blind(is_blind), given_of(other)
        return PYTHONS[name](*(pair[::-1] if is_reflected else pair))

    def _compare(self, name: str, other: Any) -> Any:
        is_blind = is_float(other) or (type(other) is int and abs(other) <= EXACT)
        return PYTHONS_ORDER[name](self._blind(is_blind), given_of(other))

    def _blind(self, is_blind: bool) -> Any:
        """The float, where it is the same for whatever the arm has given."""
        if self.is_truth:
            return self.look()
        return self._float if is_blind else self.given()

    def __neg__(self) -> Any:
        return -self.given()


def given_of(item: Any) -> Any:
    """What an arm has given, if it is that; all else as it is."""
    return item.given() if type(item) is ByArm else item


def int_of(item: Any) -> int | None:
    """The integer that an arm gives, if it does, and that a float can be."""
    is_int = type(item) is ByArm and not item.is_truth
    number = item.concrete if is_int or _is_count(item) else item
    is_small = type(number) is int and abs(number) <= EXACT
    return number if is_small else None


def as_float(item: Any) -> Any:
    """What an arm gives, with a float for such an integer."""
    if isinstance(item, Symbolic) and not item.is_changing:
        return item.as_float()
    return item if int_of(item) is None and type(item) is not bool else float(item)


def are_maybe_ints(item: Any, other: Any) -> bool:
    """Whether one of two may be such an integer, and the other one may be a float."""
    pair = item, other
    are_whole = [int_of(each) is not None for each in pair]
    if not any(are_whole) or all(
        type(each) is int or is_counted(each) for each in pair
    ):
        return False
    are_floats = [isinstance(each, (float, ArrayProtocol)) for each in pair]
    return all(map(operator.or_, are_whole, are_floats))


def are_ints(item: Any, other: Any) -> bool:
    """Whether both are integers that may go on in the graph: ``accepted += 1``."""
    return all(
        _is_count(each) or (type(each) is int and abs(each) < MOST)
        for each in (item, other)
    )


def are_truths(item: Any, other: Any) -> bool:
    """Whether both are true or false, and one as Python says it, or may be."""
    pair = item, other
    is_pythons = [_is_flag(each) for each in pair]
    numpys = [each for each, is_one in zip(pair, is_pythons, strict=True) if not is_one]
    return any(is_pythons) and all(map(is_truth, numpys))


def _is_flag(item: Any) -> bool:
    return type(item) is bool or (isinstance(item, Symbolic) and item.is_truth)


def _is_count(item: Any) -> bool:
    return is_counted(item) and not item.is_product
