"""The cache of one traced function: signature -> the traces that may serve it."""

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MethodType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.policy import IN_TURN, MOST_LENGTHS, MOST_OF_AN_INT, OFTEN
from srcgrad.tracing.counts.lengths import SHORTEST
from srcgrad.tracing.environment.signature import STEADY, Changes
from srcgrad.tracing.serving.called import MISS
from srcgrad.tracing.serving.direct import usual_way
from srcgrad.tracing.serving.met import Met
from srcgrad.tracing.serving.trace import Trace
from srcgrad.tracing.serving.unpacking import Take


@dataclass
class Stats:
    """What happened to the calls of one function.

    ``calls`` = ``compiled`` + ``tape``; ``traces`` were made; ``misses`` are calls
    whose signature was known, but no trace of it fitted.
    """

    compiled: int = 0
    tape: int = 0
    traces: int = 0
    misses: int = 0

    @property
    def calls(self) -> int:
        """How many there were."""
        return self.compiled + self.tape


class Miss(NamedTuple):
    """A call that no trace fitted: its number, and why the last one did not."""

    call: int
    reason: str


# So many of them are told.
RECENT = 5


@dataclass(eq=False)
class Entry:
    """The traces of one signature, most recently used first.

    ``refusal`` says why its calls stay on the tape, if they do, ``obstacles`` what else
    would keep them there; ``streak`` counts the traces made since one of them was last
    of use. ``changes``: what of the arguments is no part of the signature; ``catches``:
    the function may catch an error that generated code raises; ``misses`` are the last
    calls that no trace fitted; ``meets``: it has met an error that ``np.errstate`` is
    for, so that another trace would be of no use. ``take`` tells its calls from others;
    ``met`` is the first one, if that was not written down. ``stats`` are those of the
    function. ``used`` is the number of the last call that
    one of them served, ``used_before`` the same when the last of them was made.
    """

    traces: list[Trace] = field(default_factory=list)
    refusal: str | None = None
    obstacles: Sequence[str] = ()
    streak: int = 0
    last_miss: str = ""
    misses: deque[Miss] = field(default_factory=lambda: deque(maxlen=RECENT))
    used: int = 0
    used_before: int = 0
    changes: Changes = STEADY
    catches: bool = False
    meets: bool = False
    take: Take | None = None
    met: Met | None = None
    stats: Stats = field(default_factory=Stats)
    # The shorter ways through the first traces.
    _ways: tuple[MethodType, ...] = ()

    @property
    def is_of_any_length(self) -> bool:
        """Whether a trace is for arrays of other lengths, too."""
        return any(trace.about.lengths for trace in self.traces)

    def put_first(self, trace: Trace) -> None:
        """Make a trace the first to be tried; a list in use stays as it is."""
        self.keep([trace, *(other for other in self.traces if other is not trace)])

    def keep(self, traces: list[Trace]) -> None:
        """Have these traces, and no others."""
        self.traces = traces
        ways = [MethodType(each.direct, each) for each in traces[:IN_TURN]]
        self._ways = tuple([way for way in ways if way.__func__ is not usual_way])

    def direct(self, args: Any, kwargs: Any, bound: Any) -> Any:
        """The result of a call by the shorter way through a trace, or ``MISS``."""
        for way in self._ways:
            result = way(args, kwargs, bound)
            if result is not MISS:
                if way is not self._ways[0]:
                    self._bring_forward(way)
                return result
        return MISS

    def _bring_forward(self, way: MethodType) -> None:
        """As ``put_first``, where the traces have such ways."""
        trace: Any = way.__self__
        self._ways = (way, *(each for each in self._ways if each is not way))
        self.traces = [trace, *(each for each in self.traces if each is not trace)]


def without_ints(key: Any) -> Any:
    """The key without the values of integers; None if there are none."""
    if type(key) is not tuple or not any(map(_is_int, key)):
        return None
    return tuple([int if _is_int(part) else part for part in key])


# Stands in a key for any length of an array that is not broadcast.
OPEN = "open"


def without_lengths(key: Any) -> Any:
    """The key without integers, and without the lengths of arrays; None without any."""
    if type(key) is not tuple:
        return None
    general = [int if _is_int(part) else part for part in key]
    is_open = False
    for number, (part, dtype) in enumerate(itertools.pairwise(key)):
        is_shape = type(part) is tuple and isinstance(dtype, np.dtype)
        if is_shape and part and type(part[0]) is int and part[0] >= SHORTEST:
            general[number] = (OPEN, *part[1:])
            is_open = True
    return tuple(general) if is_open else None


def _is_int(part: Any) -> bool:
    return type(part) is tuple and len(part) == 2 and part[0] is int


