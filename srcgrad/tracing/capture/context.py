"""``Context``: what the parts of one recorded run share."""

from collections.abc import Callable
from typing import Any

from srcgrad.tracing.capture.captured_reads import CapturedReads


class Context:
    """The notes of a run, its recorder, and what any part may have to do.

    A part that calls, or looks something up, does so as the user's code would: by
    ``call``, ``attribute`` and ``item``, which are set when all parts are there.
    """

    call: Callable[..., Any]
    attribute: Callable[[Any, str], Any]
    item: Callable[[Any, Any], Any]

    # When a run is over: makes these known again, for copies that checkpoints hold.
    reopen: Callable[[], Callable[[], None] | None] | None = None

    def __init__(self, reads: CapturedReads) -> None:
        self.reads, self.recorder = reads, reads.recorder

    def __getattr__(self, name: str) -> Any:
        open_again = self.reopen and self.reopen()
        if name not in ("call", "attribute", "item") or open_again is None:
            raise AttributeError(name)
        open_again()
        return getattr(self, name)

    def changes(self, item: Any = None) -> None:
        """What a loop does may be another thing in the next iteration.

        In an arm of an ``if`` that is more than to compute. ``item``: an object of the
        function's own is what changes.
        """
        self._spoil_arm()
        self.recorder.writer.note_change(item)

    def fills_list(self) -> None:
        """A list has got an item."""
        self._spoil_arm()
        self.recorder.writer.note_item()

    def _spoil_arm(self) -> None:
        arm = self.reads.branching.arm
        if arm is not None:
            arm.spoil("changes more than a name: do that after the `if`")
