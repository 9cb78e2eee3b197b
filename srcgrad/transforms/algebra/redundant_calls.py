"""Calls that NumPy need not make: those that repeat, or undo, what was just done.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> f8 = np.dtype(float)
>>> x, t, u = Value((2, 3), f8, "x"), Value((3, 2), f8, "t"), Value((2, 3), f8, "u")
>>> y = Value((), f8, "y", "scalar")
>>> nodes = (
...     Node(np.transpose, (x,), out=t),
...     Node(np.transpose, (t,), out=u),
...     Node(np.mean, (u,), out=y),
... )
>>> print(simplify_redundant_calls(Graph((x,), nodes, (y,))))
t = sum(x)
y = divide(t, 6)
return y
"""

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.graph import Program
from srcgrad.steps import Node, Value, values_in
from srcgrad.transforms.algebra.choice_sums import sum_of_choices
from srcgrad.transforms.algebra.detours import (
    FOURIER,
    factors,
    of_real_numbers,
    picked,
    taken_in_order,
    turned_back,
)
from srcgrad.transforms.algebra.diagonals import diagonal
from srcgrad.transforms.algebra.formula_patterns import (
    is_moderate,
    is_number,
    number_in,
)
from srcgrad.transforms.algebra.linear import (
    solution_of_product,
    sum_of_linear,
    sum_of_products,
)
from srcgrad.transforms.algebra.outer_products import diagonal_of_outer_product
from srcgrad.transforms.algebra.squeezing import squeezed
from srcgrad.transforms.reading import arguments
from srcgrad.transforms.rewrite import (
    Rewriter,
    Simplifier,
    Term,
    call,
    elementwise,
    rewrite,
)
from srcgrad.updates import cast, scatter
from srcgrad.valued import valued

# From here on not every integer is one of float32's.
MOST_EXACT_IN_FLOAT32 = 2**24


def simplify_redundant_calls(graph: Program) -> Program:
    """Apply the rules below wherever they fit."""
    return rewrite(graph, _simplify, SIMPLIFIERS)


def _simplify(node: Node, rewriter: Rewriter) -> Term | None:
    if node.function not in SIMPLIFIERS or not node.args:
        return None
    return SIMPLIFIERS[node.function](node, rewriter)


def mean(node: Node, rewriter: Rewriter) -> Term | None:
    """``mean(x) -> sum(x) / n``: what NumPy does too, after much asking."""
    given = arguments(node)
    x, out = given["a"], node.out
    assert type(out) is Value
    if type(x) is not Value or x.dtype != out.dtype or x.dtype.char not in "fdFD":
        return None  # NumPy sums other dtypes in a wider one
    if given["dtype"] is not None or given["where"] is not True:
        return None
    if x.dtype.kind == "c" and out in rewriter.decisive:
        return None  # there it divides in another precision
    n = math.prod(x.shape) // max(1, math.prod(out.shape))
    if not 0 < n <= MOST_EXACT_IN_FLOAT32:
        return None
    options = {
        name: given[name] for name in ("axis", "keepdims") if name in node.kwargs
    }
    total = call(out, np.sum, Term(x), *node.args[1:2], **options)
    return elementwise(np.divide, total, n)


def sum_of_multiples(node: Node, rewriter: Rewriter) -> Term | None:
    """``sum(x * a) -> sum(x) * a``: work on less.

    Not for a factor less than one, since the sum of ``x`` alone might leave the range.
    Nor for a negative one: the sum of 0.0 and -0.0 is 0.0 before and after a change of
    all signs, and a division by it would be inf of the other sign.
    """
    out, inner = node.out, rewriter.maker(node.args[0])
    assert type(out) is Value
    if inner is None or inner.kwargs or rewriter.uses[inner.results[0]] > 1:
        return None
    if inner.function is not np.multiply or out in rewriter.decisive:
        return None
    x, *number = inner.args if type(inner.args[0]) is Value else inner.args[::-1]
    if type(x) is not Value or x.dtype != out.dtype or out.dtype.kind != "f":
        return None
    if not is_number(number[0]):
        return None
    factor = number_in(number[0], out.dtype)
    if not is_moderate(factor, out.dtype) or factor < 1:
        return None
    total = call(out, np.sum, Term(x), *node.args[1:], **node.kwargs)
    return elementwise(np.multiply, total, factor)


def addition(node: Node, rewriter: Rewriter) -> Term | None:
    """The rules for ``+``: in derivatives."""
    if not node.in_backward:
        return None
    return sum_of_linear(node, rewriter, _swapped) or sum_of_choices(node, rewriter)


