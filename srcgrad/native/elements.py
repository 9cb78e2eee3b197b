"""What is computed number by number, and how much a whole number can be.

>>> x, y = (Value((3,), np.dtype(float), name) for name in "xy")
>>> [is_elementwise(Node(each, (x,), out=y)) for each in (np.exp, np.sort)]
[True, False]
"""

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.facts import FACTS
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS
from srcgrad.steps import Node, Step, Value
from srcgrad.unboxing import choice, larger, sign, smaller
from srcgrad.updates import again, cast, mark_complete

FLOAT, BOOL, INT = (np.dtype(kind) for kind in (float, bool, np.int64))
NATIVE_DTYPES = frozenset({FLOAT, BOOL, INT})


class UnsupportedError(Exception):
    """There is no machine code for something, which the message names."""


def _named(module: Any, names: str) -> set[Any]:
    return {getattr(module, name) for name in names.split()}


# The formula of this pass: what the C library may have of several numbers at once.
ELEMENTARY = _named(
    np,
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 "
    "sinh cosh tanh arcsinh arccosh arctanh hypot power",
)
# The formula of this pass: what Numba computes of numbers as NumPy does.
NATIVE_UFUNCS = ELEMENTARY | _named(
    np,
    "add subtract multiply divide negative positive absolute fabs square sqrt "
    "reciprocal maximum minimum fmax fmin "
    "sign floor ceil trunc copysign isnan isfinite isinf logical_and logical_or "
    "logical_not logical_xor less less_equal greater greater_equal equal not_equal",
)
OF_MATH = _named(
    math,
    "exp expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan atan2 sinh cosh "
    "tanh asinh acosh atanh fabs hypot copysign",
)
NATIVE_OPERATORS = {
    own.python
    for own in (*BINARY_OPERATORS, *COMPARISONS, *UNARY_OPERATORS)
    if own.ufunc in NATIVE_UFUNCS
} | {operator.abs}
# The formula of this pass: what gives a number as it is.
SAME = frozenset(
    {float, bool, np.float64, np.bool_, mark_complete, again, np.broadcast_to, np.copy}
)
CHOICES = frozenset({np.where, choice})
BY_NUMBER = frozenset(
    {
        *NATIVE_UFUNCS,
        *OF_MATH,
        *NATIVE_OPERATORS,
        *SAME,
        *CHOICES,
        larger,
        smaller,
        sign,
        cast,
    }
)

# The formula of this pass: what one number is made by, of those along axes.
REDUCED_BY = frozenset({np.add, np.maximum, np.minimum})

# Of whole numbers: what cannot give more bits than are known.
WHOLE = {
    operation: name
    for own in (*BINARY_OPERATORS, *UNARY_OPERATORS)
    if (name := own.name) in ("add", "sub", "mul", "neg")
    for operation in (own.ufunc, own.python)
}
# An index, and a constant beside it; and what an int64 holds.
BITS_OF_INDEX, MOST_BITS = 32, 62


def is_elementwise(step: Step) -> bool:
    """Whether a node gives numbers, each of one number of each operand."""
    if type(step) is not Node or step.function not in BY_NUMBER:
        return False
    if step.kwargs or type(step.out) is not Value:
        return False
    return step.function is not np.where or len(step.args) == 3


def reduction_of(step: Step) -> tuple[Any, tuple[int, ...], bool] | None:
    """The ufunc, the axes, and whether these are kept; None if it is no reduction."""
    if type(step) is not Node or type(step.out) is not Value or not step.args:
        return None
    ufunc = FACTS[step.function].reduces
    value, *rest = step.args
    named = {"axis": None, "keepdims": False, "dtype": None, **step.kwargs}
    if len(rest) == 1:
        named["axis"] = rest.pop()
    if rest or ufunc not in REDUCED_BY or len(named) > 3:
        return None
    if type(value) is not Value or not value.shape or step.out.dtype != FLOAT:
        return None
    is_count = value.dtype == BOOL and ufunc is np.add and named["dtype"] == FLOAT
    if not is_count and (value.dtype != FLOAT or named["dtype"] not in (None, FLOAT)):
        return None
    axes, count = named["axis"], len(value.shape)
    axes = range(count) if axes is None else axes if type(axes) is tuple else (axes,)
    return ufunc, tuple(sorted(int(axis) % count for axis in axes)), named["keepdims"]


def check_dtypes(values: Iterable[Value]) -> None:
    """Refuse what is no float64, no bool, and no integer.

    Raises
    ------
    UnsupportedError
        Naming the dtype.
    """
    for value in values:
        if value.dtype not in NATIVE_DTYPES:
            raise UnsupportedError(f"{value.dtype} is left to NumPy")
        if value.kind == "floats":
            raise UnsupportedError("lists of Python's floats are left to NumPy")


class Bits:
    """How many bits whole numbers have at most: Python's have any number."""

    def __init__(self) -> None:
        self._known: dict[Value, int] = {}

    def index(self, value: Value) -> None:
        """One is the number of an iteration, or else an index."""
        self._known[value] = BITS_OF_INDEX

    def share(self, item: Any, value: Value) -> None:
        """One is what another one is."""
        if type(item) is Value and item in self._known:
            self._known[value] = self._known[item]

    def take(self, node: Node) -> None:
        """Note how many a result has.

        Raises
        ------
        UnsupportedError
            If it may be more than machine code has.
        """
        (out,) = node.results
        if out.dtype != INT:
            return
        given = [self._of(arg) for arg in node.args]
        kind = WHOLE.get(node.function)
        if kind is None or max(given) > MOST_BITS:
            raise UnsupportedError(f"{_called(node)} of whole numbers is Python's")
        bits = sum(given) if kind == "mul" else max(given) + 1
        if bits > MOST_BITS:
            raise UnsupportedError("a whole number may be more than machine code has")
        self._known[out] = bits

    def _of(self, arg: Any) -> int:
        if type(arg) is Value:
            return self._known.get(arg, MOST_BITS + 1)
        return abs(int(arg)).bit_length() if isinstance(arg, (int, np.integer)) else 0


def _called(node: Node) -> str:
    return getattr(node.function, "__name__", "a function")
