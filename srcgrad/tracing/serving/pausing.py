"""``Pause``: a back-off; for some calls no trace is looked up.

A look takes as long as a few operations on the tape, which is much for a function of a
few operations. Where looks are in vain again and again, they have to be earned, too
(``back_off``), and the calls between them go by the tape at once.
"""

from collections.abc import Callable
from typing import Any

from srcgrad.tracing.serving.cache import Stats
from srcgrad.tracing.serving.called import MISS


class Pause:
    """Stands in the place of the last call's entry, for some calls.

    ``run`` takes a call's arguments by position and by name, and gives its result on
    the tape; ``counted`` are the counters of the function.
    """

    __slots__ = ("_counted", "_left", "_run", "stats", "used")

    def __init__(
        self, calls: int, run: Callable[[Any, Any], Any], counted: Stats | None
    ) -> None:
        self._left = calls
        self._run = run
        self._counted = counted
        # No call of these is a compiled one: nobody asks for what is counted here.
        self.stats, self.used = Stats(), 0

    def take(self, *_: Any) -> None:
        """No call is taken for one that a trace has served."""

    def direct(self, args: Any, kwargs: Any, bound: Any) -> Any:
        """The result of a call, or ``MISS`` when it is time for a look."""
        if self._left <= 0:
            return MISS
        self._left -= 1
        if self._counted is not None:
            self._counted.tape += 1
        return self._run(bound + args if bound else args, kwargs)
