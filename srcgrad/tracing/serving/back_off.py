"""``BackOff``: the compile policy's state; when calls are left to the tape.

Since a trace costs more than many calls, since none was of use, since the function does
what cannot be traced, or since the compiler itself has failed.
"""

import weakref
from collections.abc import Callable, Hashable
from typing import Any

from srcgrad.config import config
from srcgrad.errors import CompilerError, told, warn
from srcgrad.policy import (
    FEW_OTHERS,
    FREE_MISSES,
    FURTHER_TRACES,
    LONGEST_PAUSE,
    MAX_STREAK,
    MOST_WAITING,
    PARDONS,
    SELDOM,
)
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.serving.budget import Budget
from srcgrad.tracing.serving.cache import Entry, Stats
from srcgrad.tracing.serving.rent import Rent
from srcgrad.tracing.serving.reports import arguments_of

# For ever.
NEVER = 2**60


class BackOff:
    """What is known of the use of one function's traces.

    ``gave_up`` and ``unkeyed`` say why all, or some, of its calls stay on the tape;
    ``streak`` counts the traces made since any was of use. ``is_asked_for``: the user
    has decorated the function, and wants to know what is in vain; ``raises``: the last
    call that no trace served has raised an error of the user's.
    """

    def __init__(self, name: str, is_asked_for: bool = True) -> None:
        self.gave_up: str | None = None
        self.unkeyed: str | None = None
        # For traces, and for looks in vain at those that there are.
        self.tracing = Budget(0)
        self.looking = Budget(FREE_MISSES, earned=self.tracing.earned)
        # For what nobody has asked for.
        self.rent = Rent()
        self.streak = 0
        self.raises = False
        self._pardons = PARDONS
        self._errors = 0
        self._forms: set[Hashable] = set()
        # How many traces are left for what is likely to be of use; the calls, and those
        # that were compiled, when there was the last one.
        self._further = 0
        self._calls_before = self._hits_before = 0
        # How many calls were on the tape for want of time, by the hash of their key.
        self._waiting: dict[int, int] = {}
        self._last_waiting = ""
        self._pause = 0
        self._name = name
        self._is_asked_for = is_asked_for
        self._has_failed = False
        self._has_run = False

    def meet(self, form: Hashable) -> None:
        """Note what of the function is called: a transform by its form, or None."""
        if form not in self._forms:
            self._forms.add(form)
            self.tracing.grant(1)
            self._further += FURTHER_TRACES

    def earn(self, start: float) -> None:
        """Note that a call has run on the tape since ``start``."""
        if self._has_run:  # the first run makes the followed copy
            self.tracing.earn(self.tracing.now() - start)
        self._has_run = True

    def allows_trace(
        self,
        signature: Signature,
        calls: int,
        hits: int,
        is_alike: Callable[[Any], bool],
    ) -> bool:
        """Whether there is time for another trace, or this one would have paid.

        Of ``calls`` so far, ``hits`` were compiled; ``is_alike`` tells of a key whether
        it may share a trace with others.
        """
        if self.raises and not self._pardons:
            return False
        if self.tracing.allows(calls, hits):
            return True
        calls -= self._errors
        if self._further:
            since, used = calls - self._calls_before, hits - self._hits_before
            is_used = 0 < since <= SELDOM * used
            if is_used or self._comes_again(signature) or is_alike(signature.key):
                self._further -= 1
                self._calls_before, self._hits_before = calls, hits
                self.tracing.grant(1)
                return True
        return self.tracing.is_earned_by(self._wait(signature))

    def _wait(self, signature: Signature) -> int:
        """Note a call that waits for a trace; how many like it have."""
        waiting, key = self._waiting, hash(signature.key)
        self._last_waiting = arguments_of(signature)
        # The calls since the last look are taken for calls like this one.
        waiting[key] = count = waiting.get(key, 0) + 1 + self._pause
        self._pause = 0
        if len(waiting) > MOST_WAITING:
            self._waiting = {k: n // 2 for k, n in list(waiting.items()) if n > 1}
        return count

    def _comes_again(self, signature: Signature) -> bool:
        """Whether many of the calls that wait are like one, after a trace in vain."""
        count = self._waiting.get(hash(signature.key), 0)
        if not count or self.streak > len(self._forms):
            return False
        return FEW_OTHERS * (count + 1) > sum(list(self._waiting.values()))

    def note_error(self, signature: Signature | None, is_tried: bool) -> None:
        """Note that a call has raised an error of the user's: it waits for no trace.

        ``is_tried``: it was recorded before that, in vain.
        """
        self.raises = True
        self._errors += 1
        if is_tried and self._pardons:
            self._pardons -= 1
            self.tracing.refund()
        if signature is None:
            return
        key = hash(signature.key)
        count = self._waiting.pop(key, 0) - 1
        if count > 0:
            self._waiting[key] = count

    def reasons(self) -> list[str]:
        """Why all, or some, of its calls are on the tape."""
        found = [why for why in (self.unkeyed, self.gave_up) if why is not None]
        if self._waiting and self.gave_up is None:
            found.append(self._why_waiting())
        return found

    def _why_waiting(self) -> str:
        calls, kinds = sum(self._waiting.values()), len(self._waiting)
        kind = "1 kind" if kinds == 1 else f"{kinds} kinds"
        those = "1 call" if calls == 1 else f"{calls} calls"
        return (
            f"{those} with {kind} of arguments (shapes, dtypes, integers) wait "
            f"for a trace, the last for {self._last_waiting}: what comes that seldom "
            f"does not pay for one, {1e3 * self.tracing.once():.1f} ms each"
        )

    def spend(self, start: float, signature: Signature) -> None:
        """Note that a call was recorded, since ``start``."""
        self.tracing.spend(start)
        self._waiting.pop(hash(signature.key), None)

    def rest(self, look: float, stats: Stats) -> int:
        """Note how long a look in vain took; how many calls are to go without one."""
        self.looking.spend(self.looking.now() - look)
        rest = self.looking.wait(stats.calls, stats.compiled, LONGEST_PAUSE)
        if rest:
            rest += stats.calls % 2  # for calls that come in turn
        self._pause = rest
        return rest if self.gave_up is None else NEVER

    def may_add(self, entry: Entry, most: int, signature: Signature) -> bool:
        """Note a further recording; whether it shall become a trace."""
        if entry.used > entry.used_before:
            entry.streak = self.streak = 0
        entry.used_before = entry.used
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

    def run_out(self, reason: str, seconds: float) -> None:
        """Note that a compilation took too long: no other one is to take as long.

        Who has not asked for it gets it when the tape has cost as much.
        """
        self.rent.pay(seconds, in_vain=True)
        if self._is_asked_for:
            self.gave_up = reason
            self._warn(reason)

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
                "function",
                kind="compiler",
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
