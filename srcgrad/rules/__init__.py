"""The derivative rules, a chapter for each kind of function."""

from srcgrad.rules import (
    einsum,
    elementwise,
    indexing,
    joining,
    linalg,
    products,
    reductions,
    shapes,
    statistics,
)
from srcgrad.rules.compositions import COMPOSITIONS, defined_as
from srcgrad.rules.registry import PRIMITIVES, Primitive, defconstant, defvjp

__all__ = [
    "COMPOSITIONS",
    "PRIMITIVES",
    "Primitive",
    "defconstant",
    "defined_as",
    "defvjp",
    "einsum",
    "elementwise",
    "indexing",
    "joining",
    "linalg",
    "products",
    "reductions",
    "shapes",
    "statistics",
]
