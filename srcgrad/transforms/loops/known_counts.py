"""Loops of known counts, as such that count down: the same loop, if counts differ.

    for i in range(40):
        for j in range(i + 1, 40):
            s = s + x[i] * x[j]

Each of the inner loops has a count of its own. With that as a number, ``left``, they do
the same: ``while left > 0: ...; left = left - 1``. Nothing is said of other counts.
"""

import bisect
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.loops.endings import LoopHeads
from srcgrad.transforms.loops.regions import Region

F8 = np.dtype(float)

# How many iterations stay before such a loop, and behind it: those are another way.
TRIMS = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """One run of the loop: its steps, where its iterations are, what is read later.

    ``is_known``: its count is, so nothing is to be proven.
    """

    steps: list[Step]
    region: Region
    later: set[Value]
    is_known: bool = False

    @property
    def count(self) -> int:
        """How many iterations it had, but for a last one that is only a test."""
        return len(self.region.starts) - 1


def counted_down(
    instances: Sequence[Instance], raws: MutableMapping[Value, Any]
) -> Iterator[list[Instance | None]]:
    """Ways in which some runs of known counts may count down, best first.

    Those that are too short for one are None. To ``raws`` is added what the Values
    stood for.
    """
    for first, last in TRIMS:
        yield [_counted_down(each, raws, first, last) for each in instances]


def _counted_down(
    instance: Instance, raws: MutableMapping[Value, Any], first: int, last: int
) -> Instance | None:
    region = instance.region
    # Behind the last one may come a look whether there is one more.
    is_over = region.starts[-1] == region.end
    count = len(region.starts) - is_over - first - last
    if count < 1:
        return None
    bounds = [*region.starts, region.end][first : first + count + 1]
    where = instance.steps[bounds[0]].where if bounds[0] < bounds[-1] else None
    left = Value((), F8, None, "float", "left")
    steps = [*instance.steps[: bounds[0]]]
    steps.append(Node(float, (count,), out=left, where=where))
    raws[left] = float(count)
    starts = []
    for start, end in zip(bounds, [*bounds[1:], None], strict=True):
        starts.append(len(steps))
        test = Value((), np.dtype(bool), kind="scalar")
        steps.append(Node(np.greater, (left, 0.0), out=test, where=where))
        steps.append(Guard(test, bool, end is not None))
        raws[test] = np.bool_(end is not None)
        steps += instance.steps[start:end]
        if end is not None:
            less = replace(left)
            raws[less] = raws[left] - 1.0
            steps.append(Node(np.subtract, (left, 1.0), out=less, where=where))
            left = less

    def to(place: int) -> int:
        number = bisect.bisect_right(bounds, place)
        return place + 3 * number

    heads: list[dict[Any, Any]] = [{} for _ in starts]
    moved = Region(
        starts,
        to(region.end),
        [each.moved(to) for each in region.inner],
        region.name,
        LoopHeads(frozenset(), None, heads, counts_down=True, are_numbered=True),
    )
    return Instance(steps, moved, instance.later, is_known=True)
