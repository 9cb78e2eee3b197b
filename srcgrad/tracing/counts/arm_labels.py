"""``ArmLabel``: a string or a member of an Enum, as an arm of an ``if`` gives it.

``state = "heating"`` in one arm, ``state = "off"`` in the other one: a later ``if state
== "off"`` is an ``if`` of the graph, in which each label is a number. Who looks at the
label itself (a dictionary, a text) gets it, under a guard.

>>> from srcgrad.modes import override
>>> from srcgrad.tracing.counts.loop_counts import started
>>> from srcgrad.tracing.graphs.recorder import Recorder
>>> recorder, labels = Recorder(), Labels()
>>> with override(recorder=recorder):
...     number = started(recorder, "state", labels.code("off"))
...     state = ArmLabel("off", number.as_float(), labels)
...     bool(state.equals("off")), state == "on", state.upper(), len(state)
(True, False, 'OFF', 3)
"""

import enum
from collections.abc import Callable
from typing import Any

from srcgrad.tracing.environment.changing_ints import (
    PYTHONS,
    PYTHONS_ORDER,
    FollowedInt,
)
from srcgrad.tracing.environment.references import Known, Reference


class Labels:
    """The labels of one run, by number."""

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}

    def code(self, label: Any) -> int:
        """What stands for a label in the graph."""
        return self._codes.setdefault((type(label), label), len(self._codes))

    def as_float(self, item: Any) -> Any:
        """The same as a float, of the graph if the label depends on an arm."""
        if type(item) is ArmLabel:
            return item.as_float()
        return float(self.code(item))


class ArmLabel(FollowedInt):
    """The label ``value``, which is its number among ``labels`` in the graph."""

    __slots__ = ("_labels",)

    def __init__(self, value: Any, as_float: Any, labels: Labels) -> None:
        self.value, self._float, self._labels = value, as_float, labels

    @property
    def reference(self) -> Reference:  # type: ignore[override]
        """For who finds it again at each call: where it is seen, it is a constant."""
        return Known(repr(self.seen()), self.value)

    def seen(self) -> Any:
        """The label itself, for Python to depend on."""
        self._float._taken_out(int, self._labels.code(self.value))
        return self.value

    def as_float(self) -> Any:
        """Its number, in the graph."""
        return self._float

    def as_index(self) -> Any:
        """No array has it for an index: NumPy says so."""
        return self.seen()

    def equals(self, other: Any) -> Any:
        """Whether it is another label, as a test of the graph."""
        return self._float == self._labels.as_float(other)

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        pair = self.seen(), other.seen() if isinstance(other, FollowedInt) else other
        return PYTHONS[name](*(pair[::-1] if is_reflected else pair))

    def _compare(self, name: str, other: Any) -> Any:
        if name in ("eq", "ne") and is_label(other):
            return bool(self.equals(other)) == (name == "eq")
        other = other.seen() if isinstance(other, FollowedInt) else other
        return PYTHONS_ORDER[name](self.seen(), other)

    def __bool__(self) -> bool:
        return bool(self.seen())

    def __neg__(self) -> Any:
        return -self.seen()

    def __pos__(self) -> Any:
        return +self.seen()

    __hash__ = FollowedInt.__hash__


def is_label(item: Any) -> bool:
    """Whether something is a label, and equal to no other one."""
    kind = type(item)
    if kind is str or kind is ArmLabel:
        return True
    compares = any("__eq__" in vars(base) for base in kind.__mro__[:-1])
    return isinstance(item, enum.Enum) and not compares


def are_labels(item: Any, other: Any) -> bool:
    """Whether both are labels, and of one type."""
    kinds = {
        type(each.value if type(each) is ArmLabel else each) for each in (item, other)
    }
    return len(kinds) == 1 and is_label(item) and is_label(other)


def _install() -> None:
    def looking(name: str) -> Callable[..., Any]:
        return lambda self, *args: getattr(self.seen(), name)(*args)

    for name in ("len", "getitem", "contains", "iter"):
        setattr(ArmLabel, f"__{name}__", looking(f"__{name}__"))


_install()
