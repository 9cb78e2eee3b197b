"""The derivative rules, a chapter for each kind of function.

Chapters on functions that few programs call are imported when one does: ``libraries``.
"""

from srcgrad.operators import BINARY_OPERATORS, UNARY_OPERATORS
from srcgrad.rules import (  # noqa: F401 (they enter their rules)
    determinants,
    einsum,
    elementwise,
    factorisations,
    fft,
    indexing,
    joining,
    linalg,
    norms,
    polynomials,
    products,
    python,
    quantiles,
    reductions,
    shapes,
    statistics,
    strides,
    ufunc_methods,
)
from srcgrad.rules.compositions import COMPOSITIONS, defined_as
from srcgrad.rules.registry import PRIMITIVES, Primitive, alias, defconstant, defvjp

__all__ = [
    "COMPOSITIONS",
    "PRIMITIVES",
    "Primitive",
    "defconstant",
    "defined_as",
    "defvjp",
]

# Python's operators, as they work on two Python floats: without NumPy.
for _own in BINARY_OPERATORS + UNARY_OPERATORS:
    alias(_own.python, _own.ufunc)
