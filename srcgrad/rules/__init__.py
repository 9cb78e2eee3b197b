"""The derivative rules, a chapter for each kind of function."""

from srcgrad.operators import BINARY_OPERATORS, UNARY_OPERATORS
from srcgrad.rules import (
    binning,
    determinants,
    einsum,
    elementwise,
    factorisations,
    fft,
    indexing,
    joining,
    linalg,
    mapping,
    memory,
    norms,
    padding,
    polynomials,
    products,
    python,
    quantiles,
    ranges,
    reductions,
    scimath,
    sets,
    shapes,
    statistics,
    ufunc_methods,
    windows,
)
from srcgrad.rules.compositions import COMPOSITIONS, defined_as
from srcgrad.rules.registry import PRIMITIVES, Primitive, alias, defconstant, defvjp

__all__ = [
    "COMPOSITIONS",
    "PRIMITIVES",
    "Primitive",
    "binning",
    "defconstant",
    "defined_as",
    "defvjp",
    "determinants",
    "einsum",
    "elementwise",
    "factorisations",
    "fft",
    "indexing",
    "joining",
    "linalg",
    "mapping",
    "memory",
    "norms",
    "padding",
    "polynomials",
    "products",
    "python",
    "quantiles",
    "ranges",
    "reductions",
    "scimath",
    "sets",
    "shapes",
    "statistics",
    "ufunc_methods",
    "windows",
]

# Python's operators, as they work on two Python floats: without NumPy.
for _own in BINARY_OPERATORS + UNARY_OPERATORS:
    alias(_own.python, _own.ufunc)
