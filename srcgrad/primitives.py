"""Facts about NumPy functions, as tables that both halves look up.

Nothing here computes; what NumPy can only do in place is in ``updates``.
"""

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]

REQUIRED = inspect.Parameter.empty

# What NumPy's `<no value>` amounts to; None for any other name.
NO_VALUE = {"keepdims": False, "where": True}

# C functions for which not every supported NumPy tells the signature.
SIGNATURES: dict[Function, str] = {
    np.concatenate: "arrays, axis=0, dtype=None, casting='same_kind'",
    np.dot: "a, b",
    np.inner: "a, b",
    np.vdot: "a, b",
    np.where: "condition, x, y",
    np.einsum: "subscripts, *operands, optimize=False",
    np.copyto: "dst, src, casting='same_kind', where=True",
    operator.getitem: "x, index",
}


def parameters_of(function: Function) -> tuple[dict[str, Any], str | None]:
    """Return the parameters of a function with their defaults, and its ``*args`` name.

    >>> parameters_of(np.multiply)
    ({'x1': <class 'inspect._empty'>, 'x2': <class 'inspect._empty'>}, None)
    """
    if isinstance(function, np.ufunc):
        if function.nin == 1:
            return {"x": REQUIRED}, None
        return {f"x{i + 1}": REQUIRED for i in range(function.nin)}, None
    signature = _signature_of(function)
    parameters = {}
    variadic = None
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            variadic = name
        elif parameter.kind is not parameter.VAR_KEYWORD:
            parameters[name] = NO_VALUE.get(name) if (
                parameter.default is np._NoValue
            ) else parameter.default
    return parameters, variadic


def _signature_of(function: Function) -> inspect.Signature:
    if (text := SIGNATURES.get(function)) is not None:
        namespace: dict[str, Any] = {}
        exec(f"def function({text}): ...", namespace)
        return inspect.signature(namespace["function"])
    return inspect.signature(function)
