"""Python's floats in the place of NumPy's scalars: what computes the same on them.

An operation takes 15 ns on Python's floats, and 50 to 800 on NumPy's. Where NumPy gives
inf or nan, and warns of it or raises as ``np.errstate`` says, Python mostly raises
(``1.0 / 0.0``, ``math.exp(1e3)``), and ``finite`` finds the rest. Generated code leaves
all these to NumPy.

>>> finite(1.0, 2.0)
>>> finite(1.0, 1e308 * 10.0)
Traceback (most recent call last):
OverflowError: a result is not finite
"""

import math
import operator
from typing import Any, NamedTuple

import numpy as np
from numpy._core import umath

from srcgrad.facts import Operation, declare
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS

# What Python raises where NumPy's scalars have inf or nan. (Where NumPy is asked to
# raise, it does so again in the same place.)
LEFT_TO_NUMPY = (ArithmeticError, ValueError)

# Up to here, floats are as exact as integers.
EXACT = 2**53


# Where NumPy 2 keeps what ``np.errstate`` says; None there: what NumPy starts with. And
# what was there when it was last seen to ignore underflows.
_STATE = getattr(umath, "_extobj_contextvar", None)
state_now = (lambda _: None) if _STATE is None else _STATE.get
KNOWS_STATE = _STATE is not None
last_ignoring: list[Any] = [object()]


def ignores_underflow() -> bool:
    """Whether NumPy is to say nothing of underflows, as it is unless told otherwise.

    To ask ``np.geterr`` takes ten times as long as to see that nothing has changed.

    >>> with np.errstate(under="raise"):
    ...     ignores_underflow()
    False
    """
    now = state_now(None)
    if now is last_ignoring[0]:
        return True
    is_ignored = bool(np.geterr()["under"] == "ignore")
    if is_ignored and KNOWS_STATE:
        last_ignoring[0] = now
    return is_ignored


# ----- What Python has syntax or methods for -----
def elements(x: Any) -> Any:
    """Return the elements of an array, or of lists in lists, as Python's numbers.

    >>> elements(np.array([[1.0, 2.0], [3.0, 4.0]]))
    (1.0, 2.0, 3.0, 4.0)
    """
    return tuple(np.ravel(x).tolist())


def listed(x: Any) -> Any:
    """Return an array as lists in lists, or such lists as they are.

    >>> listed(np.eye(2)), listed([1.0, 2.0])
    ([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0])
    """
    return x.tolist() if isinstance(x, np.ndarray) else x


def row(x: Any) -> Any:
    """The same, for what is then indexed, and written into, as a whole.

    >>> row(np.zeros(2))
    [0.0, 0.0]
    """
    return x.tolist() if isinstance(x, np.ndarray) else list(x)


def number_at(x: Any, *place: Any) -> Any:
    """Return an element of an array as Python's number.

    >>> number_at(np.array([[1, 2], [3, 4]]), 1, 0)
    3
    """
    return x.item(*place)


def floats_of(items: list[Any]) -> list[Any]:
    """Return NumPy's scalars, one of each iteration of a loop, as Python's.

    >>> floats_of([np.float64(1.0)]), floats_of([np.True_])
    ([1.0], [True])
    """
    return [item.item() for item in items]


def scalars_of(items: list[Any]) -> list[Any]:
    """Return the same the other way round."""
    return [np.array(item)[()] for item in items]


def choice(test: Any, first: Any, second: Any) -> Any:
    """``first if test else second``: ``np.where``."""
    return first if test else second


def larger(first: Any, second: Any) -> Any:
    """``first if first > second else second``: ``np.maximum`` of numbers."""
    return first if first > second else second


def smaller(first: Any, second: Any) -> Any:
    """``first if first < second else second``: ``np.minimum`` of numbers."""
    return first if first < second else second


def of_kind(x: Any, is_python: Any) -> Any:
    """``float(x) if is_python else np.float64(x)``: a number of the one kind or other.

    >>> of_kind(np.float64(1.0), 1.0), of_kind(1.0, 0.0)
    (1.0, np.float64(1.0))
    """
    return float(x) if is_python else np.float64(x)


def sign(x: Any) -> Any:
    """``1.0 if x > 0.0 else -1.0 if x else 0.0``: ``np.sign`` of a number."""
    return 1.0 if x > 0.0 else -1.0 if x else 0.0


