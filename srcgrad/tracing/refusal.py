"""How the tracer gives up on a call: it is run on the tape instead."""

from types import CodeType
from typing import NoReturn

from srcgrad.errors import caller, describe


class Refusal(BaseException):
    """A traced function does what generated code would not cover.

    Not an ``Exception``: no ``except`` clause of the user's may swallow it.
    """


class WritesInto(Refusal):
    """It writes into the environment's array at ``reference``; another try knows."""

    def __init__(self, reason: str, reference: str) -> None:
        super().__init__(reason)
        self.reference = reference


class SetsInArms(Refusal):
    """What arms set is looked at by others: another attempt has the code as it is."""

    def __init__(self, code: CodeType) -> None:
        super().__init__("sets attributes in the arms of an `if`")
        self.code = code


class InFull(Refusal):
    """A loop was recorded as one, and has to be recorded iteration by iteration."""


class UserError(Exception):
    """A traced function raises an error; which, the run on the tape will tell."""


def give_up(reason: str) -> NoReturn:
    """Give up, and say why and where: this call stays on the tape.

    Raises
    ------
    Refusal
        Nothing of the environment has been changed by then.
    """
    raise Refusal(_here(reason))


def give_up_write(reference: str, reason: str) -> NoReturn:
    """Give up for now, because of a write into the array at a reference.

    Raises
    ------
    WritesInto
        The same.
    """
    raise WritesInto(_here(reason), reference)


def _here(reason: str) -> str:
    frame = caller(3)
    reference = "" if frame is None else f"{describe((frame.f_code, frame.f_lasti))}: "
    return f"{reference}{reason}"
