"""The ``SRCGRAD_*`` environment variables, read once."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """What the environment asks for.

    ``verify``: run the tape beside generated code, and compare. ``debug``: check graphs
    after every pass. ``max_traces``: how many traces one function may keep.
    """

    verify: bool = False
    debug: bool = False
    max_traces: int = 64


def _read() -> Config:
    return Config(
        verify=_is_on("SRCGRAD_VERIFY"),
        debug=_is_on("SRCGRAD_DEBUG"),
        max_traces=int(os.environ.get("SRCGRAD_MAX_TRACES", "64")),
    )


def _is_on(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "false", "no", "off")


config = _read()
