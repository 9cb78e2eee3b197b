"""A cluster as a nest of loops over elements: no array for what is read at once.

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
    loop,
    name,
    sequence,
    subscript,
    target,
)
from srcgrad.native.clusters import Cluster
from srcgrad.native.elements import (
    BOOL,
    ELEMENTARY,
    FLOAT,
    UnsupportedError,
    reduction_of,
)
from srcgrad.native.numbers import by_ufunc, converted
from srcgrad.steps import Node, Value

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


class Nest:
    """Writes one cluster into the statements of a body (``body.KernelBody``)."""

    def __init__(self, body: Any, cluster: Cluster) -> None:
        self.body, self.scope, self.cluster = body, body.scope, cluster
        self.shape = cluster.shape
        own = set(cluster.steps)
        self.reductions: list[Reduction] = []
        self.stored: list[Value] = []
        for step in cluster.steps:
            (out,) = step.results
            if out in cluster.reduced:
                self.reductions.append(Reduction(step, self.shape))
            elif body.is_read_elsewhere(out, own):
                self.stored.append(out)
        self.indices = [name(self.scope.names.fresh(each)) for each in self._hints()]
        # What has a number in an iteration.
        self.inside = {value for step in cluster.steps for value in step.results}
        self.names: dict[Value, str] = {}
        # Of a reduction along the last axes, what a block is gathered in, or added up
        # at once if it is short; and what becomes of the blocks, if there are several;
        # how many there are yet, of those that begin at some depth.
        along = [each for each in self.reductions if each.depth is not None]
        self.has_functions = any(
            by_ufunc(s).function in ELEMENTARY for s in cluster.steps
        )
        is_short = self.shape[-1] < LONG and not self.has_functions
        self.totals = [*along] if is_short else []
        self.terms = {
            each: (
                body.scope.names.fresh("total")
                if is_short
                else body.kernel.buffer(number, BLOCK)
            )
            for number, each in enumerate(along)
        }
        self.parts: dict[Reduction, str] = {}
        self.part: dict[int | None, str] = {}
        is_long = bool(along) and self.shape[-1] > BLOCK
        self.start = self.scope.names.fresh("start") if is_long else None
        for each in along:
            if each.blocks > 1 and each.depth not in self.part:
                self.part[each.depth] = self.scope.names.fresh("part")

    def _hints(self) -> list[str]:
        letters = "ijklmn"
        return [*letters[: len(self.shape)]] + ["n"] * (len(self.shape) - len(letters))

    def write(self) -> None:
        """Add the statements, and have names for what is wanted of them."""
        body, steps = self.body, self.cluster.steps
        body.emit(steps[0].where)
        for step in steps:
            body.check_power(step)
        known = dict(self.scope.known)
        for value in self.stored:
            self.names[value] = body.fresh(value)
            body.emit(None, assignment(target(self.names[value]), self._made(value)))
        for each in self.reductions:
            self._begin(each)
        for step in steps:  # what is no array yet becomes one before the loops
            for value in step.inputs:
                if value.shape and value not in self.inside:
                    known[value] = body.array(value)
        inner = body.inner_statements(lambda: [*map(self._step, steps)])
        body.emit(None, *self._level(0, inner))
        body.where = None
        self.scope.known.clear()
        self.scope.known.update(known)
        for value in (*self.stored, *(each.out for each in self.reductions)):
            body.kernel.holds(value, name(self.names[value]), bool(value.shape))
        for each in self.reductions:
            if each.node.must_run and not each.out.shape:
                body.must_run(each.out, [name(self.names[each.out])])

    # ----- Around the loops -----

    def _made(self, value: Value) -> gast.expr:
        if value.dtype not in (FLOAT, BOOL):
            raise UnsupportedError(f"an array of {value.dtype} is left to NumPy")
        kind = [self.scope.numpy("bool_")] if value.dtype == BOOL else []
        return call(self.scope.numpy("empty"), [self._size(value.shape), *kind])

    def _size(self, shape: tuple[int, ...]) -> gast.expr:
        return sequence(constant(length) for length in shape)

    def _begin(self, each: Reduction) -> None:
        """The name of a result, and the array that it is, if it is one."""
        body, out = self.body, each.out
        self.names[out] = id = body.fresh(out, each.node)
        if each.depth is None:
            size, first = self._size(out.shape), each.first(self.scope)
            made = call(self.scope.numpy("full"), [size, first])
            body.emit(None, assignment(target(id), made))
        elif out.shape:
            body.emit(None, assignment(target(id), self._made(out)))
        if each in self.terms and each.blocks > 1:
            made = call(self.scope.numpy("empty"), [constant(each.blocks)])
            self.parts[each] = self.scope.names.fresh(f"{id}_parts")
            body.emit(None, assignment(target(self.parts[each]), made))

    def _place(self, each: Reduction) -> Any:
        """Where a result is, in an iteration."""
        id = self.names[each.out]
        if not each.out.shape:
            return target(id)
        zero = constant(0)
        parts = [
            (zero if axis in each.axes else index)
            for axis, index in enumerate(self.indices)
            if each.keeps or axis not in each.axes
        ]
        return gast.Subscript(name(id), _index(parts), gast.Store())

    # ----- The loops -----

    def _level(self, depth: int, inner: list[gast.stmt]) -> list[gast.stmt]:
        """The loops from an axis on, with what comes before and after them."""
        if depth == len(self.shape):
            return inner
        if depth == len(self.shape) - 1:
            statements = self._innermost(inner)
        else:
            index, length = target(self.indices[depth].id), constant(self.shape[depth])
            statements = [loop(index, _range(length), self._level(depth + 1, inner))]
        if depth in self.part:
            none_yet = assignment(target(self.part[depth]), constant(0))
            statements = [none_yet, *statements]
        kernel = self.body.kernel
        for each, parts in self.parts.items():
            if each.depth == depth:
                total = each.of_parts(parts, kernel)
                statements.append(assignment(self._place(each), total))
        return statements

    def _innermost(self, inner: list[gast.stmt]) -> list[gast.stmt]:
        """The innermost loop; of reductions along it, block by block."""
        index, length = target(self.indices[-1].id), self.shape[-1]
        if self.start is None:
            count: gast.expr = constant(length)
            if self.has_functions and length < MOST_UNROLLED:
                count = call(name(self.body.kernel.prelude("rolled")), [count])
            before = [
                assignment(target(self.terms[each]), each.first(self.scope))
                for each in self.totals
            ]
            blocks = self._of_blocks(constant(length))
            return [*before, loop(index, _range(count), inner), *blocks]
        start, end = self.start, self.scope.names.fresh("end")
        last: gast.expr = gast.BinOp(name(start), ADD, constant(BLOCK))
        if length % BLOCK:
            last = call(self.scope.reference(min), [last, constant(length)])
        statements = [
            assignment(target(end), last),
            loop(index, _range(name(start), name(end)), inner),
            *self._of_blocks(gast.BinOp(name(end), gast.Sub(), name(start))),
        ]
        starts = _range(constant(0), constant(length), constant(BLOCK))
        return [loop(target(start), starts, statements)]

    def _of_blocks(self, count: gast.expr) -> list[gast.stmt]:
        """What reductions make of a block."""
        statements: list[gast.stmt] = []
        for each, terms in self.terms.items():
            where, found = None, name(terms)
            if each not in self.totals:
                found = each.of_block(terms, count, self.body.kernel)
            if each in self.parts:
                part, parts = name(self.part[each.depth]), name(self.parts[each])
                where = gast.Subscript(parts, part, gast.Store())
            statements.append(assignment(where or self._place(each), found))
        for part in self.part.values():
            statements.append(gast.AugAssign(target(part), ADD, constant(1)))
        return statements

    # ----- Inside of them -----

    def _step(self, step: Node) -> None:
        """One step of the cluster, on the numbers of an iteration."""
        body, (out,) = self.body, step.results
        for value in step.inputs:
            if value.shape and value not in self.inside:
                self.scope.known[value] = self._element(value)
                self.inside.add(value)
        if out in self.cluster.reduced:
            each = next(each for each in self.reductions if each.out is out)
            number = converted(self.scope, step.inputs[0], FLOAT)
            body.emit(None, self._taken(each, number))
            return
        body.number(by_ufunc(step), set(self.cluster.steps), out in self.stored)
        if out in self.stored:
            place = gast.Subscript(
                name(self.names[out]), _index(self.indices), gast.Store()
            )
            body.emit(None, assignment(place, self.scope.known[out]))

    def _taken(self, each: Reduction, number: gast.expr) -> gast.stmt:
        """The number of an iteration, taken into a block, or into the result."""
        if each not in self.terms:
            return each.added(self.scope, self._place(each), number)
        if each in self.totals:
            return each.added(self.scope, target(self.terms[each]), number)
        place: gast.expr = self.indices[-1]
        if self.start is not None:
            place = gast.BinOp(place, gast.Sub(), name(self.start))
        where = gast.Subscript(name(self.terms[each]), place, gast.Store())
        return assignment(where, number)

    def _element(self, value: Value) -> gast.expr:
        """The element of an array that an iteration reads: where it is broadcast."""
        if value.dtype not in (FLOAT, BOOL):
            raise UnsupportedError(f"an array of {value.dtype} is left to NumPy")
        own = self.indices[len(self.indices) - len(value.shape) :]
        wide = self.shape[len(self.shape) - len(value.shape) :]
        parts = [
            constant(0) if length == 1 != other else index
            for index, length, other in zip(own, value.shape, wide, strict=True)
        ]
        return subscript(self.body.array(value), _index(parts))


def _index(parts: list[Any]) -> gast.expr:
    return parts[0] if len(parts) == 1 else sequence(parts)


def _range(*parts: gast.expr) -> gast.expr:
    return call(name("range"), parts)
