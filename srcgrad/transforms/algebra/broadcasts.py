"""Broadcasts left to NumPy: no array is made larger before it has to be.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> f8 = np.dtype(float)
>>> g, x = Value((), f8, "g", "scalar"), Value((4, 3), f8, "x")
>>> t, u, y = (Value((4, 3), f8, name) for name in "tuy")
>>> nodes = (
...     Node(np.broadcast_to, (g, (4, 3)), out=t),
...     Node(np.multiply, (t, 2.0), out=u),
...     Node(np.multiply, (u, x), out=y),
... )
>>> print(leave_broadcasts_lazy(Graph((g, x), nodes, (y,))))
t = multiply(g, 2.0)
y = multiply(t, x)
return y
"""

import functools
import math
import operator
from collections.abc import Collection
from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.graph import Program
from srcgrad.modes import state
from srcgrad.steps import Node, Value
from srcgrad.transforms.reading import arguments
from srcgrad.transforms.rewrite import Rewriter, Term, call, elementwise, rewrite
from srcgrad.updates import add_at, assign, cast, scatter
from srcgrad.views import is_basic

# What puts an array at an index, which broadcasts it: the number of that argument.
STORED = {assign: 2, add_at: 2, scatter: 0}


def leave_broadcasts_lazy(graph: Program) -> Program:
    """Let elementwise functions and sums work on what was broadcast, if they can."""
    widening = {each for each in graph.functions if each is not None and _widens(each)}
    if not widening:
        return graph
    widening |= {np.broadcast_to, np.reshape}  # as this pass itself makes
    return rewrite(graph, functools.partial(_narrowed, widening=widening))


def _narrowed(
    node: Node, rewriter: Rewriter, widening: Collection[Operation]
) -> Term | None:
    definition = rewriter.definition
    for value in node.inputs:
        if value in definition and definition[value].function in widening:
            return _narrower(node, rewriter)
    return None


def _narrower(node: Node, rewriter: Rewriter) -> Term | None:
    if node.function is np.sum and node.args:
        return _sum_of_repeats(node, rewriter)
    if _is_view(node):
        return _view_of_repeats(node, rewriter)
    if node.function in STORED:
        return _store_of_repeats(node, rewriter)
    operands = _operands(node)
    sources = tuple([_source(arg, rewriter) for arg in operands])
    if all(map(operator.is_, sources, operands)):
        return None
    return _work_on(sources, node)


def _widens(function: Operation) -> bool:
    """Whether a function may only add axes of length 1, or repeat along axes."""
    return function is np.broadcast_to or facts_of(function).moves == "in order"


def _operands(node: Node) -> tuple[Any, ...]:
    """The arguments that are broadcast together."""
    if facts_of(node.function).elementwise:
        return () if node.kwargs or type(node.out) is not Value else node.args
    return node.args[:1] if node.function in (cast, np.broadcast_to) else ()


def _source(item: Any, rewriter: Rewriter) -> Any:
    """The smallest value that broadcasts to the same."""
    while type(item) is Value:
        node = rewriter.maker(item)
        if node is None or not _widens(node.function):
            break
        source = node.args[0]
        if type(source) is not Value:
            break
        if node.function is not np.broadcast_to:
            leading = len(item.shape) - len(source.shape)
            if leading < 0 or item.shape != (1,) * leading + source.shape:
                break
        item = source
    return item


def _work_on(sources: tuple[Any, ...], node: Node) -> Term | None:
    """The same function of other operands, broadcast to the same shape."""
    out = node.out
    assert type(out) is Value
    terms = tuple(map(Term.of, sources))
    if node.function is np.broadcast_to:
        return call(out, np.broadcast_to, *terms, out.shape)
    narrow = _call(node.function, terms, out)
    if narrow is None or narrow.out.dtype != out.dtype:
        return None
    if narrow.out.shape == out.shape:
        return narrow
    # Where only axes of length 1 are missing, the work is the same, but what comes next
    # may do without them too.
    is_same = math.prod(narrow.out.shape) == math.prod(out.shape)
    return call(out, np.reshape if is_same else np.broadcast_to, narrow, out.shape)


