"""``Patience``: when calls of a traced function are left to the tape.

Since a trace costs more than many calls, since none was of use, since the function does
what cannot be traced, or since the compiler itself has failed.
"""

import weakref
from collections.abc import Callable, Hashable

from srcgrad.config import config
from srcgrad.errors import CompilerError, told, warn
from srcgrad.tracing.budget import Budget
from srcgrad.tracing.cache import Entry
from srcgrad.tracing.reports import arguments_of
from srcgrad.tracing.signature import Signature

# So many traces or misses in a row, and none was used again: it is left alone.
MAX_STREAK = 16

# So many traces are made, of the function and of each transform of it, and misses are
# looked into, before it is asked what for.
FREE_TRACES, FREE_MISSES = 3, 16


class Patience:
    """What is known of the use of one function's traces.

    ``gave_up`` and ``unkeyed`` say why all, or some, of its calls stay on the tape;
    ``streak`` counts the traces made since any was of use. ``is_asked_for``: the user
    has decorated the function, and wants to know what is in vain.
    """

    def __init__(self, name: str, is_asked_for: bool = True) -> None:
        self.gave_up: str | None = None
        self.unkeyed: str | None = None
        # For traces, and for looks at traces that do not fit after all.
        self.tracing = Budget(0)
        self.looking = Budget(FREE_MISSES, earned=self.tracing.earned)
        self.streak = 0
        self._forms: set[Hashable] = set()
        self._name = name
        self._is_asked_for = is_asked_for
        self._has_failed = False

    def meet(self, form: Hashable) -> None:
        """Note what of the function is called: a transform by its form, or None."""
        if form not in self._forms:
            self._forms.add(form)
            self.tracing.grant(FREE_TRACES)

    def earn(self, start: float) -> None:
        """Note that a call has run on the tape since ``start``."""
        self.tracing.earn(self.tracing.now() - start)

    def may_add(self, entry: Entry, most: int, signature: Signature) -> bool:
        """Note a further recording; whether it shall become a trace."""
        entry.streak += 1
        self.streak += 1
        if entry.streak > MAX_STREAK:
            self._end(entry)
        elif self.streak > max(most, MAX_STREAK):
            self.gave_up = (
                f"{self.streak} traces in a row were made, and none was of use twice; "
                f"the last for {arguments_of(signature)}"
            )
            self._warn(self.gave_up)
        else:
            return True
        return False

    def miss(self, entry: Entry) -> None:
        """Note a call that fits no trace, while there are to be no more of them."""
        # Traces that were of use may be so again, or others when there is time.
        entry.streak += bool(entry.traces) and (entry.meets or not entry.used)
        if entry.streak > MAX_STREAK:
            self._end(entry)

    def refuse(self, entry: Entry, reason: str) -> None:
        """Leave a signature to the tape; if it has traces, once they are of no use."""
        entry.streak += 1
        if entry.traces and entry.streak <= MAX_STREAK:
            entry.last_miss = reason
        else:
            entry.refusal = reason

    def leave(self, error: Exception) -> None:
        """Note that an argument's own code raises an error where it is to be a key."""
        self.unkeyed = f"an argument cannot be part of the cache's key: {told(error)}"

    def fail(self, entry: Entry, error: Exception) -> None:
        """Leave a signature to the tape, since the compiler has failed.

        One warning asks for a report.

        Raises
        ------
        Exception
            Under test (``SRCGRAD_DEBUG=1``): the failure itself.
        """
        if config.debug:
            raise error
        cause = "" if error.__cause__ is None else f", by {told(error.__cause__)}"
        entry.keep([])
        entry.refusal = f"srcgrad itself failed: {told(error)}{cause}"
        if not self._has_failed:
            self._has_failed = True
            warn(
                f"{self._name} stays on the tape for these arguments, where its "
                f"results are right: {entry.refusal}. Please report this, with the "
                "function"
            )

    def reporter(self, entry: Entry) -> Callable[[Exception], None]:
        """``fail`` for the traces of a signature, which they do not keep alive."""
        signature = weakref.ref(entry)

        def report(error: Exception) -> None:
            self.fail(signature() or Entry(), error)

        return report

    def draw_conclusion(self, entry: Entry, found: CompilerError | str | None) -> None:
        """Note why a call could not be recorded; None: there is nothing to note."""
        if isinstance(found, CompilerError):
            self.fail(entry, found)
        elif found is not None:
            self.refuse(entry, found)

    def _end(self, entry: Entry) -> None:
        entry.refusal = f"no trace was of use twice; the last miss: {entry.last_miss}"
        self._warn(entry.refusal)

    def _warn(self, reason: str) -> None:
        if self._is_asked_for:
            warn(f"{self._name} stays on the tape from now on: {reason}")
