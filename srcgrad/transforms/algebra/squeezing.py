"""Axes of length one that are dropped in the end: not made in the first place.

>>> from srcgrad.graph import Graph
>>> from srcgrad.transforms.rewrite import rewrite
>>> shapes = {"x": (2, 3), "s": (2,)} | dict.fromkeys("tuv", (2, 1)) | {"w": (2,)}
>>> x, s, t, u, v, w = (Value(n, np.dtype(float), name) for name, n in shapes.items())
>>> y = Value((2,), np.dtype(float), "y")
>>> nodes = (
...     Node(np.sum, (x,), {"axis": 1, "keepdims": True}, t),
...     Node(np.expand_dims, (s, 1), out=u),
...     Node(np.divide, (t, u), out=v),
...     Node(np.reshape, (v, (2,)), out=w),
...     Node(np.exp, (w,), out=y),
... )
>>> print(rewrite(Graph((x, s), nodes, (y,)), squeezed))
t = sum(x, axis=1)
w = divide(t, s)
y = exp(w)
return y
"""

import operator
from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.steps import Node, Value
from srcgrad.transforms.reading import arguments
from srcgrad.transforms.rewrite import Rewriter, Term, elementwise


def may_add_axes(function: Operation) -> bool:
    """Whether it may add axes of length one, and do nothing else."""
    return function is operator.getitem or facts_of(function).moves == "in order"


def squeezed(node: Node, rewriter: Rewriter) -> Term | None:
    """What a node is without the axes of length one that it drops.

    None if it does something else, or if that is no less work.
    """
    out = node.out
    is_reshape = facts_of(node.function).moves == "in order"
    if not (is_reshape or node.function is np.sum) or type(out) is not Value:
        return None
    source = node.args[0]
    if type(source) is not Value or 1 not in source.shape or 1 in out.shape:
        return None
    if out.shape != tuple(n for n in source.shape if n != 1):
        return None
    if node.function is np.sum and not _sums_nothing(node, source):
        return None
    if arguments(node).get("order", "C") != "C":
        return None
    axes = frozenset(axis for axis, n in enumerate(source.shape) if n == 1)
    term: Term | None = _without(source, axes, len(source.shape), rewriter)
    return term


def _sums_nothing(node: Node, source: Value) -> bool:
    """Whether a sum goes over axes of length one only; of -0.0 it may be 0.0."""
    given = arguments(node)
    if node.kwargs.keys() - {"axis"} or not node.in_backward:
        return False
    return source.shape != () and given["a"] is source and 0 not in source.shape


def _without(item: Any, axes: frozenset[int], ndim: int, rewriter: Rewriter) -> Any:
    """An operand without some axes; None if it has to be made with them."""
    if type(item) is not Value:
        return item
    if item.shape == ():
        return Term(item)
    node = rewriter.maker(item)
    if len(item.shape) != ndim or node is None:
        return None
    shape = tuple(n for axis, n in enumerate(item.shape) if axis not in axes)
    if may_add_axes(node.function):
        return _narrow(node, shape)
    if rewriter.uses[item] > 1:
        return None
    if facts_of(node.function).reduces is not None:
        return _reduced(node, axes, shape)
    if node.kwargs or not facts_of(node.function).elementwise:
        return None
    args = [_without(arg, axes, ndim, rewriter) for arg in node.args]
    if any(arg is None for arg in args):
        return None
    if isinstance(node.function, np.ufunc):
        made = elementwise(node.function, *args)
    else:
        made = Term(Value(shape, item.dtype), node.function, tuple(args))
    return made if made.out.dtype == item.dtype else None


def _narrow(node: Node, shape: tuple[int, ...]) -> Term | None:
    """What a node has given axes of length one, if it is of a shape."""
    source = node.args[0]
    if type(source) is not Value or source.shape != shape:
        return None
    if node.function is operator.getitem:
        index = node.args[1]
        parts = index if isinstance(index, tuple) else (index,)
        if any(part not in (None, ..., slice(None)) for part in parts):
            return None
    elif arguments(node).get("order", "C") != "C":
        return None
    return Term(source)


def _reduced(node: Node, axes: frozenset[int], shape: tuple[int, ...]) -> Term | None:
    """A sum, say, over some axes that are not kept."""
    given = arguments(node)
    x, axis = given["a"], given["axis"]
    if type(x) is not Value or given["keepdims"] is not True:
        return None
    count = len(x.shape)
    reduced = range(count) if axis is None else np.atleast_1d(axis).tolist()
    if {each % count for each in reduced} != axes:
        return None
    options = {key: item for key, item in node.kwargs.items() if key != "keepdims"}
    kind = "array" if shape else "scalar"
    like = Value(shape, node.results[0].dtype, None, kind)
    return Term(like, node.function, tuple(map(Term.of, node.args)), options)
