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
...     state == "off", state == "on", state.upper(), len(state)
(True, False, 'OFF', 3)
"""

import enum
import operator
from typing import Any

from srcgrad.tracing.environment.symbolic import (
    PYTHONS_ORDER,
    Symbolic,
    concrete_of,
    looking,
)


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


class ArmLabel(Symbolic):
    """The label ``concrete``, which is its number among ``labels`` in the graph."""

    __slots__ = ("_labels",)

    def __init__(self, label: Any, as_float: Any, labels: Labels) -> None:
        super().__init__(label, as_float)
        self._labels = labels

    def _compare(self, name: str, other: Any) -> Any:
        if name in ("eq", "ne") and is_label(other):
            return bool(PYTHONS_ORDER[name](self._float, self._labels.as_float(other)))
        return super()._compare(name, other)

    def __bool__(self) -> bool:
        return bool(self.look())

    # A text has items, and no sign.
    __pos__ = looking(operator.pos)
    __len__, __iter__ = looking(len), looking(iter)
    __getitem__, __contains__ = looking(operator.getitem), looking(operator.contains)


def is_label(item: Any) -> bool:
    """Whether something is a label, and equal to no other one."""
    kind = type(item)
    if kind is str or kind is ArmLabel:
        return True
    compares = any("__eq__" in vars(base) for base in kind.__mro__[:-1])
    return isinstance(item, enum.Enum) and not compares


def are_labels(item: Any, other: Any) -> bool:
    """Whether both are labels, and of one type."""
    pair = item, other
    is_one_type = len({type(concrete_of(each)) for each in pair}) == 1
    return is_one_type and all(map(is_label, pair))
