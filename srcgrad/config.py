"""The ``SRCGRAD_*`` environment variables, read once."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """What the environment asks for.

    ``verify``: run the tape beside generated code, and compare. ``debug``: check graphs
    after every pass. ``max_traces``: how many traces one function may keep.
    ``native``: whether machine code is made, as for ``set_native``.
    """

    verify: bool = False
    debug: bool = False
    max_traces: int = 64
    native: bool | str = False


NATIVE = "SRCGRAD_NATIVE"


def _read() -> Config:
    return Config(
        verify=_is_on("SRCGRAD_VERIFY"),
        debug=_is_on("SRCGRAD_DEBUG"),
        max_traces=int(os.environ.get("SRCGRAD_MAX_TRACES", "64")),
        native="now" if os.environ.get(NATIVE) == "now" else _is_on(NATIVE),
    )


def _is_on(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "false", "no", "off")


config = _read()
