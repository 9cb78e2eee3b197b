"""NumPy functions that are defined by other NumPy functions, so that they need no rule.

>>> import numpy as np
>>> import srcgrad.rules
>>> COMPOSITIONS[np.ptp](np.array([3.0, 1.0, 7.0]))
np.float64(6.0)
"""

import functools
import inspect
from typing import Any

import numpy as np

from srcgrad.facts import UNKNOWN, Operation, declare, facts_of
from srcgrad.function_parameters import asked_by

# Each NumPy function with the one that runs in its place on Variables.
COMPOSITIONS: dict[Operation, Operation] = {}


def defined_as(function: Operation, implementation: Operation) -> None:
    """Run ``implementation`` where a Variable meets ``function``.

    It has NumPy's own signature, and calls only ``np.*`` functions on its arguments. A
    call for which it gives ``NotImplemented`` is left to the function's own rule.
    """
    COMPOSITIONS[function] = implementation
    if facts_of(function) == UNKNOWN:
        declare(function, raises=True)  # it does nothing but compute


# What only says how a result is computed.
IDLE = ("overwrite_", "check_finite", "workers", "plan", "lwork", "batch_memory")


def defined_by(function: Operation, implementation: Operation) -> None:
    """``defined_as``, by an implementation that asks for arguments as a rule does.

    They have the function's names and defaults. What it does not ask for must be left
    at its default, unless it is idle.
    """
    names = asked_by(implementation)

    @functools.wraps(function)
    def composed(*args: Any, **kwargs: Any) -> Any:
        given = bound(function, args, kwargs)
        for name, value in given.items():
            default = signature_of(function).parameters[name].default
            is_known = name in names or name.startswith(IDLE) or value is default
            if not (is_known or (type(value) is type(default) and value == default)):
                raise NotImplementedError(
                    f"srcgrad has no derivative of {function.__name__} with `{name}`"
                )
        return implementation(*(given[name] for name in names))

    defined_as(function, composed)


@functools.cache
def signature_of(function: Operation) -> inspect.Signature:
    return inspect.signature(function)


def bound(function: Operation, args: Any, kwargs: Any) -> dict[str, Any]:
    """All arguments of a call by their names, with the function's defaults."""
    given = signature_of(function).bind(*args, **kwargs)
    given.apply_defaults()
    return given.arguments


def as_array(x: Any) -> Any:
    """Return what has the shape of an array as it is (a Variable), else an array."""
    return x if hasattr(x, "ndim") else np.asarray(x)


def without_out(out: Any) -> None:
    """Refuse an array to write into, where a gradient would be lost in it."""
    if out is not None:
        raise TypeError(
            "a result that depends on Variables cannot be written into `out`"
        )
