"""``@trace``: generated code where it fits, the tape where it does not."""

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from srcgrad.config import config
from srcgrad.errors import warn
from srcgrad.modes import refuse, state
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.variable import Variable
from srcgrad.tracing import reports
from srcgrad.tracing.argnums import Differentiation
from srcgrad.tracing.cache import Cache, Entry, Stats
from srcgrad.tracing.compiled_function import results_of
from srcgrad.tracing.follow import run
from srcgrad.tracing.record import Recording, record
from srcgrad.tracing.refusal import Refusal, UserError
from srcgrad.tracing.signature import Signature
from srcgrad.tracing.trace import Trace, compile_recording

# So many traces in a row of which none was used again: the function is left alone.
MAX_STREAK = 16


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


# A trace that fits a call, the leaves of the arguments and what was read outside, and
# what its forward has computed: outputs, what is saved.
Hit = tuple[Trace, Sequence[Any], Sequence[Any], Any]


class Traced:
    """A function with its traces; made by ``trace``."""

    def __init__(
        self,
        function: Callable[..., Any],
        verify: bool | None = None,
        max_traces: int | None = None,
    ) -> None:
        # The function itself, and the arguments that it has been given already.
        self._function, self._bound, self._keywords = _taken_apart(function)
        self._verify = config.verify if verify is None else verify
        limit = config.max_traces if max_traces is None else max_traces
        self._cache = Cache(limit)
        self._stats = Stats()
        self._unkeyed: str | None = None
        # Traces made since any was of use, and why no more are made, if so.
        self._streak = 0
        self._gave_up: str | None = None
        if hasattr(function, "__name__"):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    # ----- Calling -----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._keywords:
            kwargs = {**self._keywords, **kwargs}
        if not state.fast:
            refuse(f"{self._function.__name__} is called by untraced code")
            if state.anomaly:  # the tape knows every line
                self._stats.calls += 1
                return self._plain(args, kwargs)
        self._stats.calls += 1
        signature = Signature(args, kwargs, self._bound)
        entry = self._entry(signature)
        if entry is None:
            return self._plain(args, kwargs)
        hit = self._run_fitting(signature, entry)
        if hit is None:
            found = self._record(signature, entry)
            if isinstance(found, Recording):
                return found.result
            # If this raises an error, it is the user's, and other calls may go well.
            result = self._plain(args, kwargs)
            if found is not None:
                self._refuse(entry, found)
            return result
        trace, leaves, outs, saved = hit
        result = results_of(trace, leaves, outs, saved)
        if self._verify:
            expected = run(self._function, (*self._bound, *args), kwargs)
            reports.compare(self._function, result, expected)
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def value_and_gradients(
        self,
        differentiation: Differentiation,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> tuple[Any, Sequence[Any]] | None:
        """The result on ndarrays and floats, and the gradient of some of the arguments.

        None if the call has to be made on the tape.

        Raises
        ------
        TypeError
            If an argument to differentiate by, or the value, has no gradient.
        ValueError
            If ``argnums`` does not fit the arguments.
        """
        if not state.grad_enabled or state.recorder is not None:
            return None
        if state.anomaly or self._verify:
            return None
        if self._keywords:
            kwargs = {**self._keywords, **kwargs}
        signature = Signature(args, kwargs, self._bound, differentiation)
        entry = self._entry(signature)
        if entry is None:
            return None
        hit = self._run_fitting(signature, entry)
        if hit is None:
            return self._gradients_on_tape(signature, entry, differentiation)
        self._stats.calls += 1
        trace, leaves, outs, saved = hit
        gradients = trace.gradients
        pulled: Sequence[Any] = ()
        if trace.module.backward is not None:
            pulled = trace.module.call_backward(saved, ())
        if trace.interface.only == "array":
            result = outs[0]
        else:
            result = results_of(trace, leaves, outs, None)
        if gradients.are_as_wanted:
            return result, pulled
        wanted = [None if slot is None else pulled[slot] for slot in gradients.slots]
        return result, differentiation.packed(wanted, args)

    def _gradients_on_tape(
        self, signature: Signature, entry: Entry, differentiation: Differentiation
    ) -> tuple[Any, Sequence[Any]] | None:
        """The same for a call that becomes a further trace."""
        if any(isinstance(leaf, ArrayProtocol) for leaf in signature.leaves):
            self._refuse(entry, "differentiated by Variables: see the calls with them")
            return None
        entry.wanted = entry.wanted or differentiation.leaves_of(signature.args)
        recording = self._record(signature, entry)
        if not isinstance(recording, Recording):
            if recording is not None:
                self._refuse(entry, recording)
            return None
        self._stats.calls += 1
        pairs = zip(recording.interface.positions, recording.gradients, strict=True)
        found = dict(pairs)
        # On the tape, one gradient may be part of another, or read-only.
        gradients = [
            None if (g := found.get(leaf)) is None else np.array(g)
            for leaf in entry.wanted
        ]
        return recording.result, differentiation.packed(gradients, signature.args)

    def _entry(self, signature: Signature) -> Entry | None:
        """The traces of a signature; None if it is left to the tape."""
        if self._gave_up is not None:
            return None
        try:
            entry = self._cache.get(signature.key)
        except TypeError as error:  # a static argument that cannot be hashed
            self._unkeyed = f"an argument cannot be part of the cache's key: {error}"
            return None
        if entry is None:
            return self._cache.make(signature.key)
        return entry if entry.refusal is None else None

    def _run_fitting(self, signature: Signature, entry: Entry) -> Hit | None:
        """The trace that fits a call, if there is one."""
        for number, trace in enumerate(entry.traces):
            leaves = signature.leaves
            read = trace.read_outside(leaves)
            if isinstance(read, str):
                entry.last_miss = read
                continue
            if read:
                leaves = [*leaves, *read]
            found = trace.module.call_forward(
                [
                    leaf.value if type(leaf := leaves[i]) is Variable else leaf
                    for i in trace.interface.positions
                ]
            )
            if type(found) is str:
                entry.last_miss = found
                continue
            if number:
                entry.put_first(trace)
            entry.streak = self._streak = 0
            entry.used = self._stats.calls
            self._stats.compiled += 1
            return trace, leaves, *found
        if entry.traces:
            self._stats.misses += 1
        return None

    def _record(self, signature: Signature, entry: Entry) -> Recording | str | None:
        """Run the call on the tape, recorded as a further trace; or say why not.

        None: the user's code raises an error. Where there is no recording, nothing
        outside has changed.
        """
        try:
            recording = record(self._function, signature, entry.wanted)
        except UserError:
            return None
        except Refusal as refusal:
            return str(refusal)
        except Exception as error:
            # It may be the user's own error, or come from a stand-in that is not quite
            # an ndarray. A plain run decides.
            return f"while it was traced: {type(error).__name__}: {error}"
        if (entry.wanted or state.depth) and recording.has_lost_its_gradient:
            # The tape warns, with the line.
            return "takes a number out of what it is differentiated by"
        if signature.differentiation is not None:
            signature.differentiation.check(recording.result, self._function)
        self._stats.tape += 1
        self._compile(entry, signature, recording)
        return recording

    def _refuse(self, entry: Entry, reason: str) -> None:
        """Leave a signature to the tape; if it has traces, once they are of no use."""
        entry.streak += 1
        if entry.traces and entry.streak <= MAX_STREAK:
            entry.last_miss = reason
        else:
            entry.refusal = reason

    def _plain(self, args: Any, kwargs: Any) -> Any:
        self._stats.tape += 1
        return run(self._function, (*self._bound, *args), kwargs)

    def _compile(
        self, entry: Entry, signature: Signature, recording: Recording
    ) -> None:
        """Make a trace of a recording, unless too many were made in vain."""
        entry.streak += 1
        self._streak += 1
        if entry.streak > MAX_STREAK:
            entry.refusal = (
                f"no trace was of use twice; the last miss: {entry.last_miss}"
            )
            return self._warn(entry.refusal)
        if self._streak > max(self._cache.max_traces, MAX_STREAK):
            self._gave_up = (
                f"{self._streak} traces in a row were made, and none was of use twice; "
                f"the last for {reports.arguments_of(signature)}"
            )
            return self._warn(self._gave_up)
        inputs = recording.graph.inputs
        arguments = inputs[: len(inputs) - len(recording.outside.taken)]
        header = reports.header_of(self._function, arguments)
        name = self._function.__name__
        trace = compile_recording(recording, name, header, signature, entry.wanted)
        self._cache.add(entry, trace)
        self._stats.traces += 1
        return None

    def _warn(self, reason: str) -> None:
        name = self._function.__name__
        warn(f"{name} stays on the tape from now on: {reason}")

    def followed_by(self, follow: Callable[..., Any]) -> Any:
        """The function's copy, for a tracer that follows calls (``tracing.reads``)."""
        copy = follow(self._function)
        if not self._bound and not self._keywords:
            return copy
        return functools.partial(copy, *self._bound, **self._keywords)

    # ----- Looking at it -----

    @property
    def stats(self) -> Stats:
        """Counters: ``calls``, ``compiled``, ``tape``, ``traces``, ``misses``."""
        return replace(self._stats)

    def source(self) -> str:
        """The generated modules, most recently used first in each signature."""
        texts = [
            text
            for entry in self._cache.entries()
            for trace in entry.traces
            for text in (trace.module.text, *trace.gradients.backwards.texts)
        ]
        if not texts:
            raise RuntimeError(
                f"{self._function.__name__} has no generated source: {self._why_none()}"
            )
        return "\n\n".join(texts)

    def explain(self) -> str:
        """Say in words what is compiled, what is not, and why."""
        return reports.explain(
            self._function,
            self._stats,
            self._cache.entries(),
            (self._unkeyed, self._gave_up),
        )

    def clear(self) -> None:
        """Forget all traces and counters."""
        self._cache.clear()
        self._stats = Stats()
        self._unkeyed = self._gave_up = None
        self._streak = 0

    def _why_none(self) -> str:
        reasons = [entry.refusal for entry in self._cache.entries() if entry.refusal]
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


def _taken_apart(
    function: Callable[..., Any],
) -> tuple[FunctionType, tuple[Any, ...], dict[str, Any]]:
    """The Python function behind a callable, and what is passed to it already.

    Raises
    ------
    TypeError
        If there is none, or it is of a kind that cannot be traced.
    """
    if isinstance(function, functools.partial):
        inner, bound, keywords = _taken_apart(function.func)
        if any(arg is getattr(functools, "Placeholder", None) for arg in function.args):
            raise TypeError("trace takes no partial with placeholders")
        keywords = {**keywords, **function.keywords} if keywords else function.keywords
        return inner, bound + function.args, keywords
    if isinstance(function, MethodType):
        return _python_function(function.__func__), (function.__self__,), {}
    if isinstance(function, FunctionType):
        return _python_function(function), (), {}
    return _python_function(function), (function,), {}


def _python_function(function: Callable[..., Any]) -> FunctionType:
    """The Python function that a callable is, or that its class calls."""
    if isinstance(function, type):
        raise TypeError(
            f"trace takes a function, not the class {function.__name__}: trace its "
            "methods instead"
        )
    if isinstance(function, Traced):
        raise TypeError(f"{function!r} is traced already")
    if isinstance(function, (staticmethod, classmethod, property)):
        raise TypeError(
            f"put @trace below @{type(function).__name__}, next to the function itself"
        )
    found: Any = function
    if not isinstance(found, (FunctionType, BuiltinFunctionType)):
        found = vars(type(found)).get("__call__")
    if not isinstance(found, FunctionType):
        raise TypeError(
            f"trace takes a function written in Python, but got {function!r}"
        )
    if inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
        raise TypeError(f"{found.__qualname__} is a generator: it cannot be traced")
    if inspect.iscoroutinefunction(found):
        raise TypeError(f"{found.__qualname__} is a coroutine: it cannot be traced")
    return found
