"""``Traced``: generated code where it fits, the tape where it does not."""

from __future__ import annotations

import contextlib
import copy
import functools
import threading
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, overload
from weakref import WeakSet

from srcgrad.config import config, has_numba
from srcgrad.errors import CompilerError, located
from srcgrad.late import LateNames
from srcgrad.modes import native_mode, override, refuse, state
from srcgrad.pytree import flatten
from srcgrad.rules.users import ON_NEW_RULES
from srcgrad.tracebacks import forget_context
from srcgrad.tracing.containment import stage
from srcgrad.tracing.environment.callables import taken_apart, transform_called_by
from srcgrad.tracing.export.exportable import Exportable
from srcgrad.tracing.on_demand import OnDemand
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.report.reported import Reported
from srcgrad.tracing.serving.called import Called, P, R
from srcgrad.tracing.serving.collecting import seldom
from srcgrad.tracing.serving.pickling import reduced

# What answers calls, and with it the compiler, is loaded for the first one.
if TYPE_CHECKING:
    from srcgrad.deadline import Deadline, TookTooLong
    from srcgrad.tracing.algorithms.algorithm_callbacks import MisfitError
    from srcgrad.tracing.environment.draws import State, restore
    from srcgrad.tracing.environment.signature import STEADY, Signature, is_dynamic
    from srcgrad.tracing.following.running import Followed
    from srcgrad.tracing.report.texts import Explanation, Source
    from srcgrad.tracing.runs.attempt import attempt
    from srcgrad.tracing.runs.record import record_in_full
    from srcgrad.tracing.runs.recording import Recording
    from srcgrad.tracing.runs.survey import obstacles
    from srcgrad.tracing.serving import reports
    from srcgrad.tracing.serving.argument_kinds import ArgumentKinds
    from srcgrad.tracing.serving.back_off import BackOff
    from srcgrad.tracing.serving.cache import Cache, Entry, Miss, Stats
    from srcgrad.tracing.serving.direct_function import with_direct
    from srcgrad.tracing.serving.fitting import Hit, Unfit, fitting
    from srcgrad.tracing.serving.met import Met
    from srcgrad.tracing.serving.pausing import Pause
    from srcgrad.tracing.serving.trace import Trace, compile_recording
    from srcgrad.tracing.serving.unpacking import unpacking_of
    from srcgrad.tracing.serving.verifying import compare

_late = LateNames(
    globals(),
    {
        "srcgrad.deadline": "Deadline TookTooLong",
        "srcgrad.tracing.algorithms.algorithm_callbacks": "MisfitError",
        "srcgrad.tracing.following.running": "Followed",
        "srcgrad.tracing.environment.draws": "State restore",
        "srcgrad.tracing.environment.signature": "STEADY Signature is_dynamic",
        "srcgrad.tracing.report.texts": "Explanation Source",
        "srcgrad.tracing.runs.attempt": "attempt",
        "srcgrad.tracing.runs.record": "record_in_full",
        "srcgrad.tracing.runs.recording": "Recording",
        "srcgrad.tracing.runs.survey": "obstacles",
        "srcgrad.tracing.serving": "reports",
        "srcgrad.tracing.serving.argument_kinds": "ArgumentKinds",
        "srcgrad.tracing.serving.cache": "Cache Entry Miss Stats",
        "srcgrad.tracing.serving.direct_function": "with_direct",
        "srcgrad.tracing.serving.fitting": "Hit Unfit fitting",
        "srcgrad.tracing.serving.back_off": "BackOff",
        "srcgrad.tracing.serving.met": "Met",
        "srcgrad.tracing.serving.pausing": "Pause",
        "srcgrad.tracing.serving.trace": "Trace compile_recording",
        "srcgrad.tracing.serving.unpacking": "unpacking_of",
        "srcgrad.tracing.serving.verifying": "compare",
    },
)
if not TYPE_CHECKING:
    __getattr__ = _late.find

Q = ParamSpec("Q")

# Of several first calls one makes the parts.
_beginning = threading.RLock()


