"""Batching rules: what goes element by element, and broadcasts its arguments."""

import operator
from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.operators import BINARY_OPERATORS, UNARY_OPERATORS
from srcgrad.steps import Node, Value, map_values
from srcgrad.transforms.batching.batcher import (
    Batcher,
    Bound,
    Rule,
    batches,
    present,
)
from srcgrad.updates import cast, mark_complete, moved

# The formula of this rule: those that are no ufuncs, and those with options, which are
# never batched.
LIKE_UFUNCS = present(
    np,
    "where clip real imag angle sinc i0 round around fix isposinf isneginf "
    "isreal iscomplex isclose copy astype",
)


# Python raises an error for zeros and overflows, or makes a complex number.
RAISING = (operator.truediv, operator.floordiv, operator.mod, operator.pow)


@batches(*LIKE_UFUNCS, cast, mark_complete, moved)
def elementwise(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Line up the axes of the arguments behind the batch's."""
    if node.function in (np.clip, np.where) or isinstance(node.function, np.ufunc):
        node = _with_weak_numbers(batcher, node)
    ndim = len(node.results[0].shape)
    args = batcher.aligned(node.args, ndim)
    return batcher.same(node, args, batcher.aligned(dict(node.kwargs), ndim))


@batches(
    *(own.python for own in BINARY_OPERATORS if own.ufunc is not np.matmul),
    *(own.python for own in UNARY_OPERATORS),
)
def operators(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Python's operators of numbers; but for those that may raise, unlike NumPy's."""
    if node.function in RAISING and node.results[0].kind == "float":
        return NotImplemented
    return elementwise(batcher, node, bound)


@batches(float)
def number(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """``float(x)``: in double precision."""
    (x,) = node.args
    if x.dtype.kind == "c" or x.shape:
        return NotImplemented
    out = batcher.result(node.results[0])
    batcher.call_for(out, cast, (batcher.of(x), out.dtype))
    return out


def rule_of(function: Operation) -> Rule | None:
    """The rule of a function that has no row of its own."""
    return elementwise if facts_of(function).elementwise else None


def _with_weak_numbers(batcher: Batcher, node: Node) -> Node:
    """The node with Python numbers in the dtype of what they meet, as arrays will be.

    A Python float takes part in the precision of an array; an array of them would not.
    """
    values = [arg for arg in node.args if type(arg) is Value]
    weak = [v for v in values if v.kind == "float" and batcher.is_batched(v)]
    strong = [v.dtype for v in values if v.kind != "float"]
    numbers = [
        arg
        for arg in node.args
        if isinstance(arg, (np.ndarray, np.generic)) and arg.dtype.kind in "fc"
    ]
    strong += [number.dtype for number in numbers]
    if not weak or not strong:
        return node
    casts: dict[Value, Value] = {}
    for value in weak:
        dtype = np.result_type(*strong, value.dtype.type(0).item())
        if dtype != value.dtype:
            wide = batcher.of(value)
            new = batcher.call(cast, wide, dtype, shape=wide.shape, dtype=dtype)
            casts[value] = Value((), dtype, value.name)
            batcher.stands({casts[value]: new})
    args = map_values(lambda value: casts.get(value, value), node.args)
    return Node(node.function, args, node.kwargs, node.out)


@batches(np.nan_to_num)
def nan_to_num(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """What is put in is broadcast to the array, and the array to nothing."""
    args = batcher.aligned(node.args, len(node.results[0].shape))
    kwargs = batcher.aligned(dict(node.kwargs), len(node.results[0].shape))
    if type(node.args[0]) is Value:
        args = (batcher.spread(node.args[0]), *args[1:])
    return batcher.same(node, args, kwargs)


@batches(np.choose)
def choose(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """The choices are broadcast together, if they are no array themselves."""
    if not isinstance(bound["choices"], (tuple, list)):
        return NotImplemented
    return elementwise(batcher, node, bound)


@batches(*present(np, "zeros_like ones_like empty_like"))
def new_array(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Nothing is read of the argument but its shape and dtype."""
    out = batcher.result(node.results[0])
    make = np.ones if node.function is np.ones_like else np.zeros
    batcher.call_for(out, make, (out.shape, out.dtype))
    return out


@batches(np.full_like)
def full_like(batcher: Batcher, node: Node, bound: Bound) -> Any:
    out = batcher.result(node.results[0])
    filling = bound["fill_value"]
    if not batcher.is_batched(filling):
        batcher.call_for(out, np.full, (out.shape, filling, out.dtype))
        return out
    ndim = len(out.shape) - 1
    filling = batcher.aligned(filling, ndim)
    wide = batcher.call(
        np.broadcast_to, filling, out.shape, shape=out.shape, dtype=filling.dtype
    )
    batcher.call_for(out, cast, (wide, out.dtype))
    return out


@batches(*present(np, "searchsorted digitize isin"))
def looked_up(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Each element is looked up by itself, in a table that they share."""
    sought = {np.searchsorted: 1}.get(node.function, 0)
    rest = [arg for position, arg in enumerate(node.args) if position != sought]
    if len(node.args) < 2 or batcher.is_batched((rest, dict(node.kwargs))):
        return NotImplemented
    return batcher.same(node, batcher.of(node.args), dict(node.kwargs))
