"""``Deadline``: how long a compilation may take, and who is told that it is long.

The tracer sets one; what compiles calls ``check`` as it goes, and gives up there.

>>> ticks = iter([0.0, 2.0, 5.0]).__next__
>>> deadline = Deadline("loss", seconds=4.0, clock=ticks)
>>> deadline.is_told = True  # else somebody would be told
>>> deadline.check()
>>> deadline.check()
Traceback (most recent call last):
...
srcgrad.deadline.TookTooLong: takes more than 4 s to compile
"""

import logging
import time
from collections.abc import Callable

from srcgrad.errors import warn
from srcgrad.modes import state
from srcgrad.policy import LONGEST_COMPILATION, TIMES_THE_RUN, TOLD_AFTER

LOGGER = logging.getLogger("srcgrad")


class TookTooLong(BaseException):
    """A compilation has come to its deadline: the call stays on the tape.

    Not an ``Exception``: no ``except`` clause of the user's may swallow it.
    """


class Deadline:
    """That of one function's compilation, from now on.

    Parameters
    ----------
    name : str
        What is compiled.
    seconds : float, optional
        What it may take. Without, as long as the policy allows, once the function
        itself has run.
    clock : callable, optional
        Gives seconds.
    """

    # Of the thread, not of the wall: a busy machine is not the compiler's. Tests put
    # another in its place.
    clock: Callable[[], float] = staticmethod(time.thread_time)

    # Whether somebody was told, of any function, without having asked.
    has_warned = False

    def __init__(
        self,
        name: str,
        seconds: float | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.name, self.seconds = name, seconds
        self.now = clock or self.clock
        self.is_told = False
        self._start = self.now()

    @property
    def spent(self) -> float:
        """How long it has taken so far."""
        return self.now() - self._start

    def compiles(self) -> None:
        """The function has run; what is done from now on is the compiler's work."""
        if self.seconds is None:
            run = self.spent
            self.seconds = run + max(LONGEST_COMPILATION, TIMES_THE_RUN * run)

    def check(self) -> None:
        """Go on, or give up.

        Raises
        ------
        TookTooLong
            If the time is over.
        """
        if self.seconds is None:
            return
        spent = self.spent
        if spent > self.seconds:
            raise TookTooLong(f"takes more than {self.seconds:.3g} s to compile")
        if spent > TOLD_AFTER and not self.is_told:
            self.is_told = True
            self._tell()

    def _tell(self) -> None:
        """Say that it takes a while: to the logger, or once to who does not listen."""
        message = (
            f"the compilation of {self.name} has taken {TOLD_AFTER:.3g} s, and may "
            f"take {self.seconds:.3g} s in all, once; from then on its calls are fast"
        )
        if LOGGER.hasHandlers():
            LOGGER.info(message)
        elif not Deadline.has_warned:
            Deadline.has_warned = True
            warn(f"{message} (further ones are told to the logger `srcgrad`)")


def check() -> None:
    """Go on, unless there is a deadline that has come.

    Raises
    ------
    TookTooLong
        If it has.
    """
    if state.deadline is not None:
        state.deadline.check()


def compiles() -> None:
    """What is done from now on is the compiler's work."""
    if state.deadline is not None:
        state.deadline.compiles()
