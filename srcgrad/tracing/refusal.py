"""How the tracer gives up on a call: it is run on the tape instead."""

from typing import NoReturn

from srcgrad.errors import caller, describe


class Refusal(BaseException):
    """A traced function does what generated code would not cover.

    Not an ``Exception``: no ``except`` clause of the user's may swallow it.
    """


class UserError(Exception):
    """A traced function raises an error; which, the run on the tape will tell."""


def give_up(reason: str) -> NoReturn:
    """Give up, and say why and where: this call stays on the tape.

    Raises
    ------
    Refusal
        Nothing outside has been changed by then.
    """
    frame = caller(2)
    place = "" if frame is None else f"{describe((frame.f_code, frame.f_lasti))}: "
    raise Refusal(f"{place}{reason}")