def total(node: Node, rewriter: Rewriter) -> Term | None:
    """The rules for sums, one after the other."""
    for rule in (sum_of_products, sum_of_multiples, squeezed):
        term = rule(node, rewriter)
        if term is not None:
            return term
    return None


def transpose(node: Node, rewriter: Rewriter) -> Term | None:
    """Of two in a row make one; drop what moves no axis, and turn products round."""
    axes, source = _permutation(node), node.args[0]
    if axes is None:
        return None
    inner = rewriter.maker(source)
    if inner and inner.function is np.matmul:
        return _turned_round(node, inner, rewriter)
    before = _permutation(inner) if inner and inner.function in TRANSPOSES else None
    if inner and before is not None:
        source, axes = inner.args[0], tuple(before[axis] for axis in axes)
    if axes == tuple(range(len(axes))):
        return Term(source)
    assert type(node.out) is Value
    return call(node.out, np.transpose, Term(source), axes) if before else None


def _turned_round(node: Node, product: Node, rewriter: Rewriter) -> Term | None:
    """``(x.T @ y).T -> y.T @ x``, for matrices, and for stacks of them."""
    assert type(node.out) is Value
    value = node.args[0]
    if (
        not _swaps_last_two(node)
        or product.kwargs
        or not all(len(factor.shape) > 1 for factor in product.args)
        or rewriter.uses[value] > 1
        or node.out in rewriter.decisive
        or not any(_swapped(factor, rewriter) for factor in product.args)
    ):
        return None
    x, y = (_transposed(factor, rewriter) for factor in product.args)
    return call(node.out, np.matmul, y, x)


def _transposed(factor: Value, rewriter: Rewriter) -> Term:
    source = _swapped(factor, rewriter)
    if source is not None:
        return Term(source)
    *batch, n, m = factor.shape
    like = Value((*batch, m, n), factor.dtype)
    return call(like, np.swapaxes, Term(factor), -1, -2)


def _swapped(factor: Any, rewriter: Rewriter) -> Value | None:
    """The matrix that a factor is the transpose of, if it is one."""
    node = rewriter.maker(factor)
    if node is None or node.function not in TRANSPOSES or not _swaps_last_two(node):
        return None
    source: Value = node.args[0]
    return source


def _swaps_last_two(node: Node) -> bool:
    axes = _permutation(node)
    if axes is None or len(axes) < 2:
        return False
    *batch, m, n = range(len(axes))
    return axes == (*batch, n, m)


def _permutation(node: Node) -> tuple[int, ...] | None:
    """Which axis of the argument each axis of the result is."""
    given = list(arguments(node).values())
    if type(given[0]) is not Value or values_in(given[1:]):
        return None  # an array may say which axes, too
    axes = list(range(len(given[0].shape)))
    if node.function is np.transpose:
        if given[1] is None:
            return tuple(reversed(axes))
        return tuple(axes[axis] for axis in np.atleast_1d(given[1]))
    moves = given[1:] if node.function in (np.swapaxes, np.moveaxis) else (-1, -2)
    first, second = moves
    if node.function is not np.moveaxis:
        axes[first], axes[second] = axes[second], axes[first]
        return tuple(axes)
    return _moved(axes, first, second)


