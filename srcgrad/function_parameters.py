"""The parameters of functions, those of C functions and ufuncs included.

>>> parameters_of(np.add.reduce)[0]["axis"]
0
"""

import functools
import inspect
import operator
import sys
from typing import Any

import numpy as np

from srcgrad.facts import Operation

REQUIRED = inspect.Parameter.empty

# What NumPy's `<no value>` amounts to; None for any other name.
NO_VALUE = {"keepdims": False, "where": True}

# C functions for which not every supported NumPy tells the signature.
SIGNATURES: dict[Operation, str] = {
    np.array: "object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, "
    "like=None",
    np.concatenate: "arrays, axis=0, dtype=None, casting='same_kind'",
    np.dot: "a, b, out=None",
    np.inner: "a, b",
    np.vdot: "a, b",
    np.bincount: "x, weights=None, minlength=0",
    np.where: "condition, x, y",
    np.clip: "a, a_min=None, a_max=None, out=None, min=None, max=None",
    np.einsum: "subscripts, *operands, optimize=False",
    np.copyto: "dst, src, casting='same_kind', where=True",
    operator.getitem: "x, index",
    # Its keywords depend on the mode.
    np.pad: "array, pad_width, mode='constant', *, stat_length=None, "
    "constant_values=0, end_values=0, reflect_type='even'",
    # A generalised ufunc on vectors, unlike those on matrices, takes an axis.
    np.vecdot: "x1, x2, *, axis=-1, keepdims=False",
}

# The same of a ufunc's methods.
METHOD_SIGNATURES = {
    "reduce": "array, axis=0, dtype=None, out=None, keepdims=False, initial=None, "
    "where=True",
    "accumulate": "array, axis=0, dtype=None, out=None",
    "reduceat": "array, indices, axis=0, dtype=None, out=None",
    "outer": "A, B, /, **kwargs",
    "at": "a, indices, b=None, /",
}


@functools.lru_cache(maxsize=4096)
def parameters_of(function: Operation) -> tuple[dict[str, Any], str | None]:
    """Return the parameters of a function with their defaults, and its ``*args`` name.

    >>> parameters_of(np.multiply)
    ({'x1': <class 'inspect._empty'>, 'x2': <class 'inspect._empty'>}, None)
    """
    if isinstance(function, np.ufunc) and function not in SIGNATURES:
        if function.nin == 1:
            return {"x": REQUIRED}, None
        return {f"x{i + 1}": REQUIRED for i in range(function.nin)}, None
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc) and function.__name__ in METHOD_SIGNATURES:
        signature = _written_out(METHOD_SIGNATURES[function.__name__])
    else:
        signature = _signature_of(function)
    parameters = {}
    variadic = None
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            variadic = name
        elif parameter.kind is not parameter.VAR_KEYWORD:
            parameters[name] = (
                NO_VALUE.get(name)
                if (parameter.default is np._NoValue)
                else parameter.default
            )
    return parameters, variadic


def _signature_of(function: Operation) -> inspect.Signature:
    text = SIGNATURES.get(function)
    return inspect.signature(function) if text is None else _written_out(text)


def _written_out(text: str) -> inspect.Signature:
    namespace: dict[str, Any] = {}
    exec(f"def function({text}): ...", namespace)
    return inspect.signature(namespace["function"])


# ----- By name, by place -----


@functools.cache
def names_of(function: Operation) -> tuple[list[str], str | None]:
    """The names of a function's parameters, and that of its ``*args``."""
    try:
        parameters, variadic = parameters_of(function)
    except (TypeError, ValueError):  # it does not tell its signature
        return [], None
    return list(parameters), variadic


@functools.cache
def place_of_out(function: Operation) -> int:
    """From which argument on a call by place says where results go."""
    if isinstance(function, np.ufunc):
        return function.nin
    names, _ = names_of(function)
    return names.index("out") if "out" in names else sys.maxsize


def named_out(
    function: Operation, args: Any, kwargs: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, with ``out`` by its name.

    >>> named_out(np.dot, (1.0, 2.0, "here"), {})
    ((1.0, 2.0), {'out': 'here'})
    """
    place = place_of_out(function)
    if len(args) <= place:
        return args, kwargs
    if isinstance(function, np.ufunc):
        return args[:place], kwargs | {"out": args[place:]}
    names, _ = names_of(function)
    rest = dict(zip(names[place:], args[place:], strict=False))
    return args[:place], kwargs | rest
