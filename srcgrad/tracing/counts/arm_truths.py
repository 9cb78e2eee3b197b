"""``ArmTruth``: ``True`` or ``False``, as an arm of an ``if`` gives it.

``done = True`` in one arm: a later ``if not done`` is an ``if`` of the graph. In the
graph it is a float, as integers are; who looks at it otherwise gets it, under a guard.

>>> from srcgrad.modes import override
>>> from srcgrad.tracing.counts.loop_counts import started
>>> from srcgrad.tracing.graphs.recorder import Recorder
>>> recorder = Recorder()
>>> with override(recorder=recorder):
...     number = started(recorder, "done", 1)
...     done = ArmTruth(True, number.as_float())
...     str(done), done & True, done is True
('True', True, False)
"""

from collections.abc import Callable
from typing import Any

from srcgrad.protocols import ArrayProtocol, meant, raw_of
from srcgrad.tracing.environment.changing_ints import (
    PYTHONS,
    PYTHONS_ORDER,
    FollowedInt,
)
from srcgrad.tracing.environment.references import Known, Reference


class ArmTruth(FollowedInt):
    """The truth ``value``, which is 0.0 or 1.0 in the graph."""

    __slots__ = ()

    def __init__(self, value: bool, as_float: Any) -> None:
        self.value, self._float = value, as_float

    @property
    def reference(self) -> Reference:  # type: ignore[override]
        """For who finds it again at each call: where it is seen, it is a constant."""
        return Known(repr(bool(self.seen())), self.value)

    def seen(self) -> bool:
        """What it is, for Python to depend on."""
        self._float._taken_out(int, int(self.value))
        return bool(self.value)

    def as_float(self) -> Any:
        """0.0 or 1.0, in the graph."""
        return self._float

    def as_index(self) -> Any:
        """As an index it is a mask."""
        return self.seen()

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        pair = self.seen(), other.seen() if isinstance(other, FollowedInt) else other
        return PYTHONS[name](*(pair[::-1] if is_reflected else pair))

    def _compare(self, name: str, other: Any) -> Any:
        other = other.seen() if isinstance(other, FollowedInt) else other
        return PYTHONS_ORDER[name](self.seen(), other)

    def __bool__(self) -> bool:
        return bool(self._float != 0.0)

    def __neg__(self) -> Any:
        return -self.seen()

    def __pos__(self) -> Any:
        return +self.seen()

    __hash__ = FollowedInt.__hash__


class MaybeTruth(ArmTruth):
    """The same where an arm gives a ``np.bool_``; the one that ran has ``given`` it.

    ``see`` is told that Python depends on what it is, and not only on whether it holds:
    there is one arm then, and it is what that has given, which may be in the graph.
    """

    __slots__ = ("_given", "_see")

    def __init__(self, given: Any, as_float: Any, see: Callable[[], None]) -> None:
        self.value = meant(raw_of(getattr(given, "value", given)))
        self._given, self._float, self._see = given, as_float, see

    def seen(self) -> Any:
        """What it is, for Python to depend on: a ``np.bool_`` stays in the graph."""
        self._see()
        given = self._given
        return given.seen() if isinstance(given, FollowedInt) else given


def are_truths(item: Any, other: Any) -> bool:
    """Whether both of two things are true or false, as Python says it."""
    return all(type(each) in (bool, ArmTruth) for each in (item, other))


def are_maybe_truths(item: Any, other: Any) -> bool:
    """Whether both are so, and one as Python says it, or may be."""
    pair = item, other
    is_pythons = [type(each) in (bool, ArmTruth, MaybeTruth) for each in pair]
    numpys = [each for each, is_one in zip(pair, is_pythons, strict=True) if not is_one]
    return any(is_pythons) and all(map(is_truth, numpys))


def is_truth(item: Any) -> bool:
    """Whether something followed is a ``np.bool_``."""
    is_followed = isinstance(item, ArrayProtocol)
    return is_followed and item.dtype == bool and item.shape == ()
