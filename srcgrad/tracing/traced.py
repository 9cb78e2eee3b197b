"""``@trace``: generated code where it fits, the tape where it does not."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MethodType
from typing import Any, NamedTuple

from srcgrad.config import config
from srcgrad.errors import CompilerError, describe, here, told
from srcgrad.modes import override, refuse, state
from srcgrad.pytree import flatten
from srcgrad.tape.variable import Variable
from srcgrad.tracing import reports
from srcgrad.tracing.attempt import attempt
from srcgrad.tracing.cache import Cache, Entry, Stats
from srcgrad.tracing.callables import taken_apart
from srcgrad.tracing.compiled_call import packed_of, results_of
from srcgrad.tracing.containment import stage
from srcgrad.tracing.draws import State, restore
from srcgrad.tracing.follow import run
from srcgrad.tracing.patience import Patience
from srcgrad.tracing.recording import Recording
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.signature import Signature, is_dynamic
from srcgrad.tracing.trace import MET, Trace, compile_recording
from srcgrad.tracing.verifying import compare


def trace(
    function: Callable[..., Any] | None = None,
    *,
    verify: bool | None = None,
    max_traces: int | None = None,
) -> Any:
    """Compile a function of NumPy code, forward and backward, as it is called.

    The first call with a new signature (shapes, dtypes, which arguments require grad,
    and the values of all arguments that are neither arrays nor floats) runs on the tape
    and is written down as Python source. Later calls run that source, as long as all
    values that the function has looked at are as they were; else the call runs on the
    tape, and becomes a further trace.

    Parameters
    ----------
    function : callable
        A function or method written in Python. May be left out, to give options:
        ``@trace(verify=True)``.
    verify : bool, optional
        Run the tape beside the generated code at every call, and raise
        ``DivergenceError`` where they differ. Default: the environment's
        ``SRCGRAD_VERIFY``.
    max_traces : int, optional
        How many traces to keep; the least recently used go.

    Returns
    -------
    Traced
        Called like the function. Has ``source()``, ``explain()``, ``stats``,
        ``clear()`` and ``__wrapped__``.

    Raises
    ------
    TypeError
        For a class, a generator or coroutine function, or anything without Python
        source.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> @srcgrad.trace
    ... def length(x):
    ...     return np.sqrt(np.sum(x * x))
    >>> x = srcgrad.Variable(np.array([3.0, 4.0]), requires_grad=True)
    >>> length(x).data, length(x).data
    (np.float64(5.0), np.float64(5.0))
    >>> length.stats.compiled
    1
    >>> length(x).backward()
    >>> x.grad.data
    array([0.6, 0.8])
    """
    if function is None:
        return functools.partial(trace, verify=verify, max_traces=max_traces)
    return Traced(function, verify, max_traces)


# A trace that fits a call, the leaves of the arguments and what was read outside, what
# its forward got of these, and what that has computed: outputs, what is saved. Last,
# the objects that its effects are about, and the states before random draws.
About = tuple[Sequence[Any], list[State]]
Hit = tuple[Trace, Sequence[Any], Sequence[Any], Sequence[Any], Any, About]


class Target(NamedTuple):
    """Where a function's traces are, and the arguments that it has been given."""

    traced: "Traced"
    bound: tuple[Any, ...]
    keywords: dict[str, Any]


