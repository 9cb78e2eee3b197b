"""``Selected``: what masks select in a run, of any count if Python has not seen it.

Two that have to be as long as each other are so at any call only if one mask selects
both; any other two are of the counts that they were, for the run may raise an error.

>>> import operator, numpy as np
>>> from srcgrad.steps import Node
>>> from srcgrad.transforms.loops.shape_rules import note
>>> x, mask = (Value((5,), np.dtype(kind)) for kind in ("f8", "bool"))
>>> part = Value((3,), np.dtype("f8"))
>>> steps = [Node(operator.getitem, (x, mask), out=part)]
>>> axes, selected = Axes(), Selected()
>>> note(axes, steps[0])
>>> selected.add(part)
>>> selected.close(axes, {axes.root((part, 0)): {3}}, steps, ())
>>> part in selected
True
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from srcgrad.selections import FEWEST, masks_of
from srcgrad.steps import Step, Value
from srcgrad.transforms.loops.equal_axes import FIXED_AXIS, Axes


class Selected:
    """The selections that may be of any count."""

    def __init__(self) -> None:
        self._values: dict[Value, None] = {}

    def __iter__(self) -> Iterator[Value]:
        return iter([*self._values])

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, value: object) -> bool:
        return value in self._values

    def add(self, value: Any) -> None:
        """Let a selection be of any count."""
        if type(value) is Value:
            self._values[value] = None

    def clear(self) -> None:
        """Let none be."""
        self._values.clear()

    def like(self, value: Value, axes: Axes) -> Value | None:
        """One that is as long as an array at any call, if there is one."""
        root, length = axes.root((value, 0)), value.shape[0]
        alike = (one for one in self if axes.root((one, 0)) == root)
        return next((one for one in alike if one.shape[0] == length), None)

    def close(
        self,
        axes: Axes,
        sizes: Mapping[Any, set[int]],
        steps: Iterable[Step],
        others: Iterable[Any],
    ) -> None:
        """Let go of what has to be as long as something that need not be that.

        ``others`` are of any length, too.
        """
        masks, by = masks_of(steps), dict[Any, set[Any]]()
        for value in (*others, *self):
            by.setdefault(axes.root((value, 0)), set()).add(masks.get(value, value))
        # What is as long, and stays so, is a coincidence, unless something else may be
        # one or the other: a way back makes arrays of shapes that are numbers.
        roots = {FIXED_AXIS, *by}
        loose = set[int]().union(*(sizes[root] for root in sizes.keys() - roots))
        fixed = loose & sizes.get(FIXED_AXIS, set())
        for value in self:
            root = axes.root((value, 0))
            own = sizes.get(root, set())  # none of what has been taken back
            is_strange = not own.isdisjoint(fixed)
            is_short = min(own, default=0) < FEWEST
            if axes.is_fixed(root) or is_strange or is_short or len(by[root]) > 1:
                axes.join(FIXED_AXIS, root)
                del self._values[value]
