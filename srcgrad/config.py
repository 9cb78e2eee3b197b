"""The ``SRCGRAD_*`` environment variables, read once."""

import importlib.util
import os
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Config:
    """What the environment asks for.

    ``verify``: run the tape beside generated code, and compare. ``debug``: check graphs
    after every pass. ``max_traces``: how many traces one function may keep.
    ``native``: whether machine code is made, as for ``set_native``; None: as it is with
    Numba or without.
    """

    verify: bool = False
    debug: bool = False
    max_traces: int = 64
    native: bool | str | None = None


NATIVE = "SRCGRAD_NATIVE"


def _read() -> Config:
    return Config(
        verify=_is_on("SRCGRAD_VERIFY"),
        debug=_is_on("SRCGRAD_DEBUG"),
        max_traces=int(os.environ.get("SRCGRAD_MAX_TRACES", "64")),
        native=_native(os.environ.get(NATIVE)),
    )


def _native(text: str | None) -> bool | str | None:
    return _is_on(NATIVE) if text not in (None, "now") else text


@cache
def has_numba() -> bool:
    """Whether Numba is installed; it is not loaded for that."""
    return importlib.util.find_spec("numba") is not None


def _is_on(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "false", "no", "off")


config = _read()
