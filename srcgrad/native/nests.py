"""A cluster as a nest of loops over elements: no array for what is read at once.

Sums are added up in blocks, and these pairwise, as NumPy does: the error of a sum of n
numbers grows with log(n), not with n.
"""

import itertools
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
from srcgrad.native.elements import BOOL, FLOAT, UnsupportedError, reduction_of
from srcgrad.native.numbers import converted
from srcgrad.steps import Node, Value

# So many numbers are added one after the other, as NumPy does.
BLOCK = 128
# The formula of this pass: what a reduction begins with.
FIRST_OF = {np.add: 0.0, np.maximum: -math.inf, np.minimum: math.inf}


class Reduction:
    """One reduction of a cluster: over its last axes, from ``depth`` on, or others."""

    def __init__(self, node: Node, shape: tuple[int, ...]) -> None:
        found = reduction_of(node)
        assert found is not None
        self.node, (self.ufunc, self.axes, self.keeps) = node, found
        (self.out,) = node.results
        depth = len(shape) - len(self.axes)
        self.depth = depth if self.axes == tuple(range(depth, len(shape))) else None
        self.count = math.prod(shape[axis] for axis in self.axes)
        if not math.prod(shape):
            raise UnsupportedError("an array without elements is left to NumPy")

    @property
    def in_blocks(self) -> bool:
        """Whether so many numbers are added up that it is done in blocks."""
        is_sum = self.ufunc is np.add and self.depth is not None
        return is_sum and self.count > BLOCK

    def first(self, scope: Any) -> gast.expr:
        """What it begins with."""
        found = FIRST_OF[self.ufunc]
        if math.isfinite(found):
            return constant(found)
        inf = scope.numpy("inf")
        return inf if found > 0 else gast.UnaryOp(gast.USub(), inf)

    def added(self, scope: Any, to: gast.expr, number: gast.expr) -> gast.stmt:
        """Take one more number."""
        if self.ufunc is np.add:
            return gast.AugAssign(to, ADD, number)
        return assignment(
            to, call(scope.numpy(self.ufunc.__name__), [_read(to), number])
        )


def _read(to: gast.expr) -> gast.expr:
    """A target as an expression."""
    return name(to.id) if isinstance(to, gast.Name) else subscript(to.value, to.slice)


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
        # Where each reduction is added up, in an iteration of the innermost loop.
        self.sums: dict[Value, gast.expr] = {}
        self.names: dict[Value, str] = {}
        # The sums of the blocks, where there are some; how many there are yet of those
        # that begin at some depth.
        self.parts: dict[Value, str] = {}
        self.part: dict[int | None, str] = {}
        for each in self.reductions:
            if each.in_blocks and each.depth not in self.part:
                self.part[each.depth] = self.scope.names.fresh("part")

    def _hints(self) -> list[str]:
        letters = "ijklmn"
        return [*letters[: len(self.shape)]] + ["n"] * (len(self.shape) - len(letters))

    def write(self) -> None:
        """Add the statements, and have names for what is wanted of them."""
        body, steps = self.body, self.cluster.steps
        body.emit(steps[0].where)
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
        if each.depth == 0:
            if out.shape:  # the axes are kept
                body.emit(None, assignment(target(id), self._made(out)))
            id = body.scope.names.fresh(id) if out.shape else id
            self.sums[out] = target(id)
        elif each.depth is not None:
            body.emit(None, assignment(target(id), self._made(out)))
            self.sums[out] = target(body.scope.names.fresh(id))
        else:
            made = call(
                self.scope.numpy("full"),
                [self._size(out.shape), each.first(self.scope)],
            )
            body.emit(None, assignment(target(id), made))
            self.sums[out] = gast.Subscript(name(id), self._place(each), gast.Store())
        if each.in_blocks:
            rows = each.count // self.shape[-1]
            count = rows * -(-self.shape[-1] // BLOCK)
            parts = call(self.scope.numpy("empty"), [constant(count)])
            self.parts[out] = self.scope.names.fresh(f"{id}_parts")
            body.emit(None, assignment(target(self.parts[out]), parts))

    def _place(self, each: Reduction) -> gast.expr:
        """Where a result is, in an iteration."""
        zero = constant(0)
        parts = [
            (zero if axis in each.axes else index)
            for axis, index in enumerate(self.indices)
            if each.keeps or axis not in each.axes
        ]
        return parts[0] if len(parts) == 1 else sequence(parts)

    # ----- The loops -----

    def _level(self, depth: int, inner: list[gast.stmt]) -> list[gast.stmt]:
        """The loops from an axis on, with what comes before and after them."""
        if depth == len(self.shape):
            return inner
        begun = [each for each in self.reductions if each.depth == depth]
        length = self.shape[depth]
        index = target(self.indices[depth].id)
        rest = self._level(depth + 1, inner)
        is_last = depth == len(self.shape) - 1
        if is_last and self.part:
            statements = self._in_blocks(index, length, rest)
        else:
            statements = [loop(index, _range(constant(length)), rest)]
        before = []
        for each in begun:
            if not each.in_blocks:
                before.append(assignment(self.sums[each.out], each.first(self.scope)))
        if depth in self.part:
            before.append(assignment(target(self.part[depth]), constant(0)))
        return [*before, *statements, *itertools.chain(*map(self._after, begun))]

    def _after(self, each: Reduction) -> list[gast.stmt]:
        """What becomes of a sum when its loops are over."""
        total = self.sums[each.out]
        statements = []
        if each.in_blocks:
            pairwise = self.body.kernel.prelude("pairwise")
            found = call(name(pairwise), [name(self.parts[each.out])])
            statements.append(assignment(total, found))
        if each.out.shape:
            place = gast.Subscript(
                name(self.names[each.out]), self._place(each), gast.Store()
            )
            statements.append(assignment(place, _read(total)))
        return statements

    def _in_blocks(
        self, index: gast.expr, length: int, inner: list[gast.stmt]
    ) -> list[gast.stmt]:
        """The innermost loop, block by block; each leaves its sums."""
        summed = [each for each in self.reductions if each.in_blocks]
        before = [assignment(self.sums[e.out], e.first(self.scope)) for e in summed]
        after: list[gast.stmt] = [
            assignment(
                gast.Subscript(
                    name(self.parts[e.out]), name(self.part[e.depth]), gast.Store()
                ),
                _read(self.sums[e.out]),
            )
            for e in summed
        ]
        for part in self.part.values():
            after.append(gast.AugAssign(target(part), ADD, constant(1)))
        if length <= BLOCK:
            return [*before, loop(index, _range(constant(length)), inner), *after]
        start = self.scope.names.fresh("start")
        end = gast.BinOp(name(start), ADD, constant(BLOCK))
        if length % BLOCK:
            end = call(self.scope.reference(min), [end, constant(length)])
        block = loop(index, _range(name(start), end), inner)
        starts = _range(constant(0), constant(length), constant(BLOCK))
        return [loop(target(start), starts, [*before, block, *after])]

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
            body.emit(None, each.added(self.scope, self.sums[out], number))
            return
        body.number(step, set(self.cluster.steps), out in self.stored)
        if out in self.stored:
            place = gast.Subscript(
                name(self.names[out]), _index(self.indices), gast.Store()
            )
            body.emit(None, assignment(place, self.scope.known[out]))

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
