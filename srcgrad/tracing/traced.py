"""``@trace``: generated code where it fits, the tape where it does not."""

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from srcgrad.config import config
from srcgrad.graph import Guard
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.variable import Variable
from srcgrad.tracing import reports
from srcgrad.tracing.cache import Cache, Entry, Stats
from srcgrad.tracing.compiled_function import results_of
from srcgrad.tracing.record import Recording, record
from srcgrad.tracing.refusal import Refusal, UserError, refuse
from srcgrad.tracing.signature import Signature
from srcgrad.tracing.trace import compile_recording

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


class Traced:
    """A function with its traces; made by ``trace``."""

    def __init__(
        self,
        function: Callable[..., Any],
        verify: bool | None = None,
        max_traces: int | None = None,
    ) -> None:
        self._function = _python_function(function)
        # What a bound method or callable object is called on.
        self._bound: tuple[Any, ...] = ()
        if not isinstance(function, FunctionType):
            self._bound = (getattr(function, "__self__", function),)
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
        if self._bound:
            args = (*self._bound, *args)
        if not state.fast:
            if state.recorder is not None:
                name = self._function.__name__
                refuse(f"{name} is called by untraced code")
            if state.anomaly:  # the tape knows every line
                self._stats.calls += 1
                return self._plain(args, kwargs)
        self._stats.calls += 1
        signature = Signature(args, kwargs)
        found = self._find(signature)
        if type(found) is Entry:
            return self._on_tape(signature, found)[0]
        if found is None:
            return self._plain(args, kwargs)
        trace, (outs, saved), _ = found
        result = results_of(trace, signature.leaves, outs, saved)
        if self._verify:
            expected = self._function(*args, **kwargs)
            reports.compare(self._function, result, expected)
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def value_and_gradients(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        argnums: tuple[int, ...],
        has_aux: bool,
        prepare: Callable[[Any], tuple[Sequence[int], Any]],
        check: Callable[[Any], None],
    ) -> tuple[Any, Sequence[Any]] | None:
        """The result on ndarrays and floats, and the gradient of some of the arguments.

        They are those of the result's first leaf. ``prepare(args)`` is asked once for a
        signature: which leaves are differentiated, and how to make the gradients of
        theirs (None: they are as they should be). ``check(result)`` raises if that has
        no gradient; the shapes and dtypes of a trace's result do not change. None if
        the call has to be made on the tape.
        """
        if not state.grad_enabled or state.recorder is not None:
            return None
        if state.anomaly or self._verify:
            return None
        if self._bound:
            args = (*self._bound, *args)
            argnums = tuple(number + 1 for number in argnums)
        signature = Signature(args, kwargs, (argnums, has_aux))
        found = self._find(signature)
        if found is None:
            return None
        if type(found) is Entry:
            if not found.wanted:
                if any(isinstance(leaf, ArrayProtocol) for leaf in signature.leaves):
                    found.refusal = (
                        "differentiated by Variables: see the calls with them"
                    )
                    return None
                found.wanted, found.pack = prepare(args)
            result, recording = self._on_tape(signature, found, check)
            if recording is None:
                return None
            self._stats.calls += 1
            by_leaf = dict(zip(recording.positions, recording.gradients, strict=True))
            # On the tape, one gradient may be part of another, or read-only.
            gradients = [
                None if g is None else np.array(g)
                for g in map(by_leaf.get, found.wanted)
            ]
            return result, _packed(gradients, signature, found)
        self._stats.calls += 1
        trace, (outs, saved), entry = found
        pulled = trace.pull_back(saved, trace.ones) if trace.metas else ()
        if trace.is_plain:
            result = outs[0]
        else:
            result = results_of(trace, signature.leaves, outs, None)
        if entry.pack is None and trace.is_direct:
            return result, pulled
        gradients = [None if slot is None else pulled[slot] for slot in trace.slots]
        return result, _packed(gradients, signature, entry)

    def _find(self, signature: Signature) -> Any:
        """A trace and what its forward gave; or the entry to extend; or None."""
        if self._gave_up is not None:
            return None
        try:
            entry = self._cache.get(signature.key)
        except TypeError as error:  # a static argument that cannot be hashed
            self._unkeyed = f"an argument cannot be part of the cache's key: {error}"
            return None
        if entry is None:
            return self._cache.make(signature.key)
        if entry.refusal is not None:
            return None
        leaves = signature.leaves
        for number, trace in enumerate(entry.traces):
            reason = trace.changed()
            if reason is None:
                raws = [
                    leaf.value if type(leaf := leaves[i]) is Variable else leaf
                    for i in trace.positions
                ]
                found = trace.run(raws)
                if type(found) is not str:
                    if number:
                        entry.put_first(trace)
                    entry.streak = self._streak = 0
                    entry.used = self._stats.calls
                    self._stats.compiled += 1
                    return trace, found, entry
                reason = found
            entry.last_miss = reason
        self._stats.misses += 1
        return entry

    def _on_tape(
        self,
        signature: Signature,
        entry: Entry,
        check: Callable[[Any], None] | None = None,
    ) -> tuple[Any, Recording | None]:
        """Run the call on the tape, and record it as a further trace."""
        try:
            recording = record(self._function, signature, entry.wanted)
            if (entry.wanted or state.depth) and _has_lost_its_gradient(recording):
                # The tape warns, with the line.
                raise Refusal("takes a number out of what it is differentiated by")
        except UserError:
            reason = None  # it will be raised again; other calls may go well
        except Refusal as refusal:
            reason = str(refusal)
        except Exception as error:
            # It may be the user's own error, or come from a stand-in that is not quite
            # an ndarray. The plain run decides: if it succeeds, so do further ones.
            reason = f"while it was traced: {type(error).__name__}: {error}"
        else:
            if check is not None:
                check(recording.result)
            self._stats.tape += 1
            self._add(entry, signature, recording)
            return recording.result, recording
        result = None
        if not entry.wanted:
            result = self._plain(signature.args, signature.kwargs)
        if reason is not None:
            self._refuse(entry, reason)
        return result, None

    def _refuse(self, entry: Entry, reason: str) -> None:
        """Leave a signature to the tape; if it has traces, once they are of no use."""
        entry.streak += 1
        if entry.traces and entry.streak <= MAX_STREAK:
            entry.last_miss = reason
        else:
            entry.refusal = reason

    def _plain(self, args: Any, kwargs: Any) -> Any:
        self._stats.tape += 1
        return self._function(*args, **kwargs)

    def _add(self, entry: Entry, signature: Signature, recording: Recording) -> None:
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
        header = reports.header_of(self._function, recording.graph.inputs)
        name = self._function.__name__
        self._cache.add(entry, compile_recording(recording, name, header, entry.wanted))
        self._stats.traces += 1
        return None

    def _warn(self, reason: str) -> None:
        warnings.warn(
            f"{self._function.__name__} stays on the tape from now on: {reason}",
            RuntimeWarning,
            stacklevel=5,
        )

    def followed_by(self, follow: Callable[..., Any]) -> Any:
        """The function's copy, for a tracer that follows calls (``tracer.reads``)."""
        copy = follow(self._function)
        return functools.partial(copy, *self._bound) if self._bound else copy

    # ----- Looking at it -----

    @property
    def stats(self) -> Stats:
        """Counters: ``calls``, ``compiled``, ``tape``, ``traces``, ``misses``."""
        return replace(self._stats)

    def source(self) -> str:
        """The generated modules, most recently used first in each signature."""
        texts = [t.module.text for entry in self._cache for t in entry.traces]
        if not texts:
            raise RuntimeError(
                f"{self._function.__name__} has no generated source: {self._why_none()}"
            )
        return "\n\n".join(texts)

    def explain(self) -> str:
        """Say in words what is compiled, what is not, and why."""
        return reports.explain(
            self._function, self._stats, self._cache, (self._unkeyed, self._gave_up)
        )

    def clear(self) -> None:
        """Forget all traces and counters."""
        self._cache.clear()
        self._stats = Stats()
        self._unkeyed = self._gave_up = None
        self._streak = 0

    def _why_none(self) -> str:
        reasons = [entry.refusal for entry in self._cache if entry.refusal]
        return reasons[0] if reasons else "it has not been called yet"

    def __repr__(self) -> str:
        return f"<traced {self._function.__qualname__}>"

    def __reduce__(self) -> Any:
        """Copy and pickle like a function: by name; a bound one, with its object."""
        if not self._bound:
            return self._function.__qualname__
        return trace_with, (self.__wrapped__, self._verify, self._cache.max_traces)


