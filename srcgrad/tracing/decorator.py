"""``@trace``."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from srcgrad.tracing.traced import Traced

P = ParamSpec("P")
R = TypeVar("R")


@overload
def trace(
    function: Callable[P, R],
    *,
    verify: bool | None = None,
    max_traces: int | None = None,
    native: bool | str | None = None,
) -> Traced[P, R]: ...
@overload
def trace(
    function: None = None,
    *,
    verify: bool | None = None,
    max_traces: int | None = None,
    native: bool | str | None = None,
) -> Callable[[Callable[P, R]], Traced[P, R]]: ...
def trace(
    function: Callable[..., Any] | None = None,
    *,
    verify: bool | None = None,
    max_traces: int | None = None,
    native: bool | str | None = None,
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
    native : bool or {"now"}, optional
        Whether machine code is made of its traces, as ``set_native`` says it for all.
        Default: that.

    Returns
    -------
    Traced
        Called like the function. Has ``source()``, ``explain()``, ``stats``,
        ``clear()``, ``compile()``, ``export()``, ``use()``, ``diff()`` and
        ``__wrapped__``.

    Raises
    ------
    ValueError
        If ``native`` is something else.
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
        options = {"verify": verify, "max_traces": max_traces, "native": native}
        return functools.partial(trace, **options)
    return Traced(function, verify, max_traces, native=native)
