"""What the way back of a way back does and undoes: steps that cancel each other.

The way back of ``np.sort`` puts cotangents where the elements came from, by their
ranks. The way back of that, which a ``jvp`` takes, adds tangents into zeros at these
ranks, where the order itself says which to take:

>>> from srcgrad.graph import Graph
>>> from srcgrad.transforms.algebra.dce import eliminate_dead_code
>>> from srcgrad.transforms.algebra.redundant_calls import simplify_redundant_calls
>>> from srcgrad.updates import scatter
>>> x, t, u = (Value((3,), np.dtype(float), name) for name in "xtu")
>>> order, ranks = (Value((3,), np.dtype(int), name) for name in ("order", "ranks"))
>>> nodes = (
...     Node(np.argsort, (x,), out=order),
...     Node(np.argsort, (order,), out=ranks),
...     Node(scatter, (t, (ranks,), (3,)), out=u),
... )
>>> graph = simplify_redundant_calls(Graph((x, t), nodes, (u,)))
>>> print(eliminate_dead_code(graph))
order = argsort(x)
u = take_along_axis(t, order, 0)
return u
"""

import math
import operator
from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.steps import Node, Value
from srcgrad.transforms.reading import arguments
from srcgrad.transforms.rewrite import Rewriter, Term, call
from srcgrad.updates import cast

# The formula of this pass: they take real numbers too, and give what they give of these
# as complex ones.
FOURIER: frozenset[Operation] = frozenset(
    {
        *(np.fft.fft, np.fft.ifft, np.fft.irfft),
        *(np.fft.fftn, np.fft.ifftn, np.fft.irfftn),
    }
)


def taken_in_order(node: Node, rewriter: Rewriter) -> Term | None:
    """``scatter(x, argsort(order)) -> take_along_axis(x, order)``."""
    x, index, shape = node.args
    parts = index if isinstance(index, tuple) else (index,)
    if type(x) is not Value or len(parts) != len(shape) or x.shape != shape:
        return None
    found = [axis for axis, part in enumerate(parts) if _order(part, rewriter)]
    if len(found) != 1:
        return None
    axis = found[0]
    ranks, order = parts[axis], _order(parts[axis], rewriter)
    assert order is not None
    is_along = _axis_of(rewriter.maker(ranks)) == _axis_of(order) == axis
    others = [(i, part) for i, part in enumerate(parts) if i != axis]
    if not is_along or ranks.shape != shape:
        return None
    if not all(_counts(part, i, shape, rewriter) for i, part in others):
        return None
    assert type(node.out) is Value
    (positions,) = order.results
    return call(node.out, np.take_along_axis, Term(x), Term(positions), axis)


def _order(ranks: Any, rewriter: Rewriter) -> Node | None:
    """What has put in order that of which these are the ranks, if they are."""
    outer = rewriter.maker(ranks)
    if outer is None or outer.function is not np.argsort:
        return None
    inner = rewriter.maker(outer.args[0])
    return inner if inner is not None and inner.function is np.argsort else None


def _axis_of(node: Node | None) -> int | None:
    assert node is not None
    axis = arguments(node)["axis"]
    ndim = len(node.results[0].shape)
    return axis % ndim if type(axis) is int and ndim else None


def _counts(part: Any, axis: int, shape: tuple[int, ...], rewriter: Rewriter) -> bool:
    """Whether an index is 0, 1, 2, ... along its own axis, as ``np.ogrid`` gives it."""
    array = _known(part, rewriter)
    lengths = [1] * len(shape)
    lengths[axis] = shape[axis]
    if array is None or array.shape != tuple(lengths):
        return False
    return np.array_equal(array.reshape(-1), np.arange(shape[axis]))


def picked(node: Node, rewriter: Rewriter) -> Term | None:
    """The rules for ``x[index]``."""
    return turned_back(node, rewriter) or middle(node, rewriter)


def _known(item: Any, rewriter: Rewriter) -> Any:
    """An array that the program holds; None for others."""
    if type(item) is Value:
        return rewriter.graph.constants.get(item)
    return item if isinstance(item, np.ndarray) else None


def turned_back(node: Node, rewriter: Rewriter) -> Term | None:
    """``x[::-1][::-1] -> x``: what a correlation that is a convolution turns twice."""
    inner = rewriter.maker(node.args[0])
    axes = _turned(node)
    if inner is None or not axes or _turned(inner) != axes:
        return None
    source = inner.args[0]
    return Term(source) if type(source) is Value else None


