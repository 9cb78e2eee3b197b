"""What changes behaviour from outside, by thread: grad mode, recorder, anomaly.

>>> from srcgrad import is_grad_enabled, no_grad
>>> with no_grad():
...     is_grad_enabled()
False
>>> is_grad_enabled()
True
"""

import functools
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, NoReturn, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Recorder(Protocol):
    """Who is told what happens on the tape, while a function is traced.

    What it cannot follow it refuses, by an exception that no user's code catches.
    ``kept_before``: the bytes of arrays as they were before they were written into.
    """

    kept_before: int

    def before(
        self, function: Callable[..., Any], args: Any, kwargs: Any, target: Any = None
    ) -> Any:
        """An operation is about to run (in place, on a target).

        Returns what ``after`` wants to know again; it has the ``args`` and ``kwargs``
        that the operation shall run with.
        """

    def failed(
        self, error: Exception, function: Callable[..., Any], args: Any, kwargs: Any
    ) -> None:
        """An operation has raised an error."""

    def after(self, call: Any, out: Any) -> None:
        """The operation has run, with this result."""

    def operands(self, args: Any) -> Any:
        """An operation on these, and nothing else, is about to run.

        Returns what ``computed`` wants to know again.
        """

    def computed(self, function: Callable[..., Any], operands: Any, out: Any) -> None:
        """The operation has run, with this one result."""

    def writes_in_place(self, target: Any) -> None:
        """A Variable is about to be written into."""

    def replaced(self, before: Any, after: Any) -> None:
        """An array was written into; what holds it, holds another one instead."""

    def keep(self, variable: Any) -> None:
        """What is in a Variable's memory may be overwritten: as it was may be asked."""

    def taken_out(self, variable: Any, convert: Any, seen: Any) -> None:
        """A Variable's value becomes a Python number."""

    def gradient(self, node: Any, g: Any) -> None:
        """The engine is about to go through a node, with this cotangent."""

    def backward(self, node: Any, grads: Any) -> Any:
        """Run the ``backward`` of a user's Function, in a form that can be followed."""

    def restored(self, raw: Any, before: Any) -> None:
        """What was saved has been overwritten; this array is as it was before."""

    def knows(self, raw: Any) -> bool:
        """Whether an array is the value of something that it was told of."""

    def refuse(self, reason: str) -> NoReturn:
        """Give up."""

    def entered(self, variable: Any, start_of: Any = None) -> None:
        """A transform differentiates by this, which has an edge of its own.

        It may be where a walk back from something starts.
        """

    def follow_backward(self, node: Any, backward: Any) -> None:
        """A node goes back by code of the user's, which is followed."""

    def looks_along(self, variable: Any) -> None:
        """Python asks for the length of an array, or goes along it."""

    def holds(self, variable: Any) -> None:
        """A transform starts from this number or array, which is a constant."""

    def walked(self, starts: Any, targets: Any) -> dict[Any, Any] | None:
        """What a walk back finds, if it has not to be recorded step by step."""

    def walking(
        self, starts: Any, targets: Any
    ) -> AbstractContextManager[dict[Any, Any]]:
        """While a transform walks back: no code of the user's runs."""


class State(threading.local):
    """The modes of one thread.

    ``fast`` is true when nothing but the tape is wanted (gradients on, no recorder, no
    anomaly detection): the one thing that a hot path looks at; ``compiles`` when
    generated code runs in the usual way, see ``set_stance``. ``checks_results``: it is
    looked for NaN in what the user's operations give, too. ``native``: whether machine
    code is made of generated code, see ``set_native``; None: as the environment says;
    ``native_threads``: for so many threads.
    ``depth`` counts the ``srcgrad.grad`` transforms that are running,
    ``is_outermost``: it compiles, and there are none; ``left_behind`` is what followed
    functions have stored into; None outside of them. ``inplace`` is what happens to
    saved arrays that are written into, see ``set_inplace``. ``pickled`` are the ids of
    functions that are being pickled.
    ``any_length``: of what is compiled the shapes may be others than those seen.
    ``walk`` stands for the walk back that is on its way, where somebody asks;
    ``deadline`` is that of the compilation that is (``srcgrad.deadline``).
    """

    grad_enabled: bool = True
    recorder: Recorder | None = None
    anomaly: bool = False
    checks_results: bool = False
    depth: int = 0
    left_behind: Any = None
    fast: bool = True
    stance: str = "default"
    native: bool | str | None = None
    native_threads: int = 1
    compiles: bool = True
    is_outermost: bool = True
    inplace: str = "copy"
    pickled: frozenset[int] = frozenset()
    any_length: bool = False
    walk: Any = None
    deadline: Any = None


