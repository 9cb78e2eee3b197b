"""``OnDemand``: traces that somebody asks for, whatever is called.

To compile before the first call, and to export, a call is recorded or looked up, and
nothing else comes of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.late import LateNames
from srcgrad.modes import override

if TYPE_CHECKING:
    from srcgrad.deadline import Deadline, TookTooLong
    from srcgrad.tracing.environment.draws import State, restore
    from srcgrad.tracing.environment.signature import STEADY, Signature
    from srcgrad.tracing.runs.recording import Recording
    from srcgrad.tracing.serving.back_off import BackOff
    from srcgrad.tracing.serving.cache import Cache, Entry, Stats
    from srcgrad.tracing.serving.fitting import Unfit, fitting
    from srcgrad.tracing.serving.trace import Trace

_late = LateNames(
    globals(),
    {
        "srcgrad.deadline": "Deadline TookTooLong",
        "srcgrad.tracing.environment.draws": "State restore",
        "srcgrad.tracing.environment.signature": "STEADY Signature",
        "srcgrad.tracing.runs.recording": "Recording",
        "srcgrad.tracing.serving.back_off": "BackOff",
        "srcgrad.tracing.serving.cache": "Cache Entry Stats",
        "srcgrad.tracing.serving.fitting": "Unfit fitting",
        "srcgrad.tracing.serving.trace": "Trace",
    },
)


class OnDemand:
    """What has a cache of traces."""

    _back_off: BackOff
    _bound: tuple[Any, ...]
    _cache: Cache
    _edits: dict[Any, Any]
    _function: Any
    _keywords: dict[str, Any]
    _stats: Stats
    target: Any

    def begin(self) -> None:
        """Make what is needed for that."""
        raise NotImplementedError

    def _record(self, signature: Signature, entry: Entry, drawn: list[State]) -> Any:
        """Record a call, and make a trace of that."""
        raise NotImplementedError

    def trace_for(self, transform: Any, args: Any, kwargs: Any) -> Trace:
        """The trace that serves a call, made if there is none; nothing else happens.

        Generators that are drawn from have their states back, and what else the
        function does is left out. Whatever the compile policy says.

        Raises
        ------
        RuntimeError
            If there can be none, saying why.
        """
        _late.load()
        self.begin()
        signature = self._signature(transform, args, kwargs)
        found: Any = None
        for _ in range(2):  # if not for arrays of any length, then for these
            cache, key = self._cache, signature.key
            entry = cache.find(key) or cache.make(key)
            found = self._fitting(signature, entry)
            if found is None:
                found = self._recorded_only(signature, entry)
            if isinstance(found, Trace):
                return found
        raise self._without_trace(found)

    def served_call(
        self, transform: Any, args: Any, kwargs: Any
    ) -> tuple[Trace, Sequence[Any]]:
        """The trace that serves a call, as ``trace_for``, and the leaves that it gets.

        If there is one, that leaves no mark: neither the order of the traces changes,
        nor any counter.

        Raises
        ------
        RuntimeError
            As ``trace_for``.
        """
        _late.load()
        self.begin()
        signature = self._signature(transform, args, kwargs)
        entry = self._cache.find(signature.key) or Entry()
        for trace in entry.traces:
            alone = Entry([trace], catches=entry.catches), set[str]()
            unused = BackOff(self._function.__name__, False), Stats()
            hit = fitting(signature.leaves, *alone, *unused)
            if not isinstance(hit, Unfit):
                restore(hit[-1])
                return trace, signature.leaves
        return self.trace_for(transform, args, kwargs), signature.leaves

    def own_trace_like(self, transform: Any, args: Any, kwargs: Any) -> Trace:
        """A trace of the function itself, for what a trace of a transform is for.

        It is for arrays of any length, say, if that is; no call will use it.

        Raises
        ------
        RuntimeError
            As ``trace_for``.
        """
        _late.load()
        _, bound, keywords = transform.target
        given = args, {**keywords, **kwargs}, bound
        other = self._cache.find(Signature(*given, transform).key)
        changes = STEADY if other is None else other.changes
        signature, found = Signature(*given), None
        with override(grad_enabled=True):
            for each in dict.fromkeys((changes, STEADY)):
                found = self._recorded_only(signature, Entry(changes=each))
                if isinstance(found, Trace):
                    self._stats.traces -= 1  # nobody is served by it
                    return found
        raise self._without_trace(found)

    def _signature(self, transform: Any, args: Any, kwargs: Any) -> Signature:
        """What tells a call from others, with what was given before it."""
        bound, keywords = self._bound, self._keywords
        if transform is not None:
            _, bound, keywords = transform.target
        signature = Signature(args, {**keywords, **kwargs}, bound, transform)
        try:
            hash(signature.key)
        except TypeError as error:  # of a dataframe, say
            raise self._without_trace(f"an argument has an {error}") from None
        return signature

    def _without_trace(self, found: Any) -> RuntimeError:
        """What is said where there is no trace."""
        why = found or self._back_off.gave_up
        why = why or "it raises an error for these arguments: call it to see which"
        return RuntimeError(f"{self._function.__name__} has no trace: {why}")

    def example_of(self, transform: Any) -> tuple[Any, dict[str, Any]]:
        """Arguments that its trace fits: made up, of the kinds of those of its call.

        Raises
        ------
        RuntimeError
            If there is no trace, or there are several; or none are found.
        """
        _late.load()
        form = None if transform is None else transform.form
        name, ask = self._function.__name__, "give arguments like those of its calls"
        entries = self._cache.entries_of(form)
        traces = [trace for entry in entries for trace in entry.traces]
        if not traces and transform is None and self._needs_nothing():
            return (), {}
        if not traces:
            raise RuntimeError(f"{name} has no trace: call or `compile` it, or {ask}")
        if len(traces) > 1:
            raise RuntimeError(f"{name} has {len(traces)} traces: {ask}")
        kinds, rng = traces[0].about.arguments, np.random.default_rng(0)
        assert kinds is not None
        normal = lambda shape: rng.normal(size=shape)  # noqa: E731
        positive = lambda shape: rng.uniform(0.5, 1.5, shape)  # noqa: E731
        for fill in (normal, positive, np.ones, np.zeros):
            args, kwargs = kinds.example(fill)
            signature = Signature(args, kwargs, self._given_to(transform), transform)
            with np.errstate(all="ignore"):
                if self._fitting(signature, Entry(traces)) is not None:
                    return args, kwargs
        raise RuntimeError(f"{name} has a trace for some values alone: {ask}")

    def _needs_nothing(self) -> bool:
        """Whether the function may be called without arguments."""
        try:
            inspect.signature(self._function).bind(*self._bound, **self._keywords)
        except TypeError:
            return False
        return True

    def _given_to(self, transform: Any) -> tuple[Any, ...]:
        """The arguments that come before those of a call."""
        bound: tuple[Any, ...] = (self if transform is None else transform).target.bound
        return bound

    def edit(self, transform: Any, edited: Any) -> None:
        """Have an edited module in the place of generated code; None: no longer."""
        form = None if transform is None else transform.form
        self._edits.pop(form, None)
        if edited is not None:
            self._edits[form] = edited
        for entry in self._cache.entries_of(form):
            kept = [] if edited is None else entry.traces
            entry.keep([self._with_edits(form, trace) for trace in kept])
        self._cache.last.clear()

    def edited(self, transform: Any) -> Any:
        """The module in use, if there is one."""
        return self._edits.get(None if transform is None else transform.form)

    def _with_edits(self, form: Any, trace: Trace) -> Trace:
        edited = self._edits.get(form)
        return trace if edited is None else edited.into(trace, self._function)

    def _fitting(self, signature: Signature, entry: Entry) -> Trace | None:
        """The trace of an entry that fits a call."""
        leaves, changing = signature.leaves, self._cache.changing
        hit = fitting(leaves, entry, changing, self._back_off, self._stats)
        if isinstance(hit, Unfit):
            return None
        restore(hit[-1])
        return hit[0]

    def _recorded_only(self, signature: Signature, entry: Entry) -> Trace | str | None:
        """A trace made of a recording that comes to nothing else; or why there is none.

        None as for ``_record``.
        """
        drawn: list[State] = []
        before, tape = entry.traces, self._stats.tape
        # Who asks for it waits, and need not be told.
        deadline = Deadline(self._function.__name__)
        deadline.is_told = True
        try:
            with override(deadline=deadline):
                found = self._record(signature, entry, drawn)
        except TookTooLong as reason:
            self._stats.tape = tape  # it was no call
            restore(drawn)
            return str(reason)
        if not isinstance(found, Recording):
            self._back_off.draw_conclusion(entry, found)
            return None if found is None else str(found)
        self._stats.tape -= 1  # it was no call
        restore(drawn)
        if entry.traces is before:
            entry = self._cache.find(signature.key) or entry
        is_made = bool(entry.traces) and entry.traces is not before
        reasons = (entry.refusal, *self._back_off.reasons(), "it was not kept")
        return entry.traces[0] if is_made else next(filter(None, reasons))
