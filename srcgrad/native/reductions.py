"""Reductions in a nest of loops.

Sums are added up in blocks, and these pairwise, as NumPy does: the error of a sum of n
numbers grows with log(n), not with n.
"""

import math
from typing import Any

import gast
import numpy as np

from srcgrad.emit.syntax import (
    ADD,
    assignment,
    call,
    constant,
    name,
    subscript,
)
from srcgrad.native.elements import UnsupportedError, reduction_of
from srcgrad.steps import Node

# So many numbers are added up at once, as NumPy does.
BLOCK = 128
# Fewer are added up one by one, where that is no loop of several at once anyway; and
# LLVM unrolls loops of so few iterations.
LONG, MOST_UNROLLED = 32, 64
# The formula of this pass: what a reduction begins with, and what is called on a block.
FIRST_OF = {np.add: 0.0, np.maximum: -math.inf, np.minimum: math.inf}
BY_BLOCK = {np.add: "added", np.maximum: "largest", np.minimum: "smallest"}


class Reduction:
    """One reduction of a cluster: over its last axes, from ``depth`` on, or others."""

    def __init__(self, node: Node, shape: tuple[int, ...]) -> None:
        found = reduction_of(node)
        assert found is not None
        self.node, (self.ufunc, self.axes, self.keeps) = node, found
        (self.out,) = node.results
        depth = len(shape) - len(self.axes)
        self.depth = depth if self.axes == tuple(range(depth, len(shape))) else None
        if not math.prod(shape):
            raise UnsupportedError("an array without elements is left to NumPy")
        # How many blocks of numbers it takes along the last axes.
        rows = math.prod(shape[axis] for axis in self.axes) // shape[-1]
        self.blocks = rows * -(-shape[-1] // BLOCK)

    def of_block(self, terms: str, count: gast.expr, kernel: Any) -> gast.expr:
        """What becomes of the first numbers in an array."""
        of = kernel.prelude(BY_BLOCK[self.ufunc])
        return call(name(of), [name(terms), count])

    def of_parts(self, parts: str, kernel: Any) -> gast.expr:
        """What becomes of that of all blocks; the array is used up."""
        if self.ufunc is np.add:
            return call(name(kernel.prelude("pairwise")), [name(parts)])
        return self.of_block(parts, constant(self.blocks), kernel)

    def first(self, scope: Any) -> gast.expr:
        """What it begins with."""
        found = FIRST_OF[self.ufunc]
        if math.isfinite(found):
            return constant(found)
        inf = scope.numpy("inf")
        return inf if found > 0 else gast.UnaryOp(gast.USub(), inf)

    def added(self, scope: Any, to: gast.expr, number: gast.expr) -> gast.stmt:
        """Take one more number into what there is yet."""
        if self.ufunc is np.add:
            return gast.AugAssign(to, ADD, number)
        is_name = isinstance(to, gast.Name)
        read = name(to.id) if is_name else subscript(to.value, to.slice)
        return assignment(to, call(scope.numpy(self.ufunc.__name__), [read, number]))
