"""Batching rules: products of vectors and matrices, and sums over shared axes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.operators import BINARY_OPERATORS
from srcgrad.steps import Node, Value
from srcgrad.transforms.batching.batcher import (
    Batcher,
    Bound,
    batches,
    options_of,
    present,
)

MATMULS = [own.python for own in BINARY_OPERATORS if own.ufunc is np.matmul]


# ----- Products of matrices -----
@batches(np.matmul, *MATMULS)
def matmul(batcher: Batcher, node: Node, bound: Bound) -> Any:
    if node.kwargs:
        return NotImplemented
    x, y = node.args
    return _matmul(batcher, x, y, node.results[0])


def _matmul(batcher: Batcher, x: Value, y: Value, out: Value) -> Value:
    """Vectors are the rows of a matrix, where the other factor is the same for all."""
    is_x, is_y = batcher.is_batched(x), batcher.is_batched(y)
    wide = out.shape
    if not is_y and len(x.shape) == 1 and len(y.shape) <= 2:
        return _called(batcher, batcher.of(x), y, out)
    if not is_x and len(y.shape) == 1 and len(x.shape) <= 2:
        if len(x.shape) == 2:
            x = batcher.call(np.transpose, x, shape=x.shape[::-1], dtype=x.dtype)
        return _called(batcher, batcher.of(y), x, out)
    if not is_y and len(y.shape) == 1:
        return _called(batcher, batcher.of(x), y, out)
    if not is_x and len(x.shape) == 1:
        return _called(batcher, x, batcher.of(y), out)
    if len(x.shape) == 1:
        x = _as_matrix(batcher, x, (1, *x.shape))
        wide = (*out.shape[:-1], 1, *out.shape[-1:]) if len(y.shape) > 1 else (1,)
    if len(y.shape) == 1:
        y = _as_matrix(batcher, y, (*y.shape, 1))
        wide = (*wide, 1)
    ndim = max(len(x.shape), len(y.shape))
    factors = batcher.aligned(x, ndim), batcher.aligned(y, ndim)
    shape = (batcher.size, *wide)
    return batcher.call(np.matmul, *factors, shape=shape, dtype=out.dtype)


def _as_matrix(batcher: Batcher, x: Value, shape: tuple[int, ...]) -> Value:
    """A vector as a matrix, in the graph of one element."""
    matrix = Value(shape, x.dtype)
    wide = batcher.reshaped(batcher.spread(x), (batcher.size, *shape))
    batcher.stands({matrix: wide})
    return matrix


def _called(batcher: Batcher, x: Value, y: Value, out: Value) -> Value:
    shape = (batcher.size, *out.shape)
    return batcher.call(np.matmul, x, y, shape=shape, dtype=out.dtype)


# ----- Sums over shared axes -----
@batches(np.dot, np.inner, np.tensordot)
def contraction(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, y = bound["a"], bound["b"]
    (out,) = node.results
    if not x.shape or not y.shape:
        if node.function is np.tensordot:
            return NotImplemented
        ndim = len(out.shape)
        factors = batcher.aligned(x, ndim), batcher.aligned(y, ndim)
        shape = (batcher.size, *out.shape)
        return batcher.call(np.multiply, *factors, shape=shape, dtype=out.dtype)
    if node.function is np.dot and len(x.shape) <= 2 and len(y.shape) <= 2:
        return _matmul(batcher, x, y, out)
    x_axes, y_axes = _shared(node.function, x, y, bound)
    return _contracted(batcher, x, y, x_axes, y_axes, out)


def _shared(function: Any, x: Value, y: Value, bound: Bound) -> Any:
    """The axes that a function sums over, of each argument."""
    if function is np.dot:
        return [len(x.shape) - 1], [max(len(y.shape) - 2, 0)]
    if function is np.inner:
        return [len(x.shape) - 1], [len(y.shape) - 1]
    axes = bound["axes"]
    if not np.iterable(axes):
        return range(len(x.shape))[len(x.shape) - axes :], range(axes)
    first, second = (a if np.iterable(a) else (a,) for a in axes)
    return (
        [axis % len(x.shape) for axis in first],
        [axis % len(y.shape) for axis in second],
    )


def _contracted(
    batcher: Batcher,
    x: Value,
    y: Value,
    x_axes: Sequence[int],
    y_axes: Sequence[int],
    out: Value,
) -> Value:
    """Sum over some axes of two arrays: a product of matrices, one for each element."""
    left = _matrix(batcher, x, x_axes, last=True)
    right = _matrix(batcher, y, y_axes, last=False)
    if not batcher.is_batched(y):  # all in one product
        batch, rows, summed = left.shape
        left = batcher.reshaped(left, (batch * rows, summed))
    shape = (*(batcher.size,) * (len(left.shape) - 2), left.shape[-2], right.shape[-1])
    if batcher.is_batched(y):
        shape = (batcher.size, *shape[-2:])
    return batcher.call(np.matmul, left, right, shape=shape, dtype=out.dtype)


def _matrix(batcher: Batcher, x: Value, axes: Sequence[int], last: bool) -> Value:
    """An array as a matrix: axes that are summed over against the others."""
    axes = list(axes)
    free = [axis for axis in range(len(x.shape)) if axis not in axes]
    order = [*free, *axes] if last else [*axes, *free]
    summed = math.prod(x.shape[axis] for axis in axes)
    kept = math.prod(x.shape[axis] for axis in free)
    wide = batcher.of(x)
    front = wide.shape[: len(wide.shape) - len(x.shape)]
    if front:
        order = [0, *(axis + 1 for axis in order)]
    if order != sorted(order):
        lengths = [wide.shape[axis] for axis in order]
        wide = batcher.call(
            np.transpose, wide, tuple(order), shape=lengths, dtype=wide.dtype
        )
    matrix = (kept, summed) if last else (summed, kept)
    return batcher.reshaped(wide, (*front, *matrix))


# ----- The others -----
@batches(np.vdot)
def vdot(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, y = map(batcher.flattened, node.args)
    (out,) = node.results
    if x.dtype.kind == "c":
        x = batcher.call(np.conjugate, x, shape=x.shape, dtype=x.dtype)
    products = batcher.call(np.multiply, x, y, shape=x.shape, dtype=out.dtype)
    return batcher.call(
        np.sum, products, kwargs={"axis": 1}, shape=x.shape[:1], dtype=out.dtype
    )


@batches(np.outer)
def outer(batcher: Batcher, node: Node, bound: Bound) -> Any:
    x, y = (batcher.flattened(bound[name]) for name in "ab")
    column = batcher.reshaped(x, (*x.shape, 1))
    row = batcher.reshaped(y, (y.shape[0], 1, y.shape[1]))
    (out,) = node.results
    shape = (batcher.size, *out.shape)
    return batcher.call(np.multiply, column, row, shape=shape, dtype=out.dtype)


@batches(np.kron)
def kron(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """Each element of one by each of the other: their axes side by side."""
    x, y = bound["a"], bound["b"]
    (out,) = node.results
    ndim = len(out.shape)
    shapes = [(1,) * (ndim - len(v.shape)) + v.shape for v in (x, y)]
    apart = [
        tuple(n for m in shapes[0] for n in (m, 1)),
        tuple(n for m in shapes[1] for n in (1, m)),
    ]
    factors = [
        batcher.reshaped(batcher.spread(v), (batcher.size, *shape))
        for v, shape in zip((x, y), apart, strict=True)
    ]
    shape = (batcher.size, *map(max, *apart)) if ndim else (batcher.size,)
    if ndim:
        shape = (batcher.size, *(a * b for a, b in zip(*apart, strict=True)))
    return batcher.call(np.multiply, *factors, shape=shape, dtype=out.dtype)


@batches(*present(np, "vecdot matvec vecmat cross"))
def over_vectors(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """NumPy's own function goes over the last axes of both."""
    first, second = [*bound][:2]
    options = options_of(node, bound, first, second)
    if any(options.get(name, -1) not in (-1, None) for name in options):
        return NotImplemented
    cores = {"matvec": (2, 1), "vecmat": (1, 2)}.get(node.function.__name__, (1, 1))
    pair = bound[first], bound[second]
    loops = max(len(v.shape) - n for v, n in zip(pair, cores, strict=True))
    args = [batcher.aligned(v, loops + n) for v, n in zip(pair, cores, strict=True)]
    return batcher.same(node, args, options)


@batches(np.einsum)
def einsum(batcher: Batcher, node: Node, bound: Bound) -> Any:
    """A further letter for the batch, in front of all others."""
    subscripts, *operands = node.args
    if not isinstance(subscripts, str):
        return NotImplemented
    subscripts = subscripts.replace(" ", "")
    ins, arrow, result = subscripts.partition("->")
    if not arrow:
        result = _implicit(ins)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    new = next(letter for letter in letters if letter not in subscripts)
    terms = [
        new + term if batcher.is_batched(operand) else term
        for term, operand in zip(ins.split(","), operands, strict=True)
    ]
    text = f"{','.join(terms)}->{new}{result}"
    return batcher.same(node, (text, *map(batcher.of, operands)), dict(node.kwargs))


def _implicit(ins: str) -> str:
    """The subscripts of a result that are not written: each letter there is once."""
    letters = ins.replace(",", "").replace("...", "")
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    return ("..." if "..." in ins else "") + "".join(once)
