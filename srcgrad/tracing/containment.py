"""``stage``: what fails inside the compiler is told from what the user's code raises.

It must not reach the user, since the tape has the result: see ``BackOff.fail``. Nor do
floating-point errors of what the user has not asked for: ``quietly``.
"""

import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from srcgrad.errors import CompilerError, told


@contextmanager
def stage(name: str, *known: type[Exception]) -> Iterator[None]:
    """Part of the compiler; what fails in it says where, but for what is ``known``.

    Raises
    ------
    CompilerError
        Naming the stage, caused by what went wrong in it.

    Examples
    --------
    >>> with stage("emission"):
    ...     1 / 0
    Traceback (most recent call last):
    ...
    srcgrad.errors.CompilerError: emission failed: ZeroDivisionError: division by zero
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, (CompilerError, *known)):
            raise
        raise CompilerError(f"{name} failed: {told(error)}") from error


def quietly(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function where floating-point errors are none.

    In a context of its own, which ends with the call whatever happens: Ctrl-C as
    ``np.errstate`` ends would leave them ignored.

    Examples
    --------
    >>> quietly(np.log, np.zeros(2)), np.geterr()["divide"]
    (array([-inf, -inf]), 'warn')
    """
    found: Any = contextvars.copy_context().run(_ignoring, function, *args)
    return found


def _ignoring(function: Callable[..., Any], *args: Any) -> Any:
    np.seterr(all="ignore")
    return function(*args)
