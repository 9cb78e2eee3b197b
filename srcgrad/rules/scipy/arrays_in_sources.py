"""NumPy, ``math`` and the array API, to copies of SciPy's functions (``sources``)."""

import cmath
import functools
import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.mapping import apply_along_axis
from srcgrad.rules.scipy.shortcuts import has_slope, way
from srcgrad.updates import assign, cast


def is_variable(item: Any) -> bool:
    return isinstance(item, ArrayProtocol)


def holds_variables(item: Any) -> bool:
    return is_variable(item) or (
        isinstance(item, (list, tuple)) and any(map(holds_variables, item))
    )


# ----- Arrays that are written into -----
def updated(x: Any, index: Any, value: Any) -> Any:
    """``x[index] = value``"""
    is_array = isinstance(x, np.ndarray) and holds_variables((index, value))
    if not is_array and not is_variable(x):
        x[index] = value
        return x
    value = as_array(value)
    return assign(x if x.dtype != object else x.astype(value.dtype), index, value)


def augmented(name: str, x: Any, value: Any) -> Any:
    """``x += value`` and its kin, in the dtype of an array."""
    if not (is_variable(x) or (isinstance(x, np.ndarray) and is_variable(value))):
        return getattr(operator, f"i{name.rstrip('_')}")(x, value)
    out = getattr(operator, name)(x, value)
    is_other = np.ndim(x) and out.dtype != x.dtype and x.dtype.kind in "fc"
    return cast(out, x.dtype) if is_other else out


def placed(x: Any, mask: Any, values: Any) -> Any:
    """``np.place``, of one value or as many as there are places"""
    values = np.ravel(as_array(values))
    mask = np.not_equal(mask, 0)
    return updated(x, mask, values[0] if np.size(values) == 1 else values)


def copied_to(x: Any, values: Any, where: Any = True) -> Any:
    return np.where(where, values, x)


def divided(a: Any, b: Any, out: Any = None, where: Any = True) -> Any:
    """``np.true_divide``, of some elements"""
    if out is None or not holds_variables((a, b, where)):
        return np.true_divide(a, b, out=out, where=where)
    return np.where(where, a / np.where(where, b, 1.0), out)


def put_along(x: Any, order: Any, values: Any, axis: int = -1) -> Any:
    """``np.put_along_axis``, of an order of all"""
    if not holds_variables((x, values)):
        np.put_along_axis(x, order, values, axis)
        return x
    return np.take_along_axis(values, np.argsort(order, axis=axis), axis)


def in_order(x: Any, **options: Any) -> Any:
    """``x.sort()``"""
    if not is_variable(x):
        x.sort(**options)
        return x
    return np.sort(x, **options)


# ----- What makes arrays -----
def stacked(item: Any) -> Any:
    """Nested lists with Variables as an array."""
    if isinstance(item, (list, tuple)):
        return np.stack([np.multiply(stacked(each), 1.0) for each in item])
    return item


def as_array(
    x: Any, dtype: Any = None, *args: Any, ndmin: int = 0, copy: Any = None, **_: Any
) -> Any:
    """``np.asarray``, of whatever name"""
    if not holds_variables(x):
        return np.array(x, dtype, ndmin=ndmin, copy=copy)
    x = x if is_variable(x) else stacked(x)
    if dtype is not None and np.dtype(dtype) != x.dtype:
        x = cast(x, np.dtype(dtype))
    more = max(ndmin - np.ndim(x), 0)
    return np.reshape(x, (1,) * more + np.shape(x)) if more else x


def number(kind: Any) -> Operation:
    """``float(x)`` or ``complex(x)``, in double precision"""

    def convert(x: Any = 0, *args: Any) -> Any:
        if not is_variable(x):
            return kind(x, *args)
        dtype = np.result_type(x.dtype, np.float64 if kind is float else complex)
        return np.reshape(as_array(x, dtype), ())

    return convert


def typed(kind: Any, x: Any = 0, *args: Any) -> Any:
    """``np.float64(x)`` and its kin"""
    if isinstance(kind, type) and holds_variables(x):
        return as_array(x, kind)
    return kind(x, *args)


class Arrays(type):
    def __instancecheck__(cls, item: Any) -> bool:
        return isinstance(item, (np.ndarray, ArrayProtocol))


class AnyArray(metaclass=Arrays):
    """Variables are arrays, too."""


class OfLists:
    """A function of NumPy's, of lists with Variables as well."""

    def __init__(self, function: Operation) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._function(*map(self._of, args), **options)

    @staticmethod
    def _of(item: Any) -> Any:
        is_list = isinstance(item, (list, tuple)) and holds_variables(item)
        return as_array(item) if is_list else item

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


class OfParts(OfLists):
    """One of a sequence of arrays, of numbers as well."""

    @staticmethod
    def _of(item: Any) -> Any:
        is_list = isinstance(item, (list, tuple))
        return list(map(as_array, item)) if is_list and holds_variables(item) else item


