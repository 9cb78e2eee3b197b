"""Where prints, logs and warnings go: to code of the user's, perhaps, that does more.

A handler may count what it gets, and the function read that count afterwards. Generated
code reads first, and tells when all is done.

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

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from srcgrad.tracing.outside.conditions import Condition
from srcgrad.tracing.outside.places import Namer
from srcgrad.tracing.outside.trust import is_library, is_users


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


def _sinks(function: Any) -> Iterator[Any]:
    if function is print:
        yield sys.stdout
    elif function is warnings.warn:
        yield warnings.showwarning
    else:
        logger: Any = getattr(function, "__self__", logging.root)
        while logger is not None:
            yield from (logger, *logger.filters)
            for handler in logger.handlers:
                yield from (handler, *handler.filters, handler.formatter)
            logger = logger.parent if logger.propagate else None


def _is_users(sink: Any) -> bool:
    if isinstance(sink, FunctionType):
        return is_users(sink)
    module = sys.modules.get(type(sink).__module__)
    return module is None or not is_library(module)
