"""Algebra: the same values (up to rounding) from fewer or cheaper operations.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> x, t, u, y = (Value((3,), np.dtype(float), name) for name in "xtuy")
>>> nodes = (
...     Node(np.power, (x, 2), out=t),
...     Node(np.multiply, (3.0, t), out=u),
...     Node(np.divide, (u, 96), out=y),
... )
>>> graph = Graph((x,), nodes, (y,))
>>> print(graph)
t = power(x, 2)
u = multiply(3.0, t)
y = divide(u, 96)
return y
>>> print(simplify_algebra(graph))
t = multiply(x, x)
y = divide(t, 32.0)
return y
"""

from typing import Any

import numpy as np

from srcgrad.graph import Node, Program, Value
from srcgrad.transforms.patterns import Identities, look_at
from srcgrad.transforms.rewrite import Rewriter, Term, rewrite


def simplify_algebra(graph: Program) -> Program:
    """Apply the rules below wherever they fit."""
    return rewrite(graph, _simplify)


def _simplify(node: Node, rewriter: Rewriter) -> Term | None:
    if not isinstance(node.function, np.ufunc) or not isinstance(node.out, Value):
        return None
    kind = node.out.dtype.kind
    if kind not in "fc" or node.function not in ROOTS:
        return None
    looks = look_at(node, rewriter)
    term = SIGNS.apply(node, rewriter, looks)
    if term is None and kind == "f":
        term = EXACT.apply(node, rewriter, looks)
        if term is None:
            term = ROUNDED.apply(node, rewriter, looks)
            if term is not None and node.out in rewriter.decisive:
                return None
    return term


# ----- Formulas; see `patterns` for what the letters stand for -----
# Right to the bit, for real and for complex numbers.
SIGNS = Identities(
    (lambda x: -(-x), lambda x: x),  # noqa: B002 - twice is the point
    (lambda x: +x, lambda x: x),
    (lambda x, y: x + -y, lambda x, y: x - y),
    (lambda x, y: x - -y, lambda x, y: x + y),
)

# Right to the bit for real numbers. Not here: `x + 0` and `-(x - y)`, wrong for zeros.
EXACT = Identities(
    (lambda x: np.conjugate(x), lambda x: x),
    (lambda x: np.square(x), lambda x: x * x),
    (lambda x, y: -x * -y, lambda x, y: x * y),
    (lambda x, y: -x / -y, lambda x, y: x / y),
    # Units
    (lambda x: x * 1, lambda x: x),
    (lambda x: x / 1, lambda x: x),
    (lambda x: x**1, lambda x: x),
    (lambda x: x - 0, lambda x: x),
    (lambda x: x * -1, lambda x: -x),
    (lambda x: x / -1, lambda x: -x),
    # A number takes a sign in, or else a scalar does
    (lambda x, a: -x * a, lambda x, a: x * -a),
    (lambda x, a: -x / a, lambda x, a: x / -a),
    (lambda x, a: a / -x, lambda x, a: -a / x),
    (lambda x, a: -(x * a), lambda x, a: x * -a),
    (lambda x, a: -(x / a), lambda x, a: x / -a),
    (lambda x, a: -(a / x), lambda x, a: -a / x),
    (lambda s, x: -(s * x), lambda s, x: -s * x),
    (lambda s, x: -(x / s), lambda s, x: x / -s),
    (lambda s, x: -(s / x), lambda s, x: -s / x),
    (lambda s, x, y: -(s * x * y), lambda s, x, y: -s * x * y),
    # and otherwise it goes out, where it may meet another one, or a sum
    (lambda w, y: -w * y, lambda w, y: -(w * y)),
    (lambda w, y: -w / y, lambda w, y: -(w / y)),
    (lambda x, w: x / -w, lambda x, w: -(x / w)),
)


def ratio(x: Term, a: Any, b: Any) -> Any:
    """Write ``x * a / b`` with one number, if that reads well or saves work."""
    if b % a == 0:
        return x / (b / a)
    if a % b == 0 or x.out.shape:
        return x * (a / b)
    return None


def fourth_power(x: Any) -> Any:
    square = x * x
    return square * square


# Right but for rounding, for real numbers. Not here: `x ** 0.5`, no square root at -0.0
# and -inf, and `x * 0`, no zero for nan and inf.
ROUNDED = Identities(
    # Powers: NumPy's general one costs as much as 20 products
    (lambda x: x**2, lambda x: x * x),
    (lambda x: x**3, lambda x: x * x * x),
    (lambda x: x**4, fourth_power),
    (lambda x: x**-1, lambda x: 1.0 / x),
    # Scalars first: work on them costs nothing next to that on arrays
    (lambda s, x, a: s * x * a, lambda s, x, a: s * a * x),
    (lambda s, x, a: s * x / a, lambda s, x, a: s / a * x),
    (lambda s, x, a: x * a * s, lambda s, x, a: s * a * x),
    (lambda s, x, a: x / a * s, lambda s, x, a: s / a * x),
    (lambda s, x, a: x / s * a, lambda s, x, a: x / (s / a)),
    (lambda s, x, a: x / s / a, lambda s, x, a: x / (s * a)),
    (lambda s, x, a: x * a / s, lambda s, x, a: x / (s / a)),
    (lambda s, x, a: x / a / s, lambda s, x, a: x / (s * a)),
    (lambda s, x, a: s / x * a, lambda s, x, a: s * a / x),
    (lambda s, x, a: s / x / a, lambda s, x, a: s / a / x),
    (lambda s, x, y, a: s * x * y * a, lambda s, x, y, a: s * a * x * y),
    (lambda s, x, y, a: s * x * y / a, lambda s, x, y, a: s / a * x * y),
    (lambda s, x, y, a: x * a * y * s, lambda s, x, y, a: s * a * x * y),
    # Numbers gathered
    (lambda x, a, b: x * a * b, lambda x, a, b: x * (a * b)),
    (lambda x, a, b: x / a / b, lambda x, a, b: x / (a * b)),
    (lambda x, a, b: x * a / b, ratio),
    (lambda x, b, a: x / b * a, ratio),
    (lambda x, a, b: a / x * b, lambda x, a, b: a * b / x),
    (lambda x, a, b: a / x / b, lambda x, a, b: a / b / x),
    (lambda x, a, b: a / (x * b), lambda x, a, b: a / b / x),
    (lambda x, a, b: a / (x / b), lambda x, a, b: a * b / x),
    (lambda x, y, a, b: (x * a) * (y * b), lambda x, y, a, b: x * y * (a * b)),
    (lambda x, y, a, b: x * a * y * b, lambda x, y, a, b: x * y * (a * b)),
)

ROOTS = SIGNS.roots | EXACT.roots | ROUNDED.roots
