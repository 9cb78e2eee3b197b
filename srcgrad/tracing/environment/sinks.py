"""Where prints, logs and warnings go: to code of the user's, perhaps, that does more.

A handler may count what it gets, and the function read that count afterwards. Generated
code reads first, and tells when all is done. Of floating-point errors NumPy tells while
it computes, which is after all reads, too.

>>> import logging
>>> class Counting(logging.Handler):
...     __module__, count = "mine", 0
...     def emit(self, record):
...         self.count += 1
>>> logger = logging.getLogger("counted")
>>> runs_users_code(logger.info)
False
>>> logger.addHandler(Counting())
>>> runs_users_code(logger.info)
True
"""

import functools
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.tracing.environment.conditions import Condition
from srcgrad.tracing.environment.references import Namer
from srcgrad.tracing.environment.trust import is_library, is_users
from srcgrad.unboxing import KNOWS_STATE, state_now


def runs_users_code(function: Callable[..., Any]) -> bool:
    """Whether what such a function tells is told to code of the user's."""
    return any(map(_is_users, _sinks(function)))


def run_no_users_code(functions: Sequence[Callable[..., Any]]) -> Condition:
    """Whatever is told goes to libraries only."""

    def test(names: Sequence[str], name: Namer) -> str:
        run = name(runs_users_code, "runs_users_code")
        return " or ".join(f"{run}({name(each, 'tell')})" for each in functions)

    return Condition(
        (),
        lambda names, name: f"not ({test(names, name)})",
        "what is printed, logged or warned about goes to no code of the user's",
        "what is printed, logged or warned about goes to code of the user's",
    )


# What ``np.errstate`` said when it was last seen to call no handler of the user's.
_last_unheard: list[Any] = [object()]


def errors_run_users_code() -> bool:
    """Whether NumPy tells floating-point errors to code of the user's.

    >>> def mine(kind, flag): ...
    >>> mine.__globals__["__name__"] = "mine"
    >>> with np.errstate(divide="call", call=mine):
    ...     errors_run_users_code()
    True
    """
    now, words = state_now(None), {*np.geterr().values()}
    is_called = not words.isdisjoint(("call", "log"))
    if is_called and _is_users(np.geterrcall()):
        return True
    if KNOWS_STATE:
        _last_unheard[0] = now
    return "warn" in words and runs_users_code(warnings.warn)


def errors_run_no_users_code() -> Condition:
    """Floating-point errors are told to libraries only.

    To see that nothing has changed takes a tenth of the time of a look.
    """
    shows: Any = warnings.showwarning
    if getattr(shows, "__module__", "") != "warnings":
        shows = None  # each call looks again where that leads

    def test(names: Sequence[str], name: Namer) -> str:
        now, last = name(state_now, "state_now"), name(_last_unheard, "last_unheard")
        show, usual = name(warnings, "warnings"), name(shows, "showwarning")
        run = name(errors_run_users_code, "errors_run_users_code")
        seen = f"{now}(None) is {last}[0] and {show}.showwarning is {usual}"
        return f"{seen} or not {run}()"

    return Condition(
        (),
        test,
        "NumPy's floating-point errors run no code of the user's",
        "NumPy's floating-point errors run code of the user's, which reads its "
        "environment",
        is_assumed=True,
    )


def _sinks(function: Any) -> Iterator[Any]:
    if function is print:
        yield sys.stdout
    elif function is warnings.warn:
        yield from (warnings.showwarning, warnings.formatwarning, sys.stderr)
        if warnings.showwarning is getattr(logging, "_showwarning", None):
            yield from _sinks_of(logging.getLogger("py.warnings"))
    else:
        yield from _sinks_of(getattr(function, "__self__", logging.root))


def _sinks_of(logger: Any) -> Iterator[Any]:
    while logger is not None:
        yield from (logger, *logger.filters)
        for handler in logger.handlers:
            yield from (handler, *handler.filters, handler.formatter)
            yield from (getattr(handler, each, None) for each in ("stream", "target"))
        logger = logger.parent if logger.propagate else None


def _is_users(sink: Any) -> bool:
    if isinstance(sink, functools.partial):
        return _is_users(sink.func)
    if isinstance(sink, MethodType):
        return _is_users(sink.__func__) or _is_users(sink.__self__)
    if isinstance(sink, BuiltinMethodType):  # of a list of the user's, perhaps
        return not isinstance(sink.__self__, ModuleType)
    if isinstance(sink, FunctionType):
        return is_users(sink)
    module = sys.modules.get(type(sink).__module__)
    return module is None or not is_library(module)