class Joined:
    """``np.r_``"""

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if not holds_variables(parts):
            return np.r_[key]
        arrays = [np.r_[p] if isinstance(p, slice) else as_array(p) for p in parts]
        return np.concatenate([np.atleast_1d(each) for each in arrays])


def along_axis(function: Any, axis: int, arr: Any, *args: Any, **options: Any) -> Any:
    """``np.apply_along_axis`` of a function that may give a list."""

    def call(*given: Any, **own: Any) -> Any:
        return as_array(function(*given, **own))

    return apply_along_axis(call, axis, arr, *args, **options)


class Namespace:
    """NumPy, to a copy."""

    __name__ = "numpy"
    __version__ = np.__version__
    ndarray, r_ = AnyArray, Joined()
    apply_along_axis = staticmethod(along_axis)
    true_divide = staticmethod(divided)

    def __getattr__(self, name: str) -> Any:
        item = getattr(np, name)
        if name in AS_ARRAY:
            item = as_array
        elif name in OF_PARTS:
            item = OfParts(item)
        elif callable(item) and not isinstance(item, type) and name not in OF_LISTS:
            item = OfLists(item)
        self.__dict__[name] = item
        return item

    @staticmethod
    def array(x: Any, dtype: Any = None, *args: Any, **options: Any) -> Any:
        return as_array(x, dtype, *args, **{"copy": True, **options})

    @staticmethod
    def full(shape: Any, fill_value: Any, **options: Any) -> Any:
        if not is_variable(fill_value):
            return np.full(shape, fill_value, **options)
        return np.zeros(shape, options.get("dtype", fill_value.dtype)) + fill_value

    @staticmethod
    def isscalar(x: Any) -> bool:
        return np.ndim(x) == 0 if is_variable(x) else np.isscalar(x)

    @staticmethod
    def astype(x: Any, dtype: Any, /, **_: Any) -> Any:
        return as_array(x, dtype)


AS_ARRAY = "asarray asanyarray ascontiguousarray asarray_chkfinite require".split()
OF_PARTS = "concat concatenate hstack vstack stack column_stack".split()
OF_LISTS = ("block", "ix_", "broadcast_arrays", "atleast_1d", "atleast_2d")
NUMPY = Namespace()


class Math:
    """``math`` or ``cmath``, whose functions are NumPy's on Variables."""

    def __init__(self, original: ModuleType) -> None:
        self._original = original

    def __getattr__(self, name: str) -> Any:
        item = getattr(self._original, name)
        if not callable(item) or not hasattr(np, name):
            return item

        def call(*args: Any) -> Any:
            return (getattr(np, name) if holds_variables(args) else item)(*args)

        self.__dict__[name] = call
        return call


MATH, COMPLEX_MATH = Math(math), Math(cmath)


# ----- array_api_extra -----
class At:
    """``array_api_extra.at``"""

    def __init__(self, x: Any, index: Any = None) -> None:
        self.x, self.index = x, index

    def __getitem__(self, index: Any) -> "At":
        return At(self.x, index)

    def set(self, value: Any, **_: Any) -> Any:
        x = self.x if is_variable(self.x) else np.array(self.x)
        return updated(x, self.index, value)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        compute = getattr(np, name)
        return lambda value, **_: self.set(compute(self.x[self.index], value))


def lazy_apply(function: Operation, *args: Any, **_: Any) -> Any:
    """``array_api_extra.lazy_apply``"""
    return function(*args)


def apply_where(
    cond: Any,
    args: Any,
    f1: Any,
    f2: Any = None,
    /,
    *,
    fill_value: Any = None,
    **_: Any,
) -> Any:
    args = args if isinstance(args, (tuple, list)) else (args,)
    with np.errstate(all="ignore"):
        there = [np.where(cond, arg, 1.0) for arg in args]
        other = (
            fill_value if f2 is None else f2(*(np.where(cond, 1.0, a) for a in args))
        )
        return np.where(cond, f1(*there), other)


def namespace(*args: Any, **_: Any) -> Namespace:
    return NUMPY


# What stands for names of SciPy's, in whichever module.
BY_NAME: dict[str, Any] = {
    "array_namespace": namespace,
    "np_compat": NUMPY,
    "np": NUMPY,
    "NX": NUMPY,
    "numpy": NUMPY,
    "math": MATH,
    "cmath": COMPLEX_MATH,
    "xp_copy": lambda x, **_: np.copy(x),
    "xp_device": lambda x: None,
    "_asarray": as_array,
    "xp_size": np.size,
    "is_lazy_array": lambda x: False,
    "xp_result_device": lambda *args: None,
}
# What the copies call.
HELPERS = {
    "_updated": updated,
    "_augmented": augmented,
    "_places": np.s_,
    "_place": placed,
    "_putmask": lambda x, mask, values: copied_to(x, values, mask),
    "_copyto": copied_to,
    "_sort": in_order,
    "_put_along_axis": put_along,
    "_typed": typed,
    "_float": number(float),
    "_complex": number(complex),
    "_way": way,
    "_has_slope": has_slope,
}
