"""``stage``: what fails inside the compiler is told from what the user's code raises.

It must not reach the user, since the tape has the result: see ``Patience.fail``.
"""

from collections.abc import Iterator
from contextlib import contextmanager

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
