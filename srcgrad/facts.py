"""Facts about NumPy functions, as tables that both halves look up.

Nothing here computes; what NumPy can only do in place is in ``updates``.
"""

import functools
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


def parameters_of(function: Function) -> tuple[dict[str, Any], str | None]:
    """Return the parameters of a function with their defaults, and its ``*args`` name.

    >>> parameters_of(np.multiply)
    ({'x1': <class 'inspect._empty'>, 'x2': <class 'inspect._empty'>}, None)
    """
    if isinstance(function, np.ufunc) and function not in SIGNATURES:
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
            parameters[name] = (
                NO_VALUE.get(name)
                if (parameter.default is np._NoValue)
                else parameter.default
            )
    return parameters, variadic


def _signature_of(function: Function) -> inspect.Signature:
    if (text := SIGNATURES.get(function)) is not None:
        namespace: dict[str, Any] = {}
        exec(f"def function({text}): ...", namespace)
        return inspect.signature(namespace["function"])
    return inspect.signature(function)


# ----- What a function does besides computing -----
# These change an argument, write a file, or call back into the user's code.
EFFECTS = frozenset(
    {np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal}
    | {np.save, np.savez, np.savez_compressed, np.savetxt}
    | {np.apply_along_axis, np.apply_over_axes, np.piecewise, np.fromfunction}
)

# Of all else that may stand in a graph, only these modules are known to be pure.
PURE_MODULES = (
    "numpy",
    "scipy.fft",
    "scipy.linalg",
    "scipy.special",
    "srcgrad.updates",
)
RANDOM_MODULE = "numpy.random"


@functools.lru_cache(maxsize=4096)
def is_pure(function: Function) -> bool:
    """Whether a call does nothing but compute its result, and always the same one.

    >>> is_pure(np.tanh), is_pure(np.random.normal), is_pure(np.add.at), is_pure(print)
    (True, False, False, False)
    """
    if isinstance(function, np.ufunc):
        # np.frompyfunc makes a ufunc of any Python function, for objects only.
        return any("O" not in types for types in function.types)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return function.__name__ != "at" and is_pure(owner)
    module = getattr(function, "__module__", None) or ""
    return function is operator.getitem or (
        function not in EFFECTS
        and _is_in(module, *PURE_MODULES)
        and not _is_in(module, RANDOM_MODULE)
    )


def _is_in(module: str, *packages: str) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


# ----- How a function treats elements -----
COMMUTATIVE = frozenset({np.add, np.multiply})


def is_elementwise(function: Function) -> bool:
    """Whether element ``i`` of the result needs just element ``i`` of the arguments.

    >>> is_elementwise(np.add), is_elementwise(np.matmul)
    (True, False)
    """
    return isinstance(function, np.ufunc) and function.signature is None


# Where the argument hardly changes, the result jumps. So do all functions that make
# integers or truth values of floating-point numbers.
STEPS = frozenset(
    {
        np.ceil,
        np.fix,
        np.floor,
        np.rint,
        np.round,
        np.around,
        np.trunc,
        np.sign,
        np.heaviside,
    }
    | {np.floor_divide, np.fmod, np.mod, np.divmod, np.modf}
)


# ----- Whose memory a result is -----
# Views that cover all of the argument's memory once, and may be written to.
WHOLE_VIEWS = frozenset(
    {np.reshape, np.ravel, np.expand_dims, np.squeeze, np.atleast_1d, np.atleast_2d}
    | {np.atleast_3d, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis}
    | {np.matrix_transpose, np.linalg.matrix_transpose, np.flip, np.fliplr, np.flipud}
    | {np.rot90}
)

# The result is another look at the first argument's memory, at no cost, or may be.
VIEWS = WHOLE_VIEWS | frozenset(
    {np.broadcast_to, np.broadcast_arrays, np.diagonal, np.linalg.diagonal}
    | {np.diag, np.real, np.imag, np.split, np.array_split, np.hsplit, np.vsplit}
    | {np.dsplit, np.trim_zeros, np.asarray, np.asanyarray, np.ascontiguousarray}
    | {np.asfortranarray, np.asarray_chkfinite, np.require, np.real_if_close, np.ix_}
    | {np.lib.stride_tricks.as_strided, np.lib.stride_tricks.sliding_window_view}
    | {np.asmatrix, getattr(np, "unstack", np.split)}  # new in NumPy 2.1
)

# These compute, but return their argument, or a view of it, when nothing is to be done.
SOMETIMES_VIEWS = frozenset(
    {np.array, np.diff, np.einsum, np.nan_to_num, np.meshgrid}
    | {getattr(np, "astype", np.array)}  # new in NumPy 2.1
    | {np.histogram, np.histogram_bin_edges}
    | {np.polyder, np.polyint, np.linalg.matrix_power, np.linalg.multi_dot}
    | {np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn}
    | {np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2}
)


@functools.lru_cache(maxsize=4096)
def may_view(function: Function) -> bool:
    """Whether a result may share memory with an argument; True of what is not known.

    >>> may_view(np.transpose), may_view(np.sum), may_view(lambda x: x)
    (True, False, True)
    """
    if isinstance(function, np.ufunc):
        return not is_pure(function)
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return False
    module = getattr(function, "__module__", None) or ""
    return (
        function in VIEWS
        or function in SOMETIMES_VIEWS
        or not _is_in(module, "numpy", "srcgrad.updates")
    )


# Functions of shapes and dtypes alone.
METADATA_FUNCTIONS: frozenset[Function] = frozenset(
    {np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type}
)

# Functions whose result's shape depends on the values that come in.
DATA_DEPENDENT: frozenset[Function] = frozenset(
    (
        *(np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.compress, np.extract),
        *(np.repeat, np.delete, np.insert, np.trim_zeros, np.union1d, np.intersect1d),
    )
)

# Functions that make arrays out of shapes and plain numbers.
CREATORS: frozenset[Function] = frozenset(
    (
        *(np.zeros, np.ones, np.full, np.eye, np.identity, np.arange, np.linspace),
        *(np.logspace, np.geomspace, np.array, np.asarray, np.meshgrid, np.indices),
        *(np.broadcast_shapes, np.promote_types, np.diag_indices, np.tril_indices),
        *(np.triu_indices, np.ix_, np.zeros_like, np.ones_like, np.full_like, np.tri),
        *(np.hanning, np.hamming, np.blackman, np.vander),
    )
)
