"""The small statements and expressions that kernels are made of.

>>> from srcgrad.emit.one_line import text
>>> text(element(name("x"), [name("i"), 0])), text(index([name("i")]))
('x[i, 0]', 'i')
>>> text(empty(Scope(), (3, name("n")), BOOL))
'np.empty((3, n), np.bool_)'
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import gast
import numpy as np

from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import (
    assignment,
    call,
    compare,
    constant,
    loop,
    name,
    sequence,
    subscript,
    target,
)
from srcgrad.native.elements import BOOL, FLOAT

# A length, or an index: a number that is known, or what computes it.
Number: TypeAlias = int | gast.expr


def _number(part: Number) -> gast.expr:
    return constant(part) if isinstance(part, int) else part


def index(parts: Sequence[Number]) -> gast.expr:
    """An index of some parts."""
    exprs = [*map(_number, parts)]
    return exprs[0] if len(exprs) == 1 else sequence(exprs)


def element(array: gast.expr, parts: Sequence[Number]) -> gast.expr:
    """An element of an array, to be read."""
    return subscript(array, index(parts))


def stored(array: gast.expr, parts: Sequence[Number], value: gast.expr) -> gast.Assign:
    """``array[i, j] = value``"""
    return assignment(place(array, parts), value)


def place(array: gast.expr, parts: Sequence[Number]) -> gast.Subscript:
    """An element of an array, to be written."""
    return gast.Subscript(array, index(parts), gast.Store())


def size(shape: Iterable[Number]) -> gast.expr:
    """A shape."""
    return sequence(map(_number, shape))


def empty(
    scope: Scope, shape: Iterable[Number] | int, dtype: np.dtype[np.generic] = FLOAT
) -> gast.expr:
    """A new array."""
    given = constant(shape) if isinstance(shape, int) else size(shape)
    named = "bool_" if dtype == BOOL else str(dtype)
    return call(scope.numpy("empty"), [given, *[scope.numpy(named)] * (dtype != FLOAT)])


def counted(id: str, count: Number, statements: Sequence[gast.stmt]) -> gast.For:
    """``for i in range(count): ...``"""
    return loop(target(id), call(name("range"), [_number(count)]), statements)


def fails(test: gast.expr, why: str, error: str = "ValueError") -> gast.If:
    """Leave the call to NumPy's tier where a test is true."""
    raised = gast.Raise(call(name(error), [constant(why)]), None)
    return gast.If(test, [raised], [])


def out_of_bounds(read: gast.expr, length: int) -> gast.expr:
    """Whether an index is none of an axis."""
    low = compare(read, gast.Lt(), constant(-length))
    high = compare(read, gast.GtE(), constant(length))
    return gast.BoolOp(gast.Or(), [low, high])
