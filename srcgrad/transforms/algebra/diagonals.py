"""Matrices made of a diagonal: zeros, with a slice of them written, when flat.

And diagonals of products, for which no product of matrices is made. ``np.diag`` takes
four times as long, most of it in asking what it is given.

>>> from srcgrad.graph import Graph
>>> from srcgrad.transforms.rewrite import rewrite
>>> f8 = np.dtype(float)
>>> v, A = Value((4,), f8, "v"), Value((4, 4), f8, "A")
>>> D, y = Value((4, 4), f8, "D"), Value((4, 4), f8, "y")
>>> nodes = Node(np.diag, (v,), out=D), Node(np.add, (A, D), out=y)
>>> print(rewrite(Graph((v, A), nodes, (y,)), diagonal_matrix))
t = scatter(v, slice(None, None, 5), (16,))
D = reshape(t, (4, 4))
y = add(A, D)
return y
"""

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.transforms.reading import arguments
from srcgrad.transforms.rewrite import Rewriter, Term, call, elementwise
from srcgrad.updates import scatter


def diagonal(node: Node, rewriter: Rewriter) -> Term | None:
    """The rules for ``np.diag``."""
    return diagonal_matrix(node, rewriter) or diagonal_of_product(node, rewriter)


def diagonal_of_product(node: Node, rewriter: Rewriter) -> Term | None:
    """``diag(A @ B) -> sum(A * B.T, -1)``, in a derivative."""
    given, out = arguments(node), node.out
    made = rewriter.maker(given["v"])
    if made is None or made.function is not np.matmul or made.kwargs:
        return None
    if not node.in_backward or type(out) is not Value or given["k"] != 0:
        return None
    first, second = made.args
    is_one = rewriter.uses[given["v"]] == 1 and first.dtype == second.dtype == out.dtype
    if not is_one or len(first.shape) != 2 or first.shape != second.shape[::-1]:
        return None
    turned = call(Value(first.shape, out.dtype), np.transpose, Term(second))
    products = elementwise(np.multiply, Term(first), turned)
    return call(out, np.sum, products, axis=-1)


def diagonal_matrix(node: Node, rewriter: Rewriter) -> Term | None:
    """What a node makes of a vector, if that is its diagonal; None if it does not."""
    out = node.out
    if node.function is not np.diag or type(out) is not Value:
        return None
    given = arguments(node)
    v, k = given["v"], given["k"]
    if type(v) is not Value or v.kind != "array" or len(v.shape) != 1:
        return None
    if type(k) is not int or out in rewriter.exposed:
        return None
    (length,), (n, _) = v.shape, out.shape
    start = k if k >= 0 else -k * n
    index = slice(None, None, n + 1)
    if k:
        index = slice(start, start + length * (n + 1), n + 1)
    flat = call(Value((n * n,), v.dtype), scatter, Term(v), index, (n * n,))
    return call(out, np.reshape, flat, out.shape)
