"""``Rewinding``: the loops of a walk back, which are those of the run the other way.

Where a walk back comes to what an iteration has computed, an iteration of its own
begins; so loops can be rolled in what it writes down as they are in the run itself.
"""

from collections.abc import Sequence

from srcgrad.steps import Step, Value
from srcgrad.transforms.loops.interleaving import Turn, turns_at
from srcgrad.transforms.loops.regions import Region


class Rewinding:
    """One walk back; ``loops`` are those that have run before it.

    It adds its own to ``loops``, among ``steps``, to which the walk adds.
    """

    def __init__(self, steps: Sequence[Step], loops: list[Region]) -> None:
        self._steps, self._loops = steps, loops
        self._before = [*loops]
        self._place: dict[Value, int] = {}
        if loops:
            for place, step in enumerate(steps):
                self._place.update(dict.fromkeys(step.results, place))
        self._turns: list[Turn] = []
        self._open: list[Region] = []

    def comes_to(self, value: Value) -> None:
        """The walk goes on with what is behind a Value of the run."""
        place = self._place.get(value)
        if place is None:
            return
        turns = turns_at(self._before, place)
        same = 0
        for (old, number), (new, other) in zip(self._turns, turns, strict=False):
            if old is not new or number != other:
                break
            same += 1
        if same == len(turns) == len(self._turns):
            return
        now = len(self._steps)
        # Of the first loop that differs only the iteration may be another one.
        goes_on = same < min(len(turns), len(self._turns)) and (
            turns[same][0] is self._turns[same][0]
        )
        self._close(same + goes_on)
        if goes_on:
            self._open[same].starts.append(now)
            self._open[same].rewinds.append(_start_of(turns[same]))
        for turn in turns[same + goes_on :]:
            region = Region([now], rewinds=[_start_of(turn)])
            (self._open[-1].inner if self._open else self._loops).append(region)
            self._open.append(region)
        self._turns = turns

    def ends(self) -> None:
        """The walk is over."""
        self._close(0)

    def _close(self, first: int) -> None:
        for region in self._open[first:]:
            region.end = len(self._steps)
        del self._open[first:]


def _start_of(turn: Turn) -> int:
    region, number = turn
    return region.starts[number]
