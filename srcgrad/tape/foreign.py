"""Arrays of other libraries that meet a Variable: taken as ndarrays, or refused.

What is no more than an array (``__array__``, a buffer, a ``range``) is one. Where a
library has its own way to compute (pandas, xarray, masked arrays, arrays with units),
the result would be the library's, without the Variable's history: that is a
``TypeError`` which says what to write.

>>> import srcgrad
>>> x = srcgrad.Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> (x * memoryview(np.array([3.0, 4.0]))).requires_grad
True
"""

import array
from collections import UserList, deque
from typing import Any, NoReturn

import numpy as np

from srcgrad.errors import located, told
from srcgrad.facts import Operation
from srcgrad.function_parameters import parameters_of
from srcgrad.modes import state
from srcgrad.operators import BINARY_OPERATORS
from srcgrad.protocols import ARRAY_ATTRIBUTES, ArrayProtocol, first_variable
from srcgrad.tape.function import has_edge

# What an array of another library is: one like NumPy's, one that may be made one, one
# that computes in a way of its own, and one that NumPy's functions compute with so.
LIKE_NUMPYS, OF_ITS_OWN, ODD = "like NumPy's", "of its own", "odd"
SEQUENCE_TYPES = (range, deque, UserList, array.array, memoryview)
KNOWN_LIBRARIES = ("numpy", "scipy", "srcgrad", "builtins")


class _Foreign(dict[type, str | None]):
    """What arrays of a type are; None: none of another library's."""

    def __missing__(self, kind: type) -> str | None:
        self[kind] = found = _kind_of(kind)
        return found


def _kind_of(kind: type) -> str | None:
    if issubclass(kind, SEQUENCE_TYPES):
        return LIKE_NUMPYS
    if issubclass(kind, (np.ma.MaskedArray, np.matrix)):
        return ODD
    if issubclass(kind, (ArrayProtocol, np.ndarray, np.generic)):
        return None
    if kind.__module__.partition(".")[0] in KNOWN_LIBRARIES:
        return None
    if hasattr(kind, "__array_function__"):
        return ODD
    is_array = any(hasattr(kind, name) for name in ARRAY_ATTRIBUTES)
    ufuncs = getattr(kind, "__array_ufunc__", ArrayProtocol)
    if ufuncs is None:  # it runs the operators itself
        return OF_ITS_OWN if is_array else None
    priority = getattr(kind, "__array_priority__", 0)
    comes_first = isinstance(priority, (int, float)) and priority > 0
    if ufuncs is not ArrayProtocol or (is_array and comes_first):
        return OF_ITS_OWN
    if is_array:
        return LIKE_NUMPYS
    return ODD if hasattr(kind, "__dlpack__") else None


FOREIGN = _Foreign()


def is_foreign(item: Any) -> bool:
    """Whether it is an array of another library's, or an odd one of NumPy's."""
    return FOREIGN[type(item)] is not None


def taken_as_arrays(
    function: Operation, args: Any, kwargs: Any, is_live: bool
) -> tuple[Any, Any]:
    """The arguments of a call with ndarrays for such arrays.

    Ufuncs are left to libraries that tell NumPy what these are to do. ``is_live``: a
    gradient would flow through the call.

    Raises
    ------
    TypeError
        For those that would compute in another way.
    """
    try:
        names, variadic = parameters_of(function)
    except (TypeError, ValueError):
        names, variadic = {}, None
    is_ufunc = isinstance(function, np.ufunc) or function in PYTHON_OPERATORS
    operands = [*names, *[variadic] * len(args)][: len(args)]

    def taken(name: str | None, item: Any) -> Any:
        kind = FOREIGN[type(item)]
        if kind is None or name in OPTION_NAMES:
            return item
        is_theirs = kind is ODD or (kind is OF_ITS_OWN and is_ufunc)
        if is_theirs and is_live:
            refuse_foreign(item)
        return item if is_theirs else array_of(item)

    return (
        tuple([taken(*pair) for pair in zip(operands, args, strict=True)]),
        {name: taken(name, item) for name, item in kwargs.items()},
    )


PYTHON_OPERATORS = frozenset(own.python for own in BINARY_OPERATORS)
# Arguments that are no arrays.
OPTION_NAMES = frozenset("axis axes shape s newshape out dtype".split())


def refuse_foreign(item: Any) -> NoReturn:
    """Raise, saying what to write."""
    if state.recorder is not None:
        state.recorder.refuse(f"computes with a {type(item).__name__}")
    if isinstance(item, np.ndarray):
        raise located(
            TypeError(
                f"srcgrad differentiates plain ndarrays, but a {type(item).__name__} "
                "takes part, which computes in another way"
            ),
            what_to_write(item),
            kind="plain-arrays",
        )
    raise located(
        TypeError(
            f"a Variable meets a {type(item).__name__}, which computes in a way of "
            "its own, and knows no gradients"
        ),
        what_to_write(item),
        kind="plain-arrays",
    )


def array_of(item: Any) -> Any:
    """An array of another library's as an ndarray.

    Raises
    ------
    TypeError
        If the library refuses: it lies on a GPU, say, or has gradients of its own.
    """
    try:
        return np.asarray(item)
    except Exception as error:  # whatever libraries raise there
        raise located(
            TypeError(
                f"a {type(item).__name__} does not turn into an ndarray, {told(error)}"
            ),
            what_to_write(item),
            kind="plain-arrays",
        ) from error


def what_to_write(item: Any) -> str:
    """How an ndarray is made of an array of another library's."""
    if isinstance(item, np.ma.MaskedArray):
        return "fill it first, `.filled(0.0)`, or use np.asarray, which has no mask"
    if isinstance(item, np.matrix):
        return "use np.asarray"
    if isinstance(getattr(item, "data", None), ArrayProtocol):
        return "give what it holds, its `.data`"
    if hasattr(item, "to_numpy"):
        return "give its array, `.to_numpy()`"
    if hasattr(item, "detach"):  # PyTorch's, which may have gradients of its own
        on_gpu = ".cpu()" if getattr(item, "is_cuda", False) else ""
        return f"give its array, `.detach(){on_gpu}.numpy()`"
    if hasattr(item, "get") and hasattr(item, "__cuda_array_interface__"):  # CuPy's
        return "give its array, `.get()`"
    is_array = any(hasattr(item, name) for name in ARRAY_ATTRIBUTES)
    if not is_array and hasattr(item, "__dlpack__"):
        return "give the array, `np.from_dlpack(...)`"
    return "give the array, `np.asarray(...)`"


class Storing:
    """Stands for such an array where something is stored: ``series[0] = v``."""

    __slots__ = ("_item",)

    def __init__(self, item: Any) -> None:
        self._item = item

    def __getitem__(self, index: Any) -> Any:
        return self._item[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        variable: Any = first_variable(value)
        if variable is not None and state.grad_enabled and has_edge(variable):
            refuse_foreign(self._item)
        self._item[index] = value


def is_of_numbers(item: Any) -> bool:
    """Whether it is such an array of numbers, and not of objects."""
    if FOREIGN[type(item)] is None or isinstance(item, np.ndarray):
        return False
    dtype = getattr(item, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind in "fciub"
