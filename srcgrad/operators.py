"""Python's operators: what a special method, a ufunc, a syntax node are to each other.

>>> [own.name for own in BINARY_OPERATORS if own.syntax == "MatMult"]
['matmul']
"""

import operator
from typing import NamedTuple

import numpy as np

from srcgrad.facts import Operation


class Operator(NamedTuple):
    """The names of one operator.

    ``name`` is that of the special method, ``syntax`` that of the syntax node's class
    (``""``: it is written as a call), ``symbol`` how it is written between operands,
    ``augmented`` the function of ``x += y``, ``turned`` the name of the comparison with
    the operands the other way round.
    """

    name: str
    ufunc: np.ufunc
    python: Operation
    syntax: str
    symbol: str = ""
    augmented: Operation | None = None
    turned: str = ""


BINARY_OPERATORS = (
    Operator("add", np.add, operator.add, "Add", "+", operator.iadd),
    Operator("sub", np.subtract, operator.sub, "Sub", "-", operator.isub),
    Operator("mul", np.multiply, operator.mul, "Mult", "*", operator.imul),
    Operator("truediv", np.divide, operator.truediv, "Div", "/", operator.itruediv),
    Operator(
        *("floordiv", np.floor_divide, operator.floordiv),
        *("FloorDiv", "//", operator.ifloordiv),
    ),
    Operator("mod", np.remainder, operator.mod, "Mod", "%", operator.imod),
    Operator("pow", np.power, operator.pow, "Pow", "**", operator.ipow),
    Operator("matmul", np.matmul, operator.matmul, "MatMult", "@", operator.imatmul),
    Operator("and", np.bitwise_and, operator.and_, "BitAnd", "&", operator.iand),
    Operator("or", np.bitwise_or, operator.or_, "BitOr", "|", operator.ior),
    Operator("xor", np.bitwise_xor, operator.xor, "BitXor", "^", operator.ixor),
    Operator(
        "lshift", np.left_shift, operator.lshift, "LShift", "<<", operator.ilshift
    ),
    Operator(
        "rshift", np.right_shift, operator.rshift, "RShift", ">>", operator.irshift
    ),
)
COMPARISONS = (
    Operator("eq", np.equal, operator.eq, "Eq", "==", turned="eq"),
    Operator("ne", np.not_equal, operator.ne, "NotEq", "!=", turned="ne"),
    Operator("lt", np.less, operator.lt, "Lt", "<", turned="gt"),
    Operator("le", np.less_equal, operator.le, "LtE", "<=", turned="ge"),
    Operator("gt", np.greater, operator.gt, "Gt", ">", turned="lt"),
    Operator("ge", np.greater_equal, operator.ge, "GtE", ">=", turned="le"),
)
UNARY_OPERATORS = (
    Operator("neg", np.negative, operator.neg, "USub"),
    Operator("pos", np.positive, operator.pos, "UAdd"),
    Operator("abs", np.absolute, operator.abs, ""),
    Operator("invert", np.invert, operator.invert, "Invert"),
)