state = State()
# The functions with a fast path, and those of them that users have given another rule
# than it knows. While there are some, nothing takes one.
WITH_FAST_PATHS: set[Any] = set()
REDEFINED: set[Any] = set()


class override:
    """A context manager, and decorator, that sets modes and restores them.

    Parameters
    ----------
    **modes
        Attributes of ``State`` with their values inside.
    """

    def __init__(self, **modes: Any) -> None:
        self._modes = modes
        self._before: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        self._before.append({name: getattr(state, name) for name in self._modes})
        _set(self._modes)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _set(self._before.pop())

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        modes = self._modes

        @functools.wraps(function)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            with override(**modes):
                return function(*args, **kwargs)

        return inside


def modes_now() -> dict[str, Any]:
    """All of them, to be put back by ``vars(state).update(...)``.

    No code of ours runs in that, so not even Ctrl-C comes before it, as it may before
    the first line of ``__exit__``.
    """
    return {name: getattr(state, name) for name in State.__annotations__}


def _set(modes: dict[str, Any]) -> None:
    for name, value in modes.items():
        setattr(state, name, value)
    state.fast = state.grad_enabled and state.recorder is None and not state.anomaly
    state.compiles = state.fast and state.stance == "default"
    state.is_outermost = state.compiles and not state.depth


def refuse(reason: str) -> None:
    """What generated code would not do: a recorder that is there gives up."""
    if state.recorder is not None:
        state.recorder.refuse(reason)


def refuse_use_of(attribute: str) -> None:
    """An access would take an array out of the sight of a recorder that is there."""
    if state.recorder is not None:  # most often there is none, and no need for text
        refuse(f"uses `{attribute}` of an array, which generated code cannot follow")


class no_grad(override):
    """Context manager or decorator inside which nothing is put on the tape."""

    def __init__(self) -> None:
        super().__init__(grad_enabled=False)


class enable_grad(override):
    """Context manager or decorator that puts the tape back on inside ``no_grad``."""

    def __init__(self) -> None:
        super().__init__(grad_enabled=True)


class setting(override):
    """A context manager, and decorator, that sets modes at once."""

    def __init__(self, **modes: Any) -> None:
        super().__init__(**modes)
        self._before.append({name: getattr(state, name) for name in modes})
        _set(self._modes)

    def __enter__(self) -> None:
        _set(self._modes)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        _set(self._before[-1])  # as a decorator it says nothing about now
        return super().__call__(function)


