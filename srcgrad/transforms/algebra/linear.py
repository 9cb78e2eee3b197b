"""Derivatives of products and of what is solved for, as one writes them.

>>> from srcgrad.graph import Graph
>>> from srcgrad.transforms.rewrite import rewrite
>>> A, b, c = (Value(n, np.dtype(float), name) for name, n in zip("Abc", EXAMPLES))
>>> u, v, y = (Value((2,), np.dtype(float), name) for name in "uvy")
>>> nodes = (
...     Node(np.linalg.solve, (A, b), out=u, in_backward=True),
...     Node(np.linalg.solve, (A, c), out=v, in_backward=True),
...     Node(np.add, (u, v), out=y, in_backward=True),
... )
>>> print(rewrite(Graph((A, b, c), nodes, (y,)), sum_of_linear))
t = add(b, c)
y = solve(A, t)
return y
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from srcgrad.graph import Graph, once
from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.squeezing import may_add_axes
from srcgrad.transforms.reading import arguments
from srcgrad.transforms.rewrite import Rewriter, Term, call, elementwise

# Those of the example above.
EXAMPLES = (2, 2), (2,), (2,)

Source = Callable[[Any, Rewriter], Value | None]

# The formula of this pass: what gives a number of two vectors, by `@` or another name.
OF_VECTORS = frozenset({np.matmul, np.dot, np.vdot, np.inner, np.vecdot})


def sum_of_linear(
    node: Node, rewriter: Rewriter, source: Source = lambda *_: None
) -> Term | None:
    """``solve(A, b) + solve(A, c) -> solve(A, b + c)``, in a derivative.

    ``source`` gives the matrix that one is the transpose of, if it is one.
    """
    if node.function is not np.add or not node.in_backward or node.kwargs:
        return None
    first, second = map(rewriter.maker, node.args)
    out = node.out
    if first is None or second is None or first.function is not second.function:
        return None
    if first.function not in (np.linalg.solve, np.matmul):  # worth doing once
        return None
    assert type(out) is Value
    matrix, other = first.args[0], second.args[0]
    transposed = source(matrix, rewriter)
    is_one = transposed is not None and transposed is source(other, rewriter)
    if matrix is not other and not is_one:
        return None
    b, c = first.args[1], second.args[1]
    if first.kwargs or second.kwargs or b.shape != c.shape or b.dtype != c.dtype:
        return None
    if any(value.shape != out.shape or rewriter.uses[value] > 1 for value in node.args):
        return None
    total = elementwise(np.add, Term(b), Term(c))
    return call(out, first.function, Term(matrix), total)


def solution_of_product(node: Node, rewriter: Rewriter) -> Term | None:
    """``solve(A, -(A @ x) @ y) -> -x @ y``, in a derivative.

    Where the function itself has shown that ``A`` has an inverse.
    """
    out = node.out
    if not node.in_backward or node.kwargs or out in rewriter.exposed:
        return None
    matrix, value = node.args
    if type(matrix) is not Value or type(value) is not Value:
        return None
    if len(matrix.shape) != 2:
        return None
    term = _divided(value, matrix, rewriter)
    # All steps are asked for an inverse: only where one would be of use.
    return term if term is not None and _has_inverse(matrix, rewriter) else None


def _divided(value: Any, matrix: Value, rewriter: Rewriter) -> Term | None:
    """A value without a matrix that it is a product of, on the left."""
    node = rewriter.maker(value)
    if node is None or node.kwargs or value.dtype != matrix.dtype:
        return None
    if node.function is np.negative:
        term = _divided(node.args[0], matrix, rewriter)
        return None if term is None else -term
    if node.function is not np.matmul or len(value.shape) > 2:
        return None
    first, second = node.args
    if any(factor.dtype != matrix.dtype for factor in node.args):
        return None
    if first is matrix:
        return Term(second)
    if first.shape[:-1] != matrix.shape[:1]:
        return None
    term = _divided(first, matrix, rewriter)
    like = Value(value.shape, value.dtype)
    return None if term is None else call(like, np.matmul, term, Term(second))


def _has_inverse(matrix: Value, rewriter: Rewriter) -> bool:
    made = rewriter.maker(matrix)
    return (
        (made is not None and made.function is np.linalg.cholesky)
        or any(
            type(step) is Node
            and step.function in (np.linalg.solve, np.linalg.inv)  # or an error
            and not step.in_backward
            and any(arg is matrix for arg in step.args[:1])
            for step in rewriter.graph.nodes
        )
    )


def sum_of_products(node: Node, rewriter: Rewriter) -> Term | None:
    """``sum(A * x[:, None], axis=0) -> x @ A``, ``sum(A * x, axis=1) -> A @ x``."""
    if not node.in_backward:
        return None
    given, out = arguments(node), node.out
    inner = rewriter.maker(given["a"])
    if inner is None or inner.function is not np.multiply or inner.kwargs:
        return None
    if node.kwargs.keys() - {"axis"}:
        return None
    shape, axis = given["a"].shape, given["axis"]
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    if type(axis) is not int or not -len(shape) <= axis < len(shape):
        return None
    assert type(out) is Value
    factors = inner.args
    if any(not _is_real(factor, out) for factor in factors):
        return None
    if rewriter.uses[inner.results[0]] > 1:
        return None
    return _product(factors, shape, axis % len(shape), out, rewriter)


def _product(
    factors: Any, shape: tuple[int, ...], axis: int, out: Value, rewriter: Rewriter
) -> Term | None:
    """Of a matrix and a vector along an axis of it; None of others.

    Of two vectors where the program has such a product itself: ``x @ y`` of few numbers
    is no faster than their sum, and not as precise.
    """
    if len(shape) == 1 and all(factor.shape == shape for factor in factors):
        # Whether the program multiplies one of them by another vector itself.
        is_there = not _multiplied_vectors(rewriter.graph).isdisjoint(factors)
        return call(out, np.matmul, *map(Term, factors)) if is_there else None
    if len(shape) != 2:
        return None
    for matrix, factor in (factors, factors[::-1]):
        x = vector_along(factor, axis, rewriter)
        if x is not None and matrix.shape == shape and x.shape == shape[axis:][:1]:
            pair = (matrix, x) if axis else (x, matrix)
            return call(out, np.matmul, *map(Term, pair))
    return None


@once
def _multiplied_vectors(graph: Graph) -> AbstractSet[Value]:
    """The vectors that the program itself multiplies by others."""
    found: set[Value] = set()
    if graph.functions.isdisjoint(OF_VECTORS):
        return found
    for step in graph.nodes:
        if type(step) is Node and step.function in OF_VECTORS:
            is_number = not step.results[0].shape
            found.update(step.inputs if is_number and not step.in_backward else ())
    return found


def vector_along(factor: Value, axis: int, rewriter: Rewriter) -> Value | None:
    """The vector that a factor of a matrix is along an axis of that, if it is one."""
    if axis and len(factor.shape) == 1:
        return factor
    made = rewriter.maker(factor)
    source = None
    if made is not None and may_add_axes(made.function):
        source = made.args[0]
    is_vector = type(source) is Value and len(source.shape) == 1
    is_line = factor.shape[1 - axis :][:1] == (1,) and len(factor.shape) == 2
    return source if is_vector and is_line else None


def _is_real(item: Any, out: Value) -> bool:
    is_same = type(item) is Value and item.dtype == out.dtype
    return is_same and out.dtype.kind == "f"