def _moved(axes: Sequence[int], source: Any, destination: Any) -> tuple[int, ...]:
    sources = [axes[axis] for axis in np.atleast_1d(source).tolist()]
    targets = [axes[axis] for axis in np.atleast_1d(destination).tolist()]
    order = [axis for axis in axes if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return tuple(order)


def reshape(node: Node, rewriter: Rewriter) -> Term | None:
    """Of two in a row make one; drop what keeps the shape."""
    source, out = node.args[0], node.out
    assert type(out) is Value
    if type(source) is not Value or not _is_in_order(node):
        return None
    if source.shape == out.shape:
        is_ravel = node.function is np.ravel  # which copies what has strides
        return None if is_ravel and _may_copy(node, rewriter) else Term(source)
    term = squeezed(node, rewriter)
    if term is not None:
        return term
    inner = rewriter.maker(source)
    if inner is None or inner.function not in RESHAPES or not _is_in_order(inner):
        return None
    if _may_copy(inner, rewriter):
        return None
    source = inner.args[0]
    if type(source) is Value and source.shape == out.shape:
        return Term(source)
    return call(out, np.reshape, Term.of(source), out.shape)


def _may_copy(node: Node, rewriter: Rewriter) -> bool:
    """Whether the backward graph may need a copy of what the caller can change."""
    return (
        facts_of(node.function).by_layout
        and not rewriter.read_late.isdisjoint(node.results)
        and not rewriter.callers.isdisjoint(node.inputs)
    )


def _is_in_order(node: Node) -> bool:
    return bool(arguments(node).get("order", "C") == "C")


def to_dtype(node: Node, rewriter: Rewriter) -> Term | None:
    """Drop a cast to the same dtype, and one to a wider dtype before another."""
    source, out = node.args[0], node.out
    assert type(out) is Value
    if type(source) is not Value:
        return None
    if source.dtype == out.dtype:
        return Term(source)
    inner = rewriter.maker(source)
    if inner is None or inner.function is not cast:
        return None
    first = inner.args[0]
    if type(first) is not Value or not _holds_all(source.dtype, first.dtype):
        return None
    return call(out, cast, Term(first), out.dtype) if first.kind == out.kind else None


def _holds_all(dtype: np.dtype[Any], narrow: np.dtype[Any]) -> bool:
    """Whether a dtype has each number of another: float64 has not those of int64."""
    is_rounded = narrow.kind in "iu" and dtype.kind in "fc"
    bits = 8 * narrow.itemsize
    return np.can_cast(narrow, dtype) and not (
        is_rounded and bits > np.finfo(dtype).nmant + 1
    )


def real_part(node: Node, _: Rewriter) -> Term | None:
    """A real number is its own real part, and its own conjugate."""
    source = node.args[0]
    is_real = type(source) is Value and source.dtype.kind != "c"
    return Term(source) if is_real else None


def scattered(node: Node, rewriter: Rewriter) -> Term | None:
    """The rules for ``scatter``."""
    return scattered_whole(node, rewriter) or taken_in_order(node, rewriter)


def scattered_whole(node: Node, _: Rewriter) -> Term | None:
    """A reshape, if ``x[:, None]`` was, or ``x[0]`` where there is one row only."""
    g, index, shape = node.args
    parts = index if isinstance(index, tuple) else (index,)
    if type(g) is not Value or not all(
        part is None or part is ... or type(part) is int or part == slice(None)
        for part in parts
    ):
        return None
    assert type(node.out) is Value
    # Otherwise there are zeros too, or what is broadcast to its place.
    is_whole = math.prod(g.shape) == math.prod(shape)
    return call(node.out, np.reshape, Term(g), shape) if is_whole else None


def value_alone(node: Node, _: Rewriter) -> Term | None:
    """Drop the formula that a value has been differentiated as."""
    value: Term = Term.of(node.args[1])
    return value


def copied(node: Node, rewriter: Rewriter) -> Term | None:
    """Drop a copy that one ufunc reads at once: ``x[0] *= 2.0`` makes one of ``x[0]``.

    What is kept for the backward graph stays: the source may have been changed by then.
    """
    source, out = node.args[0], node.out
    assert type(out) is Value
    user = rewriter.only_user.get(out)
    if (
        type(user) is not Node
        or not isinstance(user.function, np.ufunc)
        or user.in_backward is not node.in_backward
        or user.kwargs
        or node.kwargs
        or len(node.args) > 1
        or type(source) is not Value
        or out in rewriter.decisive
    ):
        return None
    return Term(source)


def filled_like(function: Operation) -> Simplifier:
    """``zeros_like(x) -> zeros(shape)``, for which ``x`` need not be kept."""

    def rule(node: Node, _: Rewriter) -> Term | None:
        out = node.out
        assert type(out) is Value
        if len(node.args) != 1 or node.kwargs:
            return None
        is_default = out.dtype == np.dtype(float)
        return call(out, function, out.shape, *(() if is_default else (out.dtype,)))

    return rule


# The formula of this pass: who simplifies which call.
TRANSPOSES: dict[Operation, Simplifier] = dict.fromkeys(
    (
        np.transpose,
        np.swapaxes,
        np.moveaxis,
        np.matrix_transpose,
        np.linalg.matrix_transpose,
    ),
    transpose,
)
RESHAPES: dict[Operation, Simplifier] = dict.fromkeys(
    (np.reshape, np.ravel, np.expand_dims, np.squeeze), reshape
)
SIMPLIFIERS: dict[Operation, Simplifier] = {
    **TRANSPOSES,
    **RESHAPES,
    np.flip: turned_back,
    operator.getitem: picked,
    **dict.fromkeys((np.multiply, np.divide), factors),
    **dict.fromkeys(FOURIER, of_real_numbers),
    cast: to_dtype,
    np.mean: mean,
    np.sum: total,
    np.add: addition,
    np.real: real_part,
    np.copy: copied,
    valued: value_alone,
    np.diag: diagonal,
    np.linalg.solve: solution_of_product,
    np.diagonal: diagonal_of_outer_product,
    scatter: scattered,
    np.zeros_like: filled_like(np.zeros),
    np.ones_like: filled_like(np.ones),
}