class set_grad_enabled(setting):
    """Turn the tape on or off: at once, and until the end of a ``with`` statement.

    Parameters
    ----------
    mode : bool
        Whether operations are put on the tape.
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(grad_enabled=bool(mode))


def is_grad_enabled() -> bool:
    """Whether operations of this thread are put on the tape."""
    return state.grad_enabled


STANCES = ("default", "tape", "fail_on_miss", "verify")


class set_stance(setting):
    """Say what generated code is for: at once, and until the end of a ``with``.

    It holds for the calls of this thread, of traced functions and of transforms.

    Parameters
    ----------
    stance : {"default", "tape", "fail_on_miss", "verify"}
        ``"default"``: what fits runs as generated code. ``"tape"``: everything runs on
        the tape, and nothing is recorded. ``"fail_on_miss"``: a call that no trace
        fits raises an error, that says why. ``"verify"``: the tape runs beside
        generated code, and ``DivergenceError`` is raised where values or gradients
        differ.

    Raises
    ------
    ValueError
        If there is no such stance.

    Examples
    --------
    >>> import srcgrad
    >>> with srcgrad.set_stance("tape"):
    ...     srcgrad.grad(lambda x: x * x)(3.0)
    6.0
    """

    def __init__(self, stance: str) -> None:
        if stance not in STANCES:
            raise ValueError(f"stance is one of {STANCES}, but got {stance!r}")
        super().__init__(stance=stance)


class set_native(setting):
    """Say whether machine code is made of generated code: until the end of a ``with``.

    That takes Numba (``pip install srcgrad[native]``). It holds for the traces that
    calls of this thread make from then on, of traced functions and of transforms. What
    is compiled does the same as the generated code within rounding; a call that NumPy
    would warn of, or that a guard does not fit, is answered by the generated code.

    Parameters
    ----------
    mode : bool or {"now"}
        ``False``: none. ``True``: of a trace whose calls have taken as long as Numba
        will; a process beside the program compiles, and no call waits. So it is
        without a word where Numba is installed. ``"now"``: of each trace when it is
        made. Where NumPy is faster, it stays.
    threads : int
        Loops over 32,768 elements and more are shared by so many threads of Numba's.

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> import srcgrad
    >>> with srcgrad.set_native(False):
    ...     srcgrad.grad(lambda x: x * x)(3.0)
    6.0
    """

    def __init__(self, mode: bool | str, *, threads: int = 1) -> None:
        if type(threads) is not int or threads < 1:
            raise ValueError(f"threads is a number from 1 on, but got {threads!r}")
        super().__init__(native=native_mode(mode), native_threads=threads)


def native_mode(mode: object) -> Any:
    """The mode, if it is one of ``set_native``.

    Raises
    ------
    ValueError
        If it is not.
    """
    if type(mode) is not bool and mode != "now":
        raise ValueError(f'native is True, False or "now", but got {mode!r}')
    return mode


INPLACE = ("copy", "warn", "error")


class set_inplace(setting):
    """Say what in-place operations do to arrays that are saved for a backward pass.

    At once, and until the end of a ``with``, for the operations of this thread.

    Parameters
    ----------
    mode : {"copy", "warn", "error"}
        ``"copy"``: what they overwrite is copied first, and the gradient is right.
        ``"warn"``: the same, and a warning tells where, and how many bytes.
        ``"error"``: it is not copied, and the backward pass raises ``InplaceError``,
        as in PyTorch.

    Raises
    ------
    ValueError
        If there is no such mode.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> x = srcgrad.Variable(np.ones(2), requires_grad=True)
    >>> y = x * 3.0
    >>> z = y * y
    >>> y += 1.0
    >>> z.sum().backward()
    >>> x.grad.data
    array([18., 18.])
    """

    def __init__(self, mode: str) -> None:
        if mode not in INPLACE:
            raise ValueError(f"mode is one of {INPLACE}, but got {mode!r}")
        super().__init__(inplace=mode)


class detect_anomaly(override):
    """Context manager or decorator: NaN or infinity that comes up is an error.

    The first operation on Variables that gives NaN or infinity, though it was given
    none, raises ``AnomalyError``, which names its line: in the function itself, and in
    the backward pass. Everything runs on the tape.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> @srcgrad.detect_anomaly()
    ... def slope(x):
    ...     return srcgrad.grad(lambda x: np.log(x) * 2.0)(x)
    >>> with np.errstate(divide="ignore"):
    ...     slope(0.0)
    Traceback (most recent call last):
    srcgrad.AnomalyError: log returned nan or infinity, though its arguments are finite
    """

    def __init__(self) -> None:
        super().__init__(anomaly=True, checks_results=True)
