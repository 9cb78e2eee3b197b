"""``defufunc``: rules of ufuncs, by the names that SciPy gives their arguments."""

from typing import Any

from srcgrad.function_parameters import SIGNATURES
from srcgrad.rules.registry import defvjp


def defufunc(function: Any, parameters: str, **vjps: Any) -> None:
    """As ``defvjp``, of a ufunc: it has ``x1, x2`` for what SciPy calls ``v, z``."""
    SIGNATURES.setdefault(function, parameters)
    defvjp(function, **vjps)
