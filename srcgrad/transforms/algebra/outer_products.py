"""Products of a column and a row, in derivatives: their diagonals, and their sums.

>>> from srcgrad.graph import Graph
>>> from srcgrad.transforms.rewrite import rewrite
>>> f8 = np.dtype(float)
>>> u, x, y = (Value((3,), f8, name) for name in "uxy")
>>> c, (p, q, d) = Value((3, 1), f8, "c"), (Value((3, 3), f8, n) for n in "pqd")
>>> nodes = (
...     Node(np.expand_dims, (u, 1), out=c, in_backward=True),
...     Node(np.multiply, (c, x), out=p, in_backward=True),
...     Node(np.multiply, (c, y), out=q, in_backward=True),
...     Node(np.subtract, (p, q), out=d, in_backward=True),
... )
>>> print(rewrite(Graph((u, x, y), nodes, (d,)), sum_of_outer_products))
c = expand_dims(u, 1)
t = subtract(x, y)
d = multiply(c, t)
return d

With floats the two sides may differ where a factor is infinite: ``inf - inf`` is no
number.
"""

from typing import Any, NamedTuple

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.linear import vector_along
from srcgrad.transforms.reading import arguments
from srcgrad.transforms.rewrite import Rewriter, Term, elementwise


class Outer(NamedTuple):
    """``column * row``, or less that; ``source`` is the vector of the column."""

    column: Value
    source: Value
    row: Value
    is_negative: bool


def diagonal_of_outer_product(node: Node, rewriter: Rewriter) -> Term | None:
    """``diagonal(u[:, None] * x) -> u * x``, in a derivative."""
    given = arguments(node)
    position = given["offset"], given["axis1"], given["axis2"]
    if not node.in_backward or position != (0, 0, 1):
        return None
    found = _outer(given["a"], rewriter)
    if found is None or found.source.shape != found.row.shape:
        return None
    product = elementwise(np.multiply, Term(found.source), Term(found.row))
    return -product if found.is_negative else product


def sum_of_outer_products(node: Node, rewriter: Rewriter) -> Term | None:
    """``c * x - c * y -> c * (x - y)`` of a column, in a derivative."""
    if not node.in_backward or node.kwargs:
        return None
    first, second = (_outer(arg, rewriter) for arg in node.args)
    if first is None or second is None or first.column is not second.column:
        return None
    if first.is_negative or any(rewriter.uses[arg] > 1 for arg in node.args):
        return None
    is_less = second.is_negative != (node.function is np.subtract)
    ufunc = np.subtract if is_less else np.add
    rows = elementwise(ufunc, Term(first.row), Term(second.row))
    return elementwise(np.multiply, Term(first.column), rows)


def _outer(item: Any, rewriter: Rewriter) -> Outer | None:
    """A value as such a product, if it is one."""
    node, is_negative = rewriter.maker(item), False
    if node is not None and node.function is np.negative and not node.kwargs:
        node, is_negative = rewriter.maker(node.args[0]), True
    if node is None or node.function is not np.multiply or node.kwargs:
        return None
    for column, row in (node.args, node.args[::-1]):
        if type(column) is not Value or type(row) is not Value:
            continue
        made = rewriter.maker(column)
        is_negated = made is not None and made.function is np.negative
        if made is not None and is_negated and not made.kwargs:
            column = made.args[0]
        source = vector_along(column, 0, rewriter)
        is_one = len(row.shape) == 1 and {column.dtype, row.dtype} == {item.dtype}
        if source is not None and is_one and item.dtype.kind == "f":
            return Outer(column, source, row, is_negative != is_negated)
    return None
