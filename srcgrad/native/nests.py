"""A cluster as a nest of loops over elements: no array for what is read at once."""

import math
from typing import Any

import gast

from srcgrad.emit.syntax import (
    ADD,
    MULT,
    assignment,
    call,
    constant,
    loop,
    name,
    target,
)
from srcgrad.native.clusters import Cluster
from srcgrad.native.elements import (
    BOOL,
    ELEMENTARY,
    FLOAT,
    UnsupportedError,
)
from srcgrad.native.numbers import by_ufunc, converted
from srcgrad.native.reductions import BLOCK, LONG, MOST_UNROLLED, Reduction
from srcgrad.native.statements import element, empty, place, size, stored
from srcgrad.native.threads import Threads
from srcgrad.policy import NATIVE_ELEMENTS
from srcgrad.steps import Node, Value


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
        called = {by_ufunc(step).function for step in cluster.steps}
        self.has_functions = not called.isdisjoint(ELEMENTARY)
        # Of a reduction along the last axes, what a block is gathered in, or added up
        # at once if it is short; and what becomes of the blocks, if there are several;
        # how many there are yet, of those that begin at some depth.
        along = [each for each in self.reductions if each.depth is not None]
        is_short = self.shape[-1] < LONG and not self.has_functions
        self.totals = [*along] if is_short else []
        self.terms: dict[Reduction, str] = {}
        self.parts: dict[Reduction, str] = {}
        self.part: dict[int | None, str] = {}
        is_long = bool(along) and self.shape[-1] > BLOCK
        self.start = self.scope.names.fresh("start") if is_long else None
        for each in along:
            if each.blocks > 1 and each.depth not in self.part:
                self.part[each.depth] = self.scope.names.fresh("part")
        is_wide = math.prod(self.shape) >= NATIVE_ELEMENTS and along == self.reductions
        self.threads: Threads | None = None
        if is_wide and body.kernel.threads > 1:
            count = self.shape[0]
            if len(self.shape) == 1 and along:
                count = self.reductions[0].blocks
            self.threads = Threads(body.kernel, count) if count > 1 else None
        for number, each in enumerate(along):
            self.terms[each] = self._terms(number)

    def _terms(self, number: int) -> str:
        """The name of what a block is gathered in, or added up in."""
        if self.totals:
            return self.scope.names.fresh("total")  # type: ignore[no-any-return]
        if self.threads is None:
            return self.body.kernel.buffer(number)  # type: ignore[no-any-return]
        id: str = self.scope.names.fresh("terms")
        self.threads.own(id, BLOCK)
        return id

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
        return empty(self.scope, value.shape, value.dtype)

    def _begin(self, each: Reduction) -> None:
        """The name of a result, and the array that it is, if it is one."""
        body, out = self.body, each.out
        self.names[out] = id = body.fresh(out, each.node)
        if each.depth is None:
            given = [size(out.shape), each.first(self.scope)]
            made = call(self.scope.numpy("full"), given)
            body.emit(None, assignment(target(id), made))
        elif out.shape:
            body.emit(None, assignment(target(id), self._made(out)))
        if each in self.terms and each.blocks > 1:
            made = empty(self.scope, each.blocks)
            self.parts[each] = parts = self.scope.names.fresh(f"{id}_parts")
            if self.threads is not None and each.depth:
                self.threads.own(parts, each.blocks)
            else:
                body.emit(None, assignment(target(parts), made))

    def _place(self, each: Reduction) -> Any:
        """Where a result is, in an iteration."""
        id = self.names[each.out]
        if not each.out.shape:
            return target(id)
        parts = [
            (0 if axis in each.axes else index)
            for axis, index in enumerate(self.indices)
            if each.keeps or axis not in each.axes
        ]
        return place(name(id), parts)

    # ----- The loops -----

    def _level(self, depth: int, inner: list[gast.stmt]) -> list[gast.stmt]:
        """The loops from an axis on, with what comes before and after them."""
        threads = self.threads if depth == 0 else None
        if depth == len(self.shape) - 1:
            statements = self._innermost(inner, threads)
        else:
            index, length = target(self.indices[depth].id), constant(self.shape[depth])
            over = [length] if threads is None else threads.over()
            statements = [loop(index, _range(*over), self._level(depth + 1, inner))]
        if depth in self.part:
            none_yet: gast.expr = constant(0)
            if threads is not None:
                none_yet = threads.of_first(self._parts_at_first(depth))
            begun = assignment(target(self.part[depth]), none_yet)
            statements = [begun, *statements]
        if threads is not None:
            statements = threads.shared(statements)
        kernel = self.body.kernel
        for each, parts in self.parts.items():
            if each.depth == depth:
                total = each.of_parts(parts, kernel)
                statements.append(assignment(self._place(each), total))
        return statements

    def _parts_at_first(self, depth: int) -> int:
        """How many blocks there are of one index along an axis."""
        (blocks,) = {each.blocks for each in self.parts if each.depth == depth}
        return 1 if len(self.shape) == 1 else blocks // self.shape[depth]

    def _innermost(
        self, inner: list[gast.stmt], threads: Threads | None
    ) -> list[gast.stmt]:
        """The innermost loop; of reductions along it, block by block."""
        index, length = target(self.indices[-1].id), self.shape[-1]
        if self.start is None:
            over: list[gast.expr] = [constant(length)]
            if threads is not None:
                over = threads.over()
            elif self.has_functions and length < MOST_UNROLLED:
                over = [call(name(self.body.kernel.prelude("rolled")), over)]
            before = [
                assignment(target(self.terms[each]), each.first(self.scope))
                for each in self.totals
            ]
            blocks = self._of_blocks(constant(length))
            return [*before, loop(index, _range(*over), inner), *blocks]
        start, end = self.start, self.scope.names.fresh("end")
        last: gast.expr = gast.BinOp(name(start), ADD, constant(BLOCK))
        if length % BLOCK:
            last = call(self.scope.reference(min), [last, constant(length)])
        statements = [
            assignment(target(end), last),
            loop(index, _range(name(start), name(end)), inner),
            *self._of_blocks(gast.BinOp(name(end), gast.Sub(), name(start))),
        ]
        over = [constant(0), constant(length)]
        if threads is not None:
            over = [gast.BinOp(each, MULT, constant(BLOCK)) for each in threads.over()]
        starts = _range(*over, constant(BLOCK))
        return [loop(target(start), starts, statements)]

    def _of_blocks(self, count: gast.expr) -> list[gast.stmt]:
        """What reductions make of a block."""
        statements: list[gast.stmt] = []
        for each, terms in self.terms.items():
            where, found = None, name(terms)
            if each not in self.totals:
                found = each.of_block(terms, count, self.body.kernel)
            if each in self.parts:
                where = place(name(self.parts[each]), [name(self.part[each.depth])])
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
            array, number = name(self.names[out]), self.scope.known[out]
            body.emit(None, stored(array, self.indices, number))

    def _taken(self, each: Reduction, number: gast.expr) -> gast.stmt:
        """The number of an iteration, taken into a block, or into the result."""
        if each not in self.terms:
            return each.added(self.scope, self._place(each), number)
        if each in self.totals:
            return each.added(self.scope, target(self.terms[each]), number)
        where: gast.expr = self.indices[-1]
        if self.start is not None:
            where = gast.BinOp(where, gast.Sub(), name(self.start))
        return stored(name(self.terms[each]), [where], number)

    def _element(self, value: Value) -> gast.expr:
        """The element of an array that an iteration reads: where it is broadcast."""
        if value.dtype not in (FLOAT, BOOL):
            raise UnsupportedError(f"an array of {value.dtype} is left to NumPy")
        own = self.indices[len(self.indices) - len(value.shape) :]
        wide = self.shape[len(self.shape) - len(value.shape) :]
        parts = [
            0 if length == 1 != other else index
            for index, length, other in zip(own, value.shape, wide, strict=True)
        ]
        return element(self.body.array(value), parts)


def _range(*parts: gast.expr) -> gast.expr:
    return call(name("range"), parts)
