"""``defufunc``: rules of ufuncs, by the names that SciPy gives their arguments."""

import functools
from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.function_parameters import SIGNATURES
from srcgrad.rules.registry import defvjp
from srcgrad.updates import cast

# What single precision is too short for: a term less one that is nearly equal.
WIDER = {
    np.dtype(np.float16): np.float64,
    np.dtype(np.float32): np.float64,
    np.dtype(np.complex64): np.complex128,
}


def defufunc(function: Any, parameters: str, **vjps: Any) -> None:
    """As ``defvjp``, of a ufunc: it has ``x1, x2`` for what SciPy calls ``v, z``.

    The rules compute in double precision, as most of these functions do themselves.
    """
    SIGNATURES.setdefault(function, parameters)
    defvjp(function, **{name: vjp and in_doubles(vjp) for name, vjp in vjps.items()})


def in_doubles(vjp: Operation) -> Operation:
    @functools.wraps(vjp)
    def back(g: Any, *needs: Any) -> Any:
        return vjp(g, *map(doubled, needs))

    return back


def doubled(x: Any) -> Any:
    """The same in double precision; of several results, each."""
    if isinstance(x, tuple):
        return tuple(map(doubled, x))
    wider = WIDER.get(getattr(x, "dtype", None))
    return x if wider is None else cast(x, wider)
