"""What stands for ``contextlib`` while a function is recorded.

A function that ``@contextmanager`` has made runs as a followed copy of the generator
that it is made of. ``suppress``, or an ``__exit__`` of the user's, swallows an error
only if it comes again at each call, and no refusal.
"""

import contextlib
import sys
from collections.abc import Callable
from types import FunctionType, MethodType, TracebackType
from typing import Any

import numpy as np

from srcgrad.tracing.refusal import Refusal, UserError, give_up

# What `ExitStack` does that is followed.
OF_STACKS = frozenset({"callback", "close", "enter_context"})


@contextlib.contextmanager
def _example() -> Any:
    yield


_CODE = _example.__code__


def generator_of(function: Any) -> Any:
    """The generator function behind what ``@contextmanager`` has made; or None."""
    inner = function.__func__ if isinstance(function, MethodType) else function
    if not isinstance(inner, FunctionType) or inner.__code__ is not _CODE:
        return None
    cells = dict(zip(_CODE.co_freevars, inner.__closure__ or (), strict=True))
    made = cells["func"].cell_contents
    return MethodType(made, function.__self__) if inner is not function else made


def managed(run: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The context manager that a generator function is made into."""
    return contextlib.contextmanager(run)(*args, **kwargs)


class Suppressing:
    """Stands for ``contextlib.suppress``."""

    def __init__(self, reads: Any, kinds: tuple[type[BaseException], ...]) -> None:
        self._reads, self._kinds = reads, kinds
        reads.catching.catches = True

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        is_caught = kind is not None and issubclass(kind, self._kinds)
        if not is_caught or isinstance(error, UserError):
            return False
        self._reads.catching.go_on_after(error)
        return True


class Managed:
    """Stands for what a ``with`` statement has, and sees what that swallows."""

    def __init__(self, reads: Any, manager: Any) -> None:
        self._reads, self._manager = reads, manager
        self._kind: Any = type(manager)
        # A generator's errors are caught by its text, if at all.
        is_known = isinstance(manager, (np.errstate, type(_example())))
        if not is_known and not self._kind.__module__.startswith("srcgrad."):
            reads.catching.catches = True

    def __enter__(self) -> Any:
        return self._kind.__enter__(self._manager)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        is_swallowed = self._kind.__exit__(self._manager, kind, error, trace)
        if error is None or isinstance(error, Refusal) or not is_swallowed:
            return False
        if error is self._reads.branching.left:
            give_up("catches an error that has left an arm of an `if`")
        self._reads.catching.go_on_after(error)
        return True


def caught(reads: Any, is_named: bool) -> None:
    """Go on after an error that the user's ``except`` has caught."""
    if is_named:
        give_up("catches an error by a name")
    reads.catching.go_on_after(sys.exc_info()[1])
