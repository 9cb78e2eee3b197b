"""``Budget``: how much of a function's time may go into what may turn out useless.

To trace a call takes as long as a hundred calls on the tape, and pays only if the trace
is used. So the time for it has to be earned: a fixed share of what all calls so far
would have taken on the tape, and more of those that were compiled.

>>> budget = Budget(free=1, clock=iter([0.0, 1.0]).__next__)
>>> start = budget.now()
>>> budget.spend(start)  # one second
>>> budget.allows(calls=10)
False
>>> budget.earn(0.5)  # a call on the tape takes half a second
>>> budget.allows(calls=20), budget.allows(calls=80)
(False, True)
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

# Of the time on the tape. With what a call costs on its way there, it is less than 0.3.
SHARE = 0.03

# The same of a call that a trace was of use for, which has saved more than that.
SAVED = 0.4


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
        self._spent = 0.0

    def allows(self, calls: int, hits: int = 0) -> bool:
        """Whether more may be spent, after so many calls, ``hits`` of them compiled."""
        if self._free > 0:
            return True
        # As if all calls had taken what those on the tape took.
        share, earned = SHARE * calls + SAVED * hits, self.earned
        return self._spent * (earned.runs or 1) <= share * earned.seconds

    def grant(self, times: int) -> None:
        """Let something be spent so many times more before anything is earned."""
        self._free = max(self._free, 0) + times

    def spend(self, start: float) -> None:
        """Count the time since ``start`` as spent."""
        self._free -= 1
        self._spent += self.now() - start

    def earn(self, seconds: float) -> None:
        """Count the time that a call has taken on the tape."""
        earned = self.earned
        earned.runs += 1
        earned.seconds += seconds