def finite(*items: float | list[float]) -> None:
    """Raise if the sum of some numbers is not finite: then one of them is not, mostly.

    Or of lists of numbers.

    Raises
    ------
    OverflowError
        Then.
    """
    if not math.isfinite(sum(sum(i) if isinstance(i, list) else i for i in items)):
        raise OverflowError("a result is not finite")


for _function in (
    *(choice, larger, smaller, sign, of_kind),
    *(elements, listed, row, number_at, floats_of, scalars_of),
):
    declare(_function)
declare(finite, raises=True)


# ----- One row for each function -----
class Form(NamedTuple):
    """What stands for a NumPy function of numbers.

    Attributes
    ----------
    function : callable
        Of Python's floats.
    is_exact : bool
        Whether it gives the same to the bit; else it is a unit in the last place off.
    absorbs : tuple of int
        The operands of which inf or nan may give a finite result: ``1.0 / inf``.
    needs_numbers : bool
        Whether it does with nan what NumPy does not.
    may_overflow : bool
        Whether numbers may give inf or nan without an error.
    nanoseconds : int
        What a call takes.
    """

    function: Operation
    is_exact: bool = True
    absorbs: tuple[int, ...] = ()
    needs_numbers: bool = False
    may_overflow: bool = False
    nanoseconds: int = 15


def _test(function: Operation) -> Form:
    return Form(function, absorbs=(0, 1))


def _libm(name: str, *absorbs: int) -> Form:
    return Form(getattr(math, name), False, absorbs, nanoseconds=45)


FORMS: dict[Operation, Form] = {
    np.add: Form(operator.add, may_overflow=True),
    np.subtract: Form(operator.sub, may_overflow=True),
    np.multiply: Form(operator.mul, may_overflow=True),
    np.divide: Form(operator.truediv, absorbs=(1,), may_overflow=True),
    np.negative: Form(operator.neg),
    np.positive: Form(operator.pos),
    np.absolute: Form(operator.abs, nanoseconds=30),
    np.fabs: Form(operator.abs, nanoseconds=30),
    np.sqrt: Form(math.sqrt, nanoseconds=35),
    np.maximum: Form(larger, True, (0, 1), True, nanoseconds=25),
    np.minimum: Form(smaller, True, (0, 1), True, nanoseconds=25),
    np.sign: Form(sign, True, (0,), True, nanoseconds=40),
    np.where: Form(choice, absorbs=(1, 2)),
    np.isnan: Form(math.isnan, absorbs=(0,), nanoseconds=30),
    np.isinf: Form(math.isinf, absorbs=(0,), nanoseconds=30),
    np.isfinite: Form(math.isfinite, absorbs=(0,), nanoseconds=30),
    np.equal: _test(operator.eq),
    np.not_equal: _test(operator.ne),
    np.less: _test(operator.lt),
    np.less_equal: _test(operator.le),
    np.greater: _test(operator.gt),
    np.greater_equal: _test(operator.ge),
    np.exp: _libm("exp", 0),
    np.expm1: _libm("expm1", 0),
    np.log: _libm("log"),
    np.log1p: _libm("log1p"),
    np.log2: _libm("log2"),
    np.sin: _libm("sin"),
    np.cos: _libm("cos"),
    np.tan: _libm("tan"),
    np.arcsin: _libm("asin"),
    np.arccos: _libm("acos"),
    np.arctan: _libm("atan", 0),
    np.arctan2: _libm("atan2", 0, 1),
    np.cosh: _libm("cosh"),
    np.arcsinh: _libm("asinh"),
    np.arccosh: _libm("acosh"),
    np.hypot: _libm("hypot")._replace(may_overflow=True),
    np.power: _libm("pow", 0, 1)._replace(may_overflow=True),
    np.float_power: _libm("pow", 0, 1)._replace(may_overflow=True),
    # Of NumPy's scalars, too, this is libm's.
    operator.pow: _libm("pow", 0, 1)._replace(is_exact=True, may_overflow=True),
}
for _own in (*BINARY_OPERATORS, *COMPARISONS, *UNARY_OPERATORS):
    if _own.ufunc in FORMS:
        FORMS.setdefault(_own.python, FORMS[_own.ufunc])

# Of these, libm's are further off. They meet no floating-point error but underflow, so
# that NumPy's own may be called.
KEPT_TO_NUMPY = frozenset({"tanh", "erf", "erfc", "ndtr"})


def is_kept(function: Operation) -> bool:
    """Whether a function is called as it is.

    >>> is_kept(np.tanh), is_kept(np.sinh)
    (True, False)
    """
    return isinstance(function, np.ufunc) and function.__name__ in KEPT_TO_NUMPY
