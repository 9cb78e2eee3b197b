"""``Rent``: how long compiling may take that nobody has asked for (ski rental).

The tape is rent, and a compilation a purchase of unknown price: it may go on for as
long as the tape has cost a share of that anyway. So no session, however short, takes
much longer than the tape alone; and who calls often enough gets compiled code.

>>> ticks = iter([0.0, 1.0]).__next__
>>> rent = Rent(clock=ticks)
>>> rent.ran(since=rent.now())  # a call on the tape
>>> rent.allowed(calls=1)
1.1
>>> rent.pay(1.1, in_vain=True)  # it was not enough
>>> rent.is_due(calls=5), rent.is_due(calls=10)
(False, True)
"""

from collections.abc import Callable

from srcgrad.deadline import Deadline
from srcgrad.policy import LONGER, UNASKED_SECONDS, UNASKED_SHARE


class Rent:
    """What the compilations of one function have taken, and what the tape takes."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self.now = clock or Deadline.clock
        self._seconds, self._runs = 0.0, 0
        self._paid = self._in_vain = 0.0

    def ran(self, since: float) -> None:
        """Note that a call has run on the tape."""
        self._seconds += self.now() - since
        self._runs += 1

    def allowed(self, calls: int) -> float:
        """Seconds that a compilation may take, after so many calls of all kinds."""
        on_tape = calls * self._seconds / (self._runs or 1)
        return UNASKED_SECONDS + UNASKED_SHARE * on_tape - self._paid

    def is_due(self, calls: int) -> bool:
        """Whether it may take longer than what was in vain, and anything at all."""
        allowed = self.allowed(calls)
        return allowed > 0.0 and allowed >= LONGER * self._in_vain

    def pay(self, seconds: float, in_vain: bool = False) -> None:
        """Count what a compilation has taken, which may have come to no end."""
        self._paid += seconds
        if in_vain:
            self._in_vain = seconds
