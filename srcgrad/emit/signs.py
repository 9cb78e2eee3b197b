"""Where a minus sign is written: in front of a term, or as the sign of a sum.

>>> from srcgrad.emit.one_line import text
>>> from srcgrad.emit.syntax import name
>>> term = gast.BinOp(gast.UnaryOp(gast.USub(), name("x")), gast.Mult(), name("y"))
>>> operator, right = signed(gast.Add(), term, Value((3,), np.dtype(float)))
>>> type(operator).__name__, text(right)
('Sub', 'x * y')
"""

import math

import gast
import numpy as np

from srcgrad.emit.syntax import ADD, USUB, operation, unary
from srcgrad.steps import Node, Value

# From this many bytes on NumPy looks whether it may write over an operand (its
# NPY_MIN_ELIDE_BYTES).
LARGE = 2**18

OPPOSITE_SIGNS: dict[type[gast.operator], gast.operator] = {
    gast.Add: gast.Sub(),
    gast.Sub: gast.Add(),
}


def takes_sign(node: Node, left: gast.expr) -> bool:
    """Whether to write ``-x / 3`` for ``x / -3``: an array takes a pass more."""
    if node.function is not np.divide:
        return False
    out, x = node.results[0], node.args[0]
    is_number = out.kind != "array"
    is_one = isinstance(left, (gast.Name, gast.Call)) and type(x) is Value
    # A complex number by zero depends on the zero's sign in another way.
    is_real = out.dtype.kind != "c"
    return is_number and is_one and is_real and x.dtype == out.dtype


def in_its_own_memory(
    node: Node, left: gast.expr, right: gast.expr
) -> tuple[gast.expr, gast.operator, gast.expr] | None:
    """``x * -y + 1.0`` for ``1.0 - x * y`` of large arrays: the same to the bit.

    NumPy writes a sum over a left operand that nobody else needs, but no difference
    over its right one; memory for one more of that size comes from the system, and
    takes longer than the work.
    """
    first, second = node.args
    if type(first) not in (int, float) or node.function is not np.subtract:
        return None
    if type(second) is not Value or second.dtype.kind != "f":
        return None
    is_large = math.prod(second.shape) * second.dtype.itemsize >= LARGE
    is_product = isinstance(right, gast.BinOp) and isinstance(right.op, gast.Mult)
    if not is_large or not is_product or not isinstance(right.right, gast.Name):
        return None
    factor = unary(USUB, right.right)
    return operation(right.left, right.op, factor), ADD, left


def signed(
    operator: gast.operator, right: gast.expr, out: Value
) -> tuple[gast.operator, gast.expr]:
    """``- 2.0 * x`` for ``+ -2.0 * x``, and the other way round."""
    if type(operator) in OPPOSITE_SIGNS and out.dtype.kind == "f":
        positive = _without_sign(right)
        if positive is not None:
            return OPPOSITE_SIGNS[type(operator)], positive
    return operator, right


def _without_sign(expr: gast.expr) -> gast.expr | None:
    """An expression, a product say, without the sign that it begins with."""
    kind = expr.__class__
    if kind is gast.BinOp and expr.op.__class__ in (gast.Mult, gast.Div):
        left = _without_sign(expr.left)
        return None if left is None else operation(left, expr.op, expr.right)
    return expr.operand if kind is gast.UnaryOp and is_negative(expr) else None


def is_negative(expr: gast.expr) -> bool:
    """Whether an expression is another one with a minus sign."""
    return expr.__class__ is gast.UnaryOp and expr.op.__class__ is gast.USub