def _call(function: Operation, terms: tuple[Any, ...], out: Value) -> Term | None:
    if isinstance(function, np.ufunc):
        return elementwise(function, *terms)
    values = [term.out for term in terms if isinstance(term, Term)]
    if any(value.kind == "float" for value in values):
        return None  # takes part in another way than an array of its dtype
    shape = np.broadcast_shapes(*(value.shape for value in values))
    if function is np.where:
        return Term(Value(shape, out.dtype), np.where, terms)
    if function is not cast:
        return None
    return Term(
        Value(shape, out.dtype, None, values[0].kind), cast, (*terms, out.dtype)
    )


def _is_view(node: Node) -> bool:
    """Whether a node shows elements of its first argument, and can do nothing else."""
    if node.function is operator.getitem:
        return is_basic(node.args[1])
    return facts_of(node.function).view == "whole" and bool(node.args)


def _view_of_repeats(node: Node, rewriter: Rewriter) -> Term | None:
    """Another shape, or a part, of one number repeated is that number repeated."""
    out, source = node.out, _source(node.args[0], rewriter)
    if source is node.args[0] or type(out) is not Value or source.shape:
        return None
    if out.shape == ():
        return Term(source)
    if out.shape == (1,) * len(out.shape):
        return None  # a `reshape` does that, and gives an array that may be written to
    return call(out, np.broadcast_to, Term(source), out.shape)


def _store_of_repeats(node: Node, rewriter: Rewriter) -> Term | None:
    """``x[index] = broadcast_to(v, shape)``: an assignment does that by itself."""
    args, position = list(node.args), STORED[node.function]
    source = _source(args[position], rewriter)
    # A Python float has no dtype to make zeros of, and is rounded first in a sum.
    if source is args[position] or source.kind == "float":
        return None
    assert type(node.out) is Value
    # `np.add.at(zeros(5), [[0, 1], [1, 2]], [3.0, 4.0])` reads beyond the end of the
    # last (NumPy 2.4.6): one row for an array of places.
    is_row = len(source.shape) == 1 < len(args[position].shape)
    if is_row and len(node.out.shape) == 1 and node.function is not assign:
        return None
    args[position] = source
    return call(node.out, node.function, *map(Term.of, args))


def _sum_of_repeats(node: Node, rewriter: Rewriter) -> Term | None:
    """``sum(broadcast_to(x, shape)) -> x * n``; of zeros the sign may be another."""
    given, out, wide = arguments(node), node.out, node.args[0]
    inner = rewriter.maker(wide)
    assert type(out) is Value
    if inner is None or inner.function is not np.broadcast_to:
        return None
    source = inner.args[0]
    if (
        type(source) is not Value
        or source.dtype != out.dtype
        or out.dtype.char not in "fd"  # (inf + 0j) * 3 has a NaN in it
        or given["dtype"] is not None
        or given["initial"] is not None
        or given["where"] is not True
        or out in rewriter.decisive
    ):
        return None
    leading = len(wide.shape) - len(source.shape)
    aligned = (1,) * leading + source.shape
    axes = _reduced(given["axis"], len(aligned))
    repeats = math.prod(wide.shape[axis] for axis in axes if aligned[axis] == 1)
    if repeats < 2 or state.any_length:
        return None
    narrow = tuple(
        1 if axis in axes else n
        for axis, n in enumerate(aligned)
        if given["keepdims"] or axis not in axes
    )
    total = _sum(Term(source), tuple(a - leading for a in axes if aligned[a] != 1), out)
    return _widened(elementwise(np.multiply, total, repeats), narrow, out)


def _reduced(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(a % ndim for a in (axis if isinstance(axis, tuple) else (axis,)))


def _sum(source: Term, axes: tuple[int, ...], out: Value) -> Term:
    """The sum over axes that are there; a scalar if the whole sum is one."""
    shape = source.out.shape
    if out.shape == () and shape:
        return call(out, np.sum, source)
    if not axes:
        return source
    rest = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    like = Value(rest, out.dtype, None, "array" if rest else "scalar")
    return call(like, np.sum, source, axis=axes[0] if len(axes) == 1 else axes)


def _widened(term: Term, narrow: tuple[int, ...], out: Value) -> Term:
    """Give a Term the axes of length 1 that it lacks, and repeat along the others."""
    shape = term.out.shape
    leads = shape == narrow[len(narrow) - len(shape) :]
    if shape != narrow and not (leads and narrow != out.shape):
        term = call(Value(narrow, out.dtype), np.reshape, term, narrow)
    return term if narrow == out.shape else call(out, np.broadcast_to, term, out.shape)