class Cache(dict[Any, Entry]):
    """A bounded number of traces, an entry for the key of each signature.

    The signatures used least recently go first.
    """

    def __init__(self, max_traces: int) -> None:
        super().__init__()
        self.max_traces = max_traces
        # Whether a trace has had to go, and so another one will for the next.
        self.is_full = False
        # References to integers that have changed.
        self.changing: set[str] = set()
        # By the form of a transform: the entries of its last calls that were compiled.
        self.last: dict[Any, tuple[Entry, ...]] = {}
        # How many entries differ in nothing but what may change.
        self._alike: dict[Any, int] = {}
        # How often a key without lengths was in vain: each has traces of its own.
        self._in_vain: dict[Any, int] = {}
        # How many calls there were with some keys that have no entry of their own.
        self._shared: dict[Any, int] = {}

    def find(self, key: Any) -> Entry | None:
        """The entry for a key, or for all that differ from it in what changes only."""
        entry = self.get(key)
        if entry is None and self._alike:
            entry = self.get(without_ints(key)) or self.get(without_lengths(key))
        return entry

    def serves(self, entry: Entry, form: Any) -> None:
        """Note that an entry serves calls of a form, one of a few that come in turn."""
        last = self.last.get(form, ())
        if entry.take is not None and all(entry is not other for other in last):
            self.last[form] = (entry, *last[: IN_TURN - 1])

    def clear(self) -> None:
        """Forget all; what still runs, or waits for its way back, keeps its trace."""
        for trace in [trace for entry in self.values() for trace in entry.traces]:
            trace.module.give_back()
        super().clear()
        self._alike.clear()
        self._in_vain.clear()
        self._shared.clear()
        self.last.clear()
        self.changing.clear()
        self.is_full = False

    def _general(self, key: Any) -> list[tuple[Any, Changes]]:
        """The keys of what could share traces with it, and what then changes."""
        found = (
            (without_lengths(key), Changes(ints=True, lengths=True)),
            (without_ints(key), Changes(ints=True)),
        )
        return [
            (general, changes)
            for general, changes in found
            if general is not None and self._in_vain.get(general, 0) < MOST_OF_AN_INT
        ]

    def is_alike(self, key: Any) -> bool:
        """Whether a new key may soon share a trace with others that have entries."""
        if self.find(key) is not None:
            return False
        return any(general in self._alike for general, _ in self._general(key))

    def make(self, key: Any) -> Entry:
        """A new entry."""
        found: Entry | None = None
        for general, changes in self._general(key):
            count = self._alike[general] = self._alike.get(general, 0) + 1
            if count > MOST_OF_AN_INT:
                found = self.setdefault(general, Entry(changes=changes))
        if found is not None:
            return found
        if len(self) >= 4 * self.max_traces:
            # Without traces it only tells why there are none; that can be found again.
            for old, entry in list(self.items()):
                if not entry.traces:
                    self.pop(old, None)
                    break
        return self.setdefault(key, Entry())

    def deserves_own(self, key: Any) -> bool:
        """Whether calls with a key, which shares an entry, are often the same."""
        if len(self._shared) >= MOST_LENGTHS and key not in self._shared:
            self._shared.clear()
        count = self._shared[key] = self._shared.get(key, 0) + 1
        return count > OFTEN and not self.is_full

    def make_own(self, key: Any) -> Entry:
        """An entry for a key alone."""
        self._shared.pop(key, None)
        return self.setdefault(key, Entry())

    def keep_lengths(self, key: Any) -> Entry:
        """Have an entry for each length again, as for this one: no trace is for any."""
        general = without_lengths(key)
        self._in_vain[general] = self._in_vain.get(general, 0) + 1
        self.pop(general, None)
        return self.make_own(key)

    def add(self, entry: Entry, trace: Trace) -> None:
        """Put a trace in front, and let go of what is then too many."""
        entry.put_first(trace)
        while True:
            # Another thread may be changing the table.
            entries = list(self.items())
            if sum(len(e.traces) for _, e in entries) <= self.max_traces:
                return
            self.is_full = True
            stale = [
                item for item in entries if item[1] is not entry and item[1].traces
            ]
            if not stale:
                entry.keep(entry.traces[:-1])
                continue
            self.pop(min(stale, key=lambda item: item[1].used)[0], None)

    def entries(self, form: Any = None) -> list[Entry]:
        """All entries, as they are now: another thread may be adding to them.

        ``form``: those of one transform only.
        """
        if form is None:
            return list(self.values())
        return self.entries_of(form)

    def entries_of(self, form: Any) -> list[Entry]:
        """Those of one transform; None: of the function itself."""
        forms = (form, (form, True))
        return [entry for key, entry in list(self.items()) if key[0] in forms]