class Part:
    """An attribute of a traced function that is made when it is first asked for."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, traced: Any, owner: type | None = None) -> Any:
        if traced is None:
            return self
        traced.begin()
        return getattr(traced, self._name)  # from now on its own


class Target(NamedTuple):
    """Where a function's traces are, and the arguments that it has been given."""

    traced: Traced[..., Any]
    bound: tuple[Any, ...]
    keywords: dict[str, Any]


class Traced(Called[P, R], OnDemand, Exportable[P], Reported[P]):
    """A function with its traces; made by ``trace``."""

    is_traced = True

    _cache: Cache = Part()  # type: ignore[assignment]
    _followed: Followed = Part()  # type: ignore[assignment]
    _back_off: BackOff = Part()  # type: ignore[assignment]
    _rest_inside: int = Part()  # type: ignore[assignment]
    _stats: Stats = Part()  # type: ignore[assignment]

    def __init__(
        self,
        function: Callable[P, R],
        verify: bool | None = None,
        max_traces: int | None = None,
        is_own: bool = False,
        native: bool | str | None = None,
    ) -> None:
        # None: what holds when a trace is made.
        self._native = None if native is None else native_mode(native)
        # Whether it is for transforms of a function that is not decorated: the first
        # call with a signature is not worth a trace.
        self.is_own = is_own
        # The function itself, and the arguments that it has been given already.
        self._function, self._bound, self._keywords = taken_apart(function)
        self._verify = config.verify if verify is None else verify
        self._max_traces = config.max_traces if max_traces is None else max_traces
        _all.add(self)
        # By the form of a transform: what served its last calls.
        self.last: dict[Any, tuple[Any, ...]] = {}
        # By the same: the edited modules in the place of generated code.
        self._edits: dict[Any, Any] = {}
        self._has_begun = False
        if hasattr(function, "__name__"):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def begin(self) -> None:
        """Make what answers calls, unless another thread has just done it."""
        _late.load()
        with _beginning:
            if self._has_begun:
                return
            self._followed = Followed(self._function)
            self._cache = Cache(self._max_traces)
            self._cache.last = self.last
            self._forget()
            self._has_begun = True

    def _forget(self) -> None:
        """Be as new, but for the traces."""
        self._stats = Stats()
        self._back_off = BackOff(self._function.__name__, not self.is_own)
        # So many calls within a transform on the tape go there without a look.
        self._rest_inside = 0
        # Whether the transform that is running waits for a trace of its own.
        self._transform_waits = False

    @property
    def target(self) -> Target:
        """This, for transforms."""
        return Target(self, self._bound, self._keywords)

    # ----- Calling -----

    def _called_anew(self, args: Any, kwargs: Any) -> Any:
        return self.called(None, args, kwargs)

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Traced[P, R]: ...
    @overload
    def __get__(
        self: Traced[Concatenate[Any, Q], R], instance: object, owner: Any = None
    ) -> Traced[Q, R]: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def called(self, transform: Any, args: Any, kwargs: Any) -> Any:
        """Call the function, or a transform of it (``functional.transform``).

        Raises
        ------
        TypeError
            If an argument to differentiate by, or the value, has no gradient.
        ValueError
            If the transform does not fit the arguments.
        """
        compiles = state.compiles
        if not compiles and self._is_for_tape(transform):
            return self._by_tape(transform, args, kwargs)
        is_inside = compiles and transform is None and not state.is_outermost
        if is_inside and self._rest_inside:
            self._rest_inside -= 1
            return self._by_tape(transform, args, kwargs)
        start = self._back_off.looking.now()
        if transform is not None:
            self._transform_waits = False
        bound, keywords = self._bound, self._keywords
        if transform is not None:
            _, bound, keywords = transform.target
        given = {**keywords, **kwargs} if keywords else kwargs
        form = None if transform is None else transform.form
        is_usual = state.is_outermost
        entry: Any = None
        leaves: Any = None
        for entry in self.last.get(form, ()) if is_usual else ():
            leaves = entry.take(args, given, bound)
            if leaves is not None:
                break
        signature: Signature | None = None
        if leaves is None:
            if type(entry) is Pause:
                self.last.pop(form, None)
            try:
                signature = Signature(args, given, bound, transform)
                entry, leaves = self._entry(signature), signature.leaves
            except Exception as error:  # of the code of an argument
                self._back_off.leave(error)
                entry = signature = None
        if entry is None:
            if not compiles:
                self._check_stance()
            look = self._back_off.looking.now() - start
            result = self._unserved(signature, transform, args, kwargs)
            self._pause(look, transform)
            return result
        try:
            hit = fitting(
                leaves, entry, self._cache.changing, self._back_off, self._stats
            )
        except Exception as error:
            self._cache.last.clear()
            return self._by_tape_instead(entry, error, transform, args, kwargs)
        if isinstance(hit, Unfit):
            look = self._back_off.looking.now() - start
            signature = Signature(args, given, bound, transform)
            return self._missed(entry, hit, look, signature, args, kwargs)
        if is_usual:
            self._cache.serves(entry, form)
        return self._finished(hit, transform, args, kwargs)

    def _missed(
        self,
        entry: Entry,
        unfit: Unfit,
        look: float,
        signature: Signature,
        args: Any,
        kwargs: Any,
    ) -> Any:
        """The result of a call that no trace fits: it may become a further one.

        To see that has taken ``look``. A call that raises an error is no miss.
        """
        self._cache.last.clear()
        miss = Miss(self._stats.calls + 1, unfit.reason)
        self._check_stance(unfit.reason)
        transform = signature.transform
        if entry.meets or not unfit.is_all_tried or not self._may_trace(signature):
            result = self._unserved(signature, transform, args, kwargs)
            self._note_miss(entry, miss)
            self._back_off.miss(entry)
            self._pause(look, transform)
            return result
        found = self._record(signature, entry)
        if isinstance(found, Recording):
            self._note_miss(entry, miss)
            return found.finish()
        result = self._unserved(signature, transform, args, kwargs, is_tried=True)
        self._note_miss(entry, miss)
        self._back_off.draw_conclusion(entry, found)
        return result

    def _note_miss(self, entry: Entry, miss: Miss) -> None:
        """Count a miss, unless there was no trace yet."""
        if miss.reason:
            self._stats.misses += 1
            entry.last_miss = miss.reason
            entry.misses.append(miss)

    def _unserved(
        self,
        signature: Signature | None,
        transform: Any,
        args: Any,
        kwargs: Any,
        is_tried: bool = False,
    ) -> Any:
        """The result by the tape, after a recording was tried, or without that.

        An error is the user's: other calls may go well.
        """
        try:
            result = self._by_tape(transform, args, kwargs)
        except Exception:
            self._back_off.note_error(signature, is_tried)
            raise
        self._back_off.raises = False
        return result

    def _pause(self, look: float, transform: Any) -> None:
        """Let calls like this one go by the tape, where a look is seldom of use.

        One has taken ``look``.
        """
        if not state.is_outermost:
            if transform is None:
                self._rest_inside = self._back_off.rest(look, self._stats)
            return
        run, form = self._followed.run, None
        if transform is not None:
            _, bound, keywords = transform.target
            if bound or keywords:
                return  # other transforms of this form may have others
            run, form = transform.untraced, transform.form
        calls = self._back_off.rest(look, self._stats)
        if calls:
            is_counted = transform is None or self.is_own
            self.last[form] = (Pause(calls, run, self._stats if is_counted else None),)

    def _is_for_tape(self, transform: Any) -> bool:
        """Whether nothing is to be compiled now."""
        if transform is None:
            refuse(f"{self._function.__name__} is called by untraced code")
            # In search of anomalies, the tape knows every line.
            return state.anomaly or state.stance == "tape"
        # It differentiates under `no_grad` too.
        is_open = state.recorder is None and not state.anomaly
        return not is_open or state.stance == "tape"

    def _finished(self, hit: Hit, transform: Any, args: Any, kwargs: Any) -> Any:
        """The result of a compiled call, when all its effects are done."""
        trace, result, values, held, drawn = hit
        self._stats.compiled += 1
        effects = trace.effects
        if self._verify or state.stance == "verify":
            # The tape's run has the effects, and draws the same.
            restore(drawn)
            with override(stance="tape"):
                expected = self._run(transform, args, kwargs)
            if effects is not None:
                result = effects.made(result, values, held)
            compare(self._function, result, expected)
        elif effects is not None:
            result = effects.finish(result, values, held)
        return result

    def _by_tape(self, transform: Any, args: Any, kwargs: Any) -> Any:
        """The same on the tape."""
        start, rent = self._back_off.tracing.now(), self._back_off.rent
        begun = rent.now()
        try:
            return self._run(transform, args, kwargs)
        finally:
            rent.ran(begun)
            self._back_off.earn(start)
            self._count(transform)

    def _run(self, transform: Any, args: Any, kwargs: Any) -> Any:
        """Run the followed copy."""
        if transform is not None:
            return transform.untraced(args, kwargs)
        if self._keywords:
            kwargs = {**self._keywords, **kwargs}
        return self._followed.run(self._bound + args, kwargs)

    def _count(self, transform: Any) -> None:
        """Count a call on the tape; the function counts its calls itself, if traced."""
        self._stats.tape += transform is None or self.is_own

    def _by_tape_instead(
        self, entry: Entry, error: Exception, transform: Any, args: Any, kwargs: Any
    ) -> Any:
        """Decide whose an error of generated code is: the user's, if the tape has it.

        Raises
        ------
        Exception
            The user's own.
        """
        if isinstance(error, MisfitError):
            return self._by_tape(transform, args, kwargs)
        self._count(transform)
        try:
            result = self._run(transform, args, kwargs)
        except Exception as users:
            forget_context(users, error)
            raise
        # An element that arrays of other lengths have: a guard would say so.
        if type(error) is not IndexError or not entry.is_of_any_length:
            self._back_off.fail(entry, error)
        return result

    def _entry(self, signature: Signature) -> Entry | None:
        """The traces of a signature; None if it is left to the tape."""
        if self._back_off.gave_up is not None:
            return None
        entry = self._cache.find(signature.key)
        if entry is None:
            if not self._may_trace(signature):
                return None
            made = self._cache.make(signature.key)
            transform = signature.transform
            is_due = transform is not None and transform.is_recorded_at_once
            if is_due or not self.is_own:
                return made
            made.met = Met.of(signature)
            return None
        if entry.changes.lengths and self._cache.deserves_own(signature.key):
            entry = self._cache.make_own(signature.key)
        return entry if entry.refusal is None else None

    def _check_stance(self, reason: str = "") -> None:
        """Raise if the user wants generated code, and there is none.

        Raises
        ------
        RuntimeError
            Saying what does not fit.
        """
        if state.stance == "fail_on_miss":
            raise located(
                RuntimeError(
                    f"{self._function.__name__} misses, with the stance "
                    f'"fail_on_miss": {reason or "no trace is for such arguments"}'
                ),
                kind="miss",
            )

    def _may_trace(self, signature: Signature) -> bool:
        """Whether there is time for another trace, or it is not to be had without.

        Inside of a transform that waits for a trace of a call, no other is made of it.
        """
        transform, stats = signature.transform, self._stats
        if transform is None and self._transform_waits and not state.is_outermost:
            return False
        self._back_off.meet(None if transform is None else transform.form)
        if transform is not None and transform.is_recorded_at_once:
            return True
        if self.is_own and not self._back_off.rent.is_due(stats.calls):
            return False
        # In a full cache it takes the place of another one, and saves no more.
        hits = 0 if self._cache.is_full else stats.compiled
        is_alike = self._cache.is_alike
        may = self._back_off.allows_trace(signature, stats.calls, hits, is_alike)
        self._transform_waits = transform is not None and not may
        return may

    def _record(
        self, signature: Signature, entry: Entry, drawn: list[State] | None = None
    ) -> Recording | CompilerError | str | None:
        """Run the call on the tape, recorded as a further trace; or say why not.

        None: the user's code raises an error, or it is to be for one length alone.
        Where there is no recording, nothing of the environment has changed. ``drawn``
        is that of ``attempt``.
        """
        start, began = self._back_off.tracing.now(), perf_counter()
        recording: Recording | CompilerError | str | None = None
        deadline = self._deadline(signature)
        try:
            with seldom, override(deadline=deadline):
                changing, changes = self._cache.changing, entry.changes
                recording = attempt(self._function, signature, changing, changes, drawn)
                if isinstance(recording, Recording):
                    self._stats.tape += 1
                    self._compile(entry, signature, recording, began)
            self._back_off.rent.pay(deadline.spent)
            if isinstance(recording, str) and self._is_for_lengths(entry):
                self._cache.keep_lengths(signature.key)
                return None
            if isinstance(recording, str) and not entry.obstacles:
                entry.obstacles = obstacles(
                    self._function, signature, self._cache.changing
                )
            return recording
        except TookTooLong as reason:
            if deadline is state.deadline:  # of a recording around this one
                raise
            self._back_off.run_out(str(reason), deadline.spent)
            return recording  # there is one, if it is the rest that takes so long
        finally:
            self._back_off.spend(start, signature)

    def _deadline(self, signature: Signature) -> Any:
        """Until when a recording has to be compiled; that around it, if there is one.

        What nobody has asked for may not take longer than the tape is worth.
        """
        if state.deadline is not None:
            return state.deadline
        transform = signature.transform
        is_asked = not self.is_own or (transform and transform.is_recorded_at_once)
        allowed = None if is_asked else self._back_off.rent.allowed(self._stats.calls)
        return Deadline(self._function.__name__, allowed)

    @staticmethod
    def _is_for_lengths(entry: Entry) -> bool:
        """Whether an entry is for arrays of any length, and has no trace yet."""
        return entry.changes.lengths and not entry.traces

    def _compile(
        self, entry: Entry, signature: Signature, recording: Recording, began: float
    ) -> None:
        """Make a trace of a recording, unless too many were made in vain.

        It has ``began`` at that time.
        """
        if not self._back_off.may_add(entry, self._cache.max_traces, signature):
            return
        try:
            with stage("a report"):
                header = reports.header_of(self._function, recording.arguments)
            name, report = self._function.__name__, self._back_off.reporter(entry)
            given = signature.args, signature.kwargs, signature.bound
            with stage("the taking apart of calls"):
                unpacking = unpacking_of(*given) if entry.changes == STEADY else None
                take = None if unpacking is None else unpacking.take()
            shorter = None if self._verify else unpacking
            modes = (self._native, state.native, config.native, has_numba())
            native = next(mode for mode in modes if mode is not None)
            asked = name, header, report, shorter, native
            trace = compile_recording(recording, *asked)
            if shorter is not None:
                with stage("the writing of the shorter way"):
                    trace = with_direct(trace, shorter)
        except CompilerError as error:
            if not record_in_full(self._function, recording):
                self._back_off.fail(entry, error)
        else:
            if not trace.about.lengths and self._is_for_lengths(entry):
                entry = self._cache.keep_lengths(signature.key)
            entry.catches = entry.catches or recording.interaction.catches
            entry.take, entry.stats = take, self._stats
            seconds = perf_counter() - began
            kinds = ArgumentKinds.of(signature, entry.changes)
            about = replace(trace.about, seconds=seconds, arguments=kinds)
            form = None if signature.transform is None else signature.transform.form
            trace = self._with_edits(form, replace(trace, about=about))
            self._cache.add(entry, trace)
            self._stats.traces += 1

    def followed_by(self, follow: Callable[..., Any]) -> Any:
        """The function's copy, for a tracer that follows calls (``capture``)."""
        transform = transform_called_by(self._function)
        if transform is not None and hasattr(transform, "followed_by"):
            copy = transform.followed_by(follow)
        else:
            copy = follow(self._function)
        if not self._bound and not self._keywords:
            return copy
        _late.load()
        if any(map(is_dynamic, flatten((self._bound, self._keywords))[0])):
            give_up(f"calls {self._function.__name__}, which holds arrays or floats")
        return functools.partial(copy, *self._bound, **self._keywords)

    # ----- Looking at it -----

    @property
    def stats(self) -> Stats:
        """Counters: ``calls``, ``compiled``, ``tape``, ``traces``, ``misses``."""
        return replace(self._stats)

    def source(self, tier: str = "numpy") -> Source:
        """The generated modules, most recently used first in each signature.

        Parameters
        ----------
        tier : {"numpy", "native"}
            Those that run on NumPy; or what Numba compiles, see ``set_native``.
        """
        return self.source_of(None, tier=tier)

    def source_of(
        self, form: Any, transform: Any = None, tier: str = "numpy"
    ) -> Source:
        """Those of one transform; a first call of it is written down for that."""
        if tier not in ("numpy", "native"):
            raise ValueError(f'tier is "numpy" or "native", but got {tier!r}')
        self.begin()
        text = reports.source(self._cache.entries(form), tier)
        if not text and transform is not None:
            self._write_down(transform)
            text = reports.source(self._cache.entries(form), tier)
        entries = self._cache.entries(form)
        if not text:
            raise RuntimeError(
                f"{self._function.__name__} has no generated source: "
                f"{reports.why_none(entries, self.is_own, tier)}"
            )
        return Source(text)

    def _write_down(self, transform: Any) -> None:
        """Make traces for the calls of a transform that came once, if that goes."""
        for entry in self._cache.entries_of(transform.form):
            call = None if entry.met is None else entry.met.call()
            if call is not None:
                with contextlib.suppress(RuntimeError):  # `why_none` tells
                    self.trace_for(transform, *call)

    def _explained(self, as_dict: bool) -> Any:
        return self.explain_of(None, as_dict)

    def explain_of(self, form: Any, as_dict: bool = False) -> Any:
        """The same of one transform."""
        found, _ = self.found_of(form)
        return found if as_dict else Explanation(reports.explain(found), found)

    def found_of(self, form: Any) -> tuple[dict[str, Any], list[Trace]]:
        """The same as a dict, and the traces that it tells of."""
        entries = self._cache.entries(form)
        once = reports.met_once(entries) if self.is_own else []
        reasons = *once, *self._back_off.reasons()
        found = reports.report(self._function, self._stats, entries, reasons)
        return found, [trace for entry in entries for trace in entry.traces]

    @property
    def function(self) -> Any:
        """The user's function."""
        return self._function

    def is_of(self, function: Callable[..., Any]) -> bool:
        """Whether it has the traces of a function."""
        return self._function is function

    def clear(self) -> None:
        """Forget all traces and counters."""
        self._cache.clear()
        self._forget()

    def __repr__(self) -> str:
        return f"<traced {self._function.__qualname__}>"

    def __reduce__(self) -> Any:
        """Copy and pickle like a function: by name; else with what it was made of."""
        options = self._verify, self._max_traces, self._native
        return reduced(self, (trace_with, (self.__wrapped__, *options)))

    def __copy__(self) -> Traced[P, R]:
        return self

    def __deepcopy__(self, memo: Any) -> Traced[P, R]:
        """Itself, as of a function; a method of an object goes with its copy."""
        if self.__wrapped__ is self._function:
            return self
        parts = self.__wrapped__, self._verify, self._max_traces, self._native
        return trace_with(*copy.deepcopy(parts, memo))


def trace_with(
    function: Callable[P, R],
    verify: bool,
    max_traces: int,
    native: bool | str | None,
) -> Traced[P, R]:
    """``trace`` with options by position, for ``pickle``."""
    return Traced(function, verify, max_traces, native=native)


def _forget_traces() -> None:
    for traced in list(_all):
        if traced._has_begun:
            traced._cache.clear()


# All that have traces: these are in vain when a user changes a derivative.
_all: WeakSet[Traced[..., Any]] = WeakSet()
ON_NEW_RULES.append(_forget_traces)
