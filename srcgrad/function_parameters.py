"""The parameters of functions, those of C functions and ufuncs included.

>>> parameters_of(np.add.reduce)[0]["axis"]
0
"""

import functools
import inspect
import operator
import sys
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.facts import Operation

REQUIRED = inspect.Parameter.empty
STARRED = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS

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
    # Python tells it, but in a text that takes long to read.
    sum: "iterable, start=0",
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
        return _written_out(METHOD_SIGNATURES[function.__name__])
    text = SIGNATURES.get(function)
    return _told_by(function) if text is None else _written_out(text)


@functools.cache
def _written_out(text: str) -> tuple[dict[str, Any], str | None]:
    namespace: dict[str, Any] = {}
    exec(f"def function({text}): ...", namespace)
    return _told_by(namespace["function"])


def _told_by(function: Operation) -> tuple[dict[str, Any], str | None]:
    """What a function tells of its parameters itself."""
    inner = _python_function(function)
    if inner is not None:
        return _of_python(inner)
    names = _plain_names(getattr(function, "__text_signature__", None))
    if names:
        return dict.fromkeys(names, REQUIRED), None
    parameters = {}
    variadic = None
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            variadic = name
        elif parameter.kind is not parameter.VAR_KEYWORD:
            parameters[name] = _default(name, parameter.default)
    return parameters, variadic


def _default(name: str, given: Any) -> Any:
    return NO_VALUE.get(name) if given is np._NoValue else given


# ----- Without `inspect`, which takes its time: there are hundreds of rules -----
DISPATCHED = type(np.sum)


def _python_function(function: Operation) -> FunctionType | None:
    """The function whose code has the parameters, if that is all there is to it."""
    inner: Any = function
    while type(inner) in (FunctionType, DISPATCHED):
        if hasattr(inner, "__signature__"):
            return None
        if not hasattr(inner, "__wrapped__"):
            return inner if type(inner) is FunctionType else None
        inner = inner.__wrapped__
    return None


def _of_python(function: FunctionType) -> tuple[dict[str, Any], str | None]:
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names, positional = code.co_varnames, code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    parameters = dict.fromkeys(names[:count], REQUIRED)
    parameters.update(zip(reversed(positional), reversed(defaults), strict=False))
    parameters.update(function.__kwdefaults__ or ())
    parameters = {name: _default(name, d) for name, d in parameters.items()}
    return parameters, names[count] if code.co_flags & inspect.CO_VARARGS else None


def _plain_names(text: str | None) -> list[str]:
    """The parameters of a C function that are all given by place, without defaults.

    >>> _plain_names("($module, x, y, /)")
    ['x', 'y']
    """
    if text is None or not (text.startswith("($module, ") and text.endswith(", /)")):
        return []
    names = text[len("($module, ") : -len(", /)")].split(", ")
    return names if all(map(str.isidentifier, names)) else []


def asked_by(formula: Operation) -> tuple[str, ...]:
    """The names of the parameters of a formula, a lambda mostly.

    >>> asked_by(lambda g, x, *, axis: g)
    ('g', 'x', 'axis')
    """
    inner = _python_function(formula)
    if inner is None or inner.__code__.co_flags & STARRED:
        return tuple(inspect.signature(formula).parameters)
    code = inner.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


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