def trace_with(function: Callable[..., Any], verify: bool, max_traces: int) -> Traced:
    """``trace`` with options by position, for ``pickle``."""
    return Traced(function, verify, max_traces)


def _has_lost_its_gradient(recording: Recording) -> bool:
    """Whether the value depends on the arguments through plain numbers alone."""
    is_constant = not any(output.has_grad for output in recording.outputs)
    return is_constant and any(
        isinstance(node, Guard) and node.convert in (int, float, complex)
        for node in recording.graph.nodes
    )


def _packed(gradients: list[Any], signature: Signature, entry: Entry) -> Sequence[Any]:
    """The gradients as the transform returns them."""
    if entry.pack is not None:
        packed: Sequence[Any] = entry.pack(gradients, signature.args)
        return packed
    leaves = signature.leaves
    return [
        np.zeros(leaves[i].shape, leaves[i].dtype) if g is None else g
        for i, g in zip(entry.wanted, gradients, strict=True)
    ]


def _python_function(function: Callable[..., Any]) -> FunctionType:
    """The Python function behind a callable.

    Raises
    ------
    TypeError
        If there is none, or it is of a kind that cannot be traced.
    """
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
    if isinstance(found, MethodType):
        found = found.__func__
    elif not isinstance(found, (FunctionType, BuiltinFunctionType)):
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