def _turned(node: Node) -> frozenset[int]:
    """The axes along which a node turns its argument round, if it does no more."""
    if node.function not in TURNING or type(node.args[0]) is not Value:
        return frozenset()
    ndim = len(node.args[0].shape)
    if node.function is np.flip:
        axis = arguments(node)["axis"]
        axes = tuple(range(ndim)) if axis is None else axis
        axes = axes if type(axes) is tuple else (axes,)
        is_plain = all(type(each) is int for each in axes)
        return frozenset(each % ndim for each in axes if is_plain)
    index = node.args[1]
    parts = index if isinstance(index, tuple) else (index,)
    if any(type(part) is not slice for part in parts):
        return frozenset()
    if any(part not in (WHOLE, REVERSED) for part in parts):
        return frozenset()
    return frozenset(axis for axis, part in enumerate(parts) if part == REVERSED)


WHOLE, REVERSED = slice(None), slice(None, None, -1)
TURNING = (np.flip, operator.getitem)


def of_real_numbers(node: Node, rewriter: Rewriter) -> Term | None:
    """``fft(x.astype(complex)) -> fft(x)``: it takes real numbers as they are."""
    inner, out = rewriter.maker(node.args[0]), node.out
    assert type(out) is Value
    if inner is None or inner.function is not cast or out in rewriter.decisive:
        return None
    x, wide = inner.args[0], inner.results[0]
    if type(x) is not Value or x.dtype.kind != "f" or wide.dtype.kind != "c":
        return None
    if x.dtype.char.upper() != wide.dtype.char:
        return None
    return call(out, node.function, Term(x), *node.args[1:], **node.kwargs)


def middle(node: Node, rewriter: Rewriter) -> Term | None:
    """``convolve(x, y)[1:6] -> convolve(x, y, "same")``."""
    inner, out = rewriter.maker(node.args[0]), node.out
    assert type(out) is Value
    if inner is None or inner.function is not np.convolve:
        return None
    (x, y, mode), index = arguments(inner).values(), node.args[1]
    index = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if mode not in ("full", "f", 2) or type(index) is not slice:
        return None
    if type(x) is not Value or type(y) is not Value:
        return None
    start = (min(*x.shape, *y.shape) - 1) // 2
    if index != slice(start, start + max(*x.shape, *y.shape)):
        return None
    if rewriter.uses[node.args[0]] > 1:
        return None
    return call(out, np.convolve, Term(x), Term(y), "same")


def factors(node: Node, rewriter: Rewriter) -> Term | None:
    """The rules for products and quotients, by arrays that the program holds."""
    constants = rewriter.graph.constants
    for arg in node.args:
        if arg in constants if type(arg) is Value else type(arg) is np.ndarray:
            return by_ones(node, rewriter) or undone(node, rewriter)
    return None


def by_ones(node: Node, rewriter: Rewriter) -> Term | None:
    """``x * ones -> x``: the seeds of a walk back, where each result has its own."""
    out = node.results[0]
    if out.dtype.kind != "f" or node.kwargs:
        return None
    for x, weights in _factors(node):
        ones = _known(weights, rewriter)
        if type(x) is not Value or ones is None or not np.all(ones == 1.0):
            continue
        is_whole = math.prod(x.shape) == math.prod(out.shape)
        if is_whole and x.dtype == ones.dtype == out.dtype:
            is_same = x.shape == out.shape
            return Term(x) if is_same else call(out, np.reshape, Term(x), out.shape)
    return None


def undone(node: Node, rewriter: Rewriter) -> Term | None:
    """``x * c / c -> x``: ``c`` are ones and twos, as in spectra of real numbers."""
    if node.out in rewriter.decisive:
        return None
    inverse = np.multiply if node.function is np.divide else np.divide
    for x, weights in _factors(node):
        inner = rewriter.maker(x)
        if inner is None or inner.function is not inverse or inner.kwargs:
            continue
        for source, others in _factors(inner):
            pair = _known(weights, rewriter), _known(others, rewriter)
            if type(source) is Value and _are_ones_and_twos(*pair):
                return Term(source)
    return None


def _factors(node: Node) -> list[Any]:
    """What may be multiplied or divided, each with what by."""
    return [node.args, node.args[::-1]][: 1 + (node.function is np.multiply)]


def _are_ones_and_twos(weights: Any, others: Any) -> bool:
    if weights is None or others is None or weights.shape != others.shape:
        return False
    return bool(np.all((weights == others) & ((weights == 1) | (weights == 2))))
