"""``Budget``: how much of a function's time may go into what may turn out useless.

To trace a call takes as long as a hundred calls on the tape, and pays only if the trace
is used; to look for a trace that fits takes as long as a few operations. So the time
for it has to be earned: a fixed share of what all calls so far would have taken on the
tape, and more of those that were compiled.

>>> budget = Budget(free=1, clock=iter([0.0, 1.0]).__next__)
>>> start = budget.now()
>>> budget.spend(start)  # one second
>>> budget.allows(calls=10)
False
>>> budget.earn(0.5)  # a call on the tape takes half a second
>>> budget.allows(calls=20), budget.allows(calls=120)
(False, True)
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from srcgrad.policy import MOST_ODD, REPAID, SAVED, SHARE


@dataclass(slots=True)
class Earned:
    """The time of so many calls on the tape; several budgets may share it."""

    seconds: float = 0.0
    runs: int = 0


class Budget:
    """The time that was spent, and how long a call takes on the tape.

    Parameters
    ----------
    free : int
        How many times something may be spent before anything was earned.
    clock : callable, optional
        Gives seconds.
    earned : Earned, optional
        That of another budget.
    """

    # Of all budgets; tests put another in its place.
    clock: Callable[[], float] = staticmethod(time.perf_counter)

    def __init__(
        self,
        free: int,
        clock: Callable[[], float] | None = None,
        earned: Earned | None = None,
    ) -> None:
        self.now = clock or self.clock
        self.earned = Earned() if earned is None else earned
        self._free = free
        self._spent = self._last = 0.0
        self._times = 0

    def allows(self, calls: int, hits: int = 0) -> bool:
        """Whether more may be spent, after so many calls, ``hits`` of them compiled."""
        return self._free > 0 or self._lacks(calls, hits) <= 0.0

    def wait(self, calls: int, hits: int, most: int) -> int:
        """After how many more calls something may be spent; ``most`` at the most."""
        if self.allows(calls, hits):
            return 0
        a_call = SHARE * self.earned.seconds
        lacking = self._lacks(calls, hits)
        return math.ceil(lacking / a_call) if lacking < most * a_call else most

    def is_earned_by(self, calls: int) -> bool:
        """Whether so many calls alone have earned what is spent once, on average."""
        earned = self.earned
        return self.once() * (earned.runs or 1) <= REPAID * calls * earned.seconds

    def once(self) -> float:
        """What is spent once, on average."""
        return self._spent / (self._times or 1)

    def _lacks(self, calls: int, hits: int) -> float:
        """What was spent above what was earned, times the runs on the tape."""
        # As if all calls had taken what those on the tape took.
        share, earned = SHARE * calls + SAVED * hits, self.earned
        return self._spent * (earned.runs or 1) - share * earned.seconds

    def grant(self, times: int) -> None:
        """Let something be spent so many times more before anything is earned."""
        self._free = max(self._free, 0) + times

    def spend(self, start: float) -> None:
        """Count the time since ``start`` as spent."""
        self._free -= 1
        self._times += 1
        self._last = self.now() - start
        self._spent += self._last

    def refund(self) -> None:
        """Take back what was spent last: it does not count."""
        self._free += 1
        self._times -= 1
        self._spent -= self._last
        self._last = 0.0

    def earn(self, seconds: float) -> None:
        """Count the time that a call has taken on the tape."""
        earned = self.earned
        if earned.runs:
            seconds = min(seconds, MOST_ODD * earned.seconds / earned.runs)
        earned.runs += 1
        earned.seconds += seconds
