"""One number of a step as an expression that Numba compiles.

>>> from srcgrad.emit.one_line import text
>>> from srcgrad.emit.syntax import name
>>> x, t, y = (Value((), np.dtype(kind)) for kind in (float, bool, float))
>>> scope = Scope()
>>> scope.known.update({x: name("x"), t: name("t")})
>>> text(number(scope, Node(np.where, (t, x, 0.0), out=y)))
'x if t else 0.0'
"""

import operator
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from srcgrad.emit.expressions import computed
from srcgrad.emit.literals import written
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import (
    ADD,
    call,
    choice,
    compare,
    constant,
    name,
    operation,
)
from srcgrad.native.elements import (
    BOOL,
    CHOICES,
    FLOAT,
    INT,
    NATIVE_UFUNCS,
    SAME,
    UnsupportedError,
)
from srcgrad.operators import COMPARISONS
from srcgrad.steps import Node, Value
from srcgrad.updates import cast

# The formula of this pass: what gives a truth, or takes some; all else of truths is
# NumPy's own.
TRUTHS = {
    *(np.logical_and, np.logical_or, np.logical_not, np.logical_xor),
    *(np.isnan, np.isfinite, np.isinf),
    *(function for own in COMPARISONS for function in (own.ufunc, own.python)),
}


# The formula of this pass: calls that NumPy says nothing of, whatever they are given.
QUIET = frozenset(
    {
        *("float", "int", "abs", "fabs", "sign", "copysign", "floor", "ceil", "trunc"),
        *("maximum", "minimum", "fmax", "fmin", "isnan", "isfinite", "isinf"),
    }
)


# The formula of this pass: whether `np.power`, as `x**0.5`, has a root's zeros.
ROOT_BY_POWER = bool(np.signbit(np.power(np.array([-0.0]), 0.5))[0])


POWERS = frozenset({operator.pow, np.power})


def by_ufunc(step: Node) -> Node:
    """A power of arrays as NumPy computes it: by `np.power`, or as a root."""
    if step.function not in POWERS:
        return step
    is_root = isinstance(step.args[1], float) and step.args[1] == 0.5
    if is_root and (ROOT_BY_POWER or step.function is operator.pow):
        return replace(step, function=np.sqrt, args=step.args[:1])
    return replace(step, function=np.power)


def number(scope: Scope, node: Node, kernel: Any = None) -> gast.expr:
    """Write down what a step computes of numbers.

    Both operands of a choice are computed, as NumPy does, for it may have something to
    say of either; ``kernel`` knows of which.

    Raises
    ------
    UnsupportedError
        If Numba computes something else.
    """
    (out,), args = node.results, node.args
    if any(isinstance(arg, np.ndarray) and arg.ndim for arg in args):
        raise UnsupportedError("an array among the arguments is left to NumPy")
    if node.function in SAME or node.function is cast:
        return converted(scope, args[0], out.dtype)
    if node.function in CHOICES:
        test = converted(scope, args[0], BOOL)
        operands = [converted(scope, each, out.dtype) for each in args[1:]]
        if kernel is None or not any(is_said(each, kernel.said) for each in operands):
            return choice(test, *operands)
        return call(name(kernel.prelude("chosen")), [test, *operands])
    dtypes = {arg.dtype for arg in args if type(arg) is Value}
    if node.function not in TRUTHS and BOOL in {out.dtype, *dtypes}:
        raise UnsupportedError(f"{node.function.__name__} of truths")
    if node.function in NATIVE_UFUNCS and dtypes == {INT} and out.dtype == FLOAT:
        raise UnsupportedError(f"{node.function.__name__} of whole numbers")
    found = computed(scope, node)
    if node.function is np.power and out.shape and not _is_whole(args[1]):
        given = [written(scope, each) for each in args]
        return call(scope.numpy("power"), given)  # of several numbers at once
    # Of a negative zero Numba has that again.
    return operation(found, ADD, constant(0.0)) if node.function is np.sign else found


def _is_whole(exponent: Any) -> bool:
    """Whether an exponent is a constant without a fraction."""
    return type(exponent) is not Value and float(exponent).is_integer()


def is_said(expr: gast.expr, said: Collection[str] = ()) -> bool:
    """Whether NumPy may have something to say of an expression, or of a name in it."""
    for each in gast.walk(expr):
        if isinstance(each, gast.Name) and each.id in said:
            return True
        if isinstance(each, gast.BinOp) and isinstance(each.op, (gast.Div, gast.Pow)):
            return True
        if isinstance(each, gast.Call):
            called: Any = each.func
            if getattr(called, "attr", getattr(called, "id", "")) not in QUIET:
                return True
    return False


def converted(scope: Scope, item: Any, dtype: np.dtype[Any]) -> gast.expr:
    """A number as one of a dtype."""
    if type(item) is not Value:
        if getattr(item, "shape", ()):
            raise UnsupportedError("an array among the arguments is left to NumPy")
        found = {FLOAT: float, BOOL: bool, INT: int}[dtype](item)
        return written(scope, found)
    return as_kind(written(scope, item), item.dtype, dtype)


def as_kind(expr: gast.expr, old: np.dtype[Any], dtype: np.dtype[Any]) -> gast.expr:
    """The same of an expression."""
    if old == dtype:
        return expr
    if old == BOOL:
        zero, one = (0.0, 1.0) if dtype == FLOAT else (0, 1)
        return choice(expr, constant(one), constant(zero))
    if dtype == BOOL:
        return compare(expr, gast.NotEq(), constant(0))
    return call(name("float" if dtype == FLOAT else "int"), [expr])