class Traced:
    """A function with its traces; made by ``trace``."""

    is_traced = True

    def __init__(
        self,
        function: Callable[..., Any],
        verify: bool | None = None,
        max_traces: int | None = None,
        is_own: bool = False,
    ) -> None:
        # Whether it is for transforms of a function that is not decorated: the first
        # call with a signature is not worth a trace.
        self.is_own = is_own
        # The function itself, and the arguments that it has been given already.
        self._function, self._bound, self._keywords = taken_apart(function)
        self._verify = config.verify if verify is None else verify
        limit = config.max_traces if max_traces is None else max_traces
        self._cache = Cache(limit)
        self._forget()
        if hasattr(function, "__name__"):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def _forget(self) -> None:
        """Be as new, but for the traces."""
        self._stats = Stats()
        self._patience = Patience(self._function.__name__, not self.is_own)

    @property
    def target(self) -> Target:
        """This, for transforms."""
        return Target(self, self._bound, self._keywords)

    # ----- Calling -----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._keywords:
            kwargs = {**self._keywords, **kwargs}
        if not state.compiles:
            refuse(f"{self._function.__name__} is called by untraced code")
            # In search of anomalies, the tape knows every line.
            if state.anomaly or state.stance == "tape":
                self._stats.calls += 1
                return self._plain(args, kwargs)
        self._stats.calls += 1
        try:
            signature = Signature(args, kwargs, self._bound)
            entry = self._entry(signature)
        except Exception as error:  # of the code of an argument
            self._patience.leave(error)
            entry = None
        if entry is None:
            self._check_stance()
            return self._plain(args, kwargs)
        hit = None
        try:
            hit = self._run_fitting(signature, entry)
            if hit is not None:
                trace, leaves, inputs, outs, saved, (held, drawn) = hit
                result = results_of(trace, leaves, inputs, outs, saved)
        except Exception as error:
            if hit is not None:
                restore(hit[-1][1])
            return self._on_tape_instead(entry, error, args, kwargs)
        if hit is None:
            self._check_stance(entry.last_miss)
            found = self._record(signature, entry)
            if isinstance(found, Recording):
                return found.finish()
            # If this raises an error, it is the user's, and other calls may go well.
            result = self._plain(args, kwargs)
            self._patience.draw_conclusion(entry, found)
            return result
        self._stats.compiled += 1
        effects = trace.effects
        values: Any = ()
        if effects is not None:
            result, values = result
        if self._verify or state.stance == "verify":
            # The tape's run has the effects, and draws the same.
            restore(drawn)
            with override(stance="tape"):
                expected = run(self._function, (*self._bound, *args), kwargs)
            if effects is not None:
                result = effects.made(result, values, held)
            compare(self._function, result, expected)
        elif effects is not None:
            result = effects.finish(result, values, held)
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def transformed(self, transform: Any, args: Any, kwargs: Any) -> Any:
        """What a transform of the function gives (``functional.transform``).

        Raises
        ------
        TypeError
            If an argument to differentiate by, or the value, has no gradient.
        ValueError
            If the transform does not fit the arguments.
        """
        if not (state.fast and state.stance != "tape"):
            return self._untraced(transform, args, kwargs)
        keywords = transform.target.keywords
        given = {**keywords, **kwargs} if keywords else kwargs
        try:
            signature = Signature(args, given, transform.target.bound, transform)
            entry = self._entry(signature)
        except Exception as error:  # of the code of an argument
            self._patience.leave(error)
            entry = None
        if entry is None:
            self._check_stance()
            return self._untraced(transform, args, kwargs)
        hit = None
        try:
            hit = self._run_fitting(signature, entry)
            if hit is not None:
                trace, leaves, inputs, outs, saved, (held, drawn) = hit
                if trace.whole is None:
                    found = results_of(trace, leaves, inputs, outs, saved)
                    if trace.effects is not None:
                        found, values = found
                else:
                    found, values = packed_of(trace, leaves, inputs, outs, saved)
        except Exception as error:
            if hit is not None:
                restore(hit[-1][1])
            found = self._untraced(transform, args, kwargs)  # it may be the user's
            if not entry.catches:
                self._patience.fail(entry, error)
            return found
        if hit is None:
            self._check_stance(entry.last_miss)
            recording = self._record(signature, entry)
            if isinstance(recording, Recording):
                self._stats.calls += 1
                return recording.finish()
            found = self._untraced(transform, args, kwargs)
            self._patience.draw_conclusion(entry, recording)
            return found
        self._stats.calls += 1
        self._stats.compiled += 1
        if self._verify or state.stance == "verify":
            restore(drawn)
            with override(stance="tape"):  # which has the effects
                compare(self._function, found, transform.untraced(args, kwargs))
        elif trace.effects is not None:
            found = trace.effects.finish(found, values, held)
        return found

    def _untraced(self, transform: Any, args: Any, kwargs: Any) -> Any:
        """The same on the tape."""
        if self.is_own:  # or else the function counts its calls itself
            self._stats.calls += 1
            self._stats.tape += 1
        start = self._patience.tracing.now()
        try:
            return transform.untraced(args, kwargs)
        finally:
            self._patience.earn(start)

    def _entry(self, signature: Signature) -> Entry | None:
        """The traces of a signature; None if it is left to the tape."""
        if self._patience.gave_up is not None:
            return None
        entry = self._cache.find(signature.key)
        if entry is None:
            made = self._cache.make(signature.key) if self._may_trace() else None
            transform = signature.transform
            is_due = transform is not None and transform.is_recorded_at_once
            return made if is_due or not self.is_own else None
        return entry if entry.refusal is None else None

    def _check_stance(self, reason: str = "") -> None:
        """Raise if the user wants generated code, and there is none.

        Raises
        ------
        RuntimeError
            Saying what does not fit.
        """
        if state.stance == "fail_on_miss":
            raise RuntimeError(
                f'{self._function.__name__} misses, with the stance "fail_on_miss": '
                f"{reason or 'no trace is for such arguments'} ({describe(here())})"
            )

    def _may_trace(self) -> bool:
        """Whether there is time for another trace."""
        stats = self._stats
        return self._patience.tracing.allows(stats.calls, stats.compiled)

    def _run_fitting(self, signature: Signature, entry: Entry) -> Hit | None:
        """The trace that fits a call, if there is one."""
        start = None
        drawn: list[State] = []
        for number, trace in enumerate(entry.traces):
            if number == 1:
                if not self._patience.looking.allows(self._stats.calls):
                    break
                start = self._patience.looking.now()
            leaves = signature.leaves
            if drawn:
                restore(drawn)
                drawn = []
            try:
                read = trace.read_outside(leaves, drawn)
            except BaseException:
                restore(drawn)
                raise
            if isinstance(read, str):
                entry.last_miss = read
                if read in trace.outside.ints:
                    self._cache.changing.add(trace.outside.ints[read])
                continue
            held: Sequence[Any] = ()
            if read:
                if trace.effects is not None:
                    held = read[len(trace.outside.taken) :]
                    read = read[: len(trace.outside.taken)]
                leaves = [*leaves, *read]
            inputs = [
                leaf.value if type(leaf := leaves[i]) is Variable else leaf
                for i in trace.interface.positions
            ]
            try:
                if trace.masks:
                    found = trace.run_masked(inputs)
                else:
                    found = trace.module.call_forward(inputs)
            except BaseException:
                restore(drawn)
                raise
            if type(found) is str:
                entry.last_miss = found
                entry.meets = entry.meets or found.startswith(MET)
                continue
            if number:
                entry.put_first(trace)
            entry.streak = self._patience.streak = 0
            entry.used = self._stats.calls
            return trace, leaves, inputs, *found, (held, drawn)
        if drawn:
            restore(drawn)
        if start is not None:
            self._patience.looking.spend(start)
        if entry.traces:
            self._stats.misses += 1
        return None

    def _record(
        self, signature: Signature, entry: Entry
    ) -> Recording | CompilerError | str | None:
        """Run the call on the tape, recorded as a further trace; or say why not.

        None: the user's code raises an error, or it is too early for another trace.
        Where there is no recording, nothing outside has changed.
        """
        if not self._may_trace() or entry.meets:
            self._patience.miss(entry)
            return None
        start = self._patience.tracing.now()
        try:
            recording = attempt(
                self._function, signature, self._cache.changing, entry.ints_change
            )
            if isinstance(recording, Recording):
                self._stats.tape += 1
                self._compile(entry, signature, recording)
            return recording
        finally:
            self._patience.tracing.spend(start)

    def _plain(self, args: Any, kwargs: Any) -> Any:
        self._stats.tape += 1
        start = self._patience.tracing.now()
        try:
            return run(self._function, (*self._bound, *args), kwargs)
        finally:
            self._patience.earn(start)

    def _on_tape_instead(
        self, entry: Entry, error: Exception, args: Any, kwargs: Any
    ) -> Any:
        """Decide whose an error of generated code is: the user's, if the tape has it.

        Raises
        ------
        Exception
            The user's own.
        """
        if entry.catches:
            return self._plain(args, kwargs)
        try:
            result = run(self._function, (*self._bound, *args), kwargs)
        except Exception as users:
            if told(users) != told(error):
                raise
        else:
            self._stats.tape += 1
            self._patience.fail(entry, error)
            return result
        raise error

    def _compile(
        self, entry: Entry, signature: Signature, recording: Recording
    ) -> None:
        """Make a trace of a recording, unless too many were made in vain."""
        if not self._patience.may_add(entry, self._cache.max_traces, signature):
            return
        try:
            with stage("a report"):
                header = reports.header_of(self._function, recording.arguments)
            name, report = self._function.__name__, self._patience.reporter(entry)
            trace = compile_recording(recording, name, header, report)
        except CompilerError as error:
            self._patience.fail(entry, error)
        else:
            entry.catches = entry.catches or recording.catches
            self._cache.add(entry, trace)
            self._stats.traces += 1

    def followed_by(self, follow: Callable[..., Any]) -> Any:
        """The function's copy, for a tracer that follows calls (``tracing.reads``)."""
        copy = follow(self._function)
        if not self._bound and not self._keywords:
            return copy
        if any(map(is_dynamic, flatten((self._bound, self._keywords))[0])):
            give_up(f"calls {self._function.__name__}, which holds arrays or floats")
        return functools.partial(copy, *self._bound, **self._keywords)

    # ----- Looking at it -----

    @property
    def stats(self) -> Stats:
        """Counters: ``calls``, ``compiled``, ``tape``, ``traces``, ``misses``."""
        return replace(self._stats)

    def source(self) -> str:
        """The generated modules, most recently used first in each signature."""
        return self.source_of(None)

    def source_of(self, form: Any) -> str:
        """Those of one transform."""
        texts = [
            text
            for entry in self._cache.entries(form)
            for trace in entry.traces
            for text in (trace.module.text, *trace.gradients.backwards.texts)
        ]
        if not texts:
            raise RuntimeError(
                f"{self._function.__name__} has no generated source: "
                f"{self._why_none(form)}"
            )
        return "\n\n".join(texts)

    def explain(self, as_dict: bool = False) -> Any:
        """Say in words what is compiled, what is not, and why.

        Parameters
        ----------
        as_dict : bool
            Whether to give it as a dict (``tracing.reports.report``) instead.
        """
        return self.explain_of(None, as_dict)

    def explain_of(self, form: Any, as_dict: bool = False) -> Any:
        """The same of one transform."""
        found = reports.report(
            self._function,
            self._stats,
            self._cache.entries(form),
            (self._patience.unkeyed, self._patience.gave_up),
        )
        return found if as_dict else reports.explain(found)

    def is_of(self, function: Callable[..., Any]) -> bool:
        """Whether it has the traces of a function."""
        return self._function is function

    def clear(self) -> None:
        """Forget all traces and counters."""
        self._cache.clear()
        self._forget()

    def _why_none(self, form: Any) -> str:
        entries = self._cache.entries(form)
        reasons = [entry.refusal for entry in entries if entry.refusal]
        if entries and not reasons and self.is_own:
            return "its first call runs on the tape, and is not written down"
        return reasons[0] if reasons else "it has not been called yet"

    def __repr__(self) -> str:
        return f"<traced {self._function.__qualname__}>"

    def __reduce__(self) -> Any:
        """Copy and pickle like a function: by name; else with what it was made of."""
        if self.__wrapped__ is self._function:
            return self._function.__qualname__
        return trace_with, (self.__wrapped__, self._verify, self._cache.max_traces)


def trace_with(function: Callable[..., Any], verify: bool, max_traces: int) -> Traced:
    """``trace`` with options by position, for ``pickle``."""
    return Traced(function, verify, max_traces)
