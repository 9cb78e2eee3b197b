"""The statements of one generated function, as they come together."""

import builtins
import functools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import gast
import numpy as np

from srcgrad.branches import Branch
from srcgrad.deadline import check
from srcgrad.emit.adding import added
from srcgrad.emit.breaking import INDENT, WIDTH
from srcgrad.emit.checks import comment, missed, reason
from srcgrad.emit.choices_in_place import chosen_in_place
from srcgrad.emit.deleting import deleting, memories
from srcgrad.emit.expressions import computed, computed_into
from srcgrad.emit.if_statements import BranchWriter
from srcgrad.emit.literals import indexed, python_number, size_of, written
from srcgrad.emit.loop_statements import LoopWriter
from srcgrad.emit.one_line import text
from srcgrad.emit.overwriting import overwriting
from srcgrad.emit.scope import UNUSED, Scope
from srcgrad.emit.signs import signed
from srcgrad.emit.spares import left, spared, taken
from srcgrad.emit.syntax import (
    STORE,
    BlankLine,
    Comment,
    assignment,
    attribute,
    call,
    constant,
    made,
    name,
    sequence,
    target,
    unpack,
)
from srcgrad.emit.unboxed import BORDER
from srcgrad.emit.unboxed import FLOAT_STATEMENTS as FLOATS
from srcgrad.facts import FACTS
from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import (
    Guard,
    Location,
    Node,
    Step,
    Value,
    element_name,
    map_values,
    values_in,
)
from srcgrad.updates import add_at, assign, scatter
from srcgrad.views import is_basic, repeats_nothing

T = TypeVar("T")

BOUND = len("_1 = ")  # what stands before an expression, besides its name
BUILTIN_NAMES = frozenset(vars(builtins))

# What a nameless result is called, where that is not after its function.
NAME_HINTS: dict[Any, str] = {
    operator.getitem: "part",
    assign: "updated",
    scatter: "scattered",
    add_at: "added",
}


class Body:
    """The statements of one function, as they come together.

    A value that has no name, and is used once, by a later node of the same line, waits
    in ``pending`` and is written where it is used; so does one that is only given back.
    Only pure calls wait, so it matters to them alone what gets another value meanwhile.
    """

    def __init__(
        self,
        scope: Scope,
        graph: Graph,
        kept: Sequence[Value],
        hints: dict[Value, str],
        owned: Iterable[Value] = (),
    ) -> None:
        self.scope = scope
        self.graph = graph
        self.statements: list[gast.stmt] = []
        self.hints = hints
        self.kept = frozenset(kept)
        self.users = graph.only_users()
        self.constants = graph.constants
        self.made = {value for step in graph.nodes for value in step.results}
        read = {value for step in graph.nodes for value in step.inputs}
        self.given_back = {v for v, n in Counter(kept).items() if n == 1} - read
        self.pending: dict[Value, Node] = {}
        # Those that have waited, and were written where they are used.
        self.placed: dict[Value, Node] = {}
        self.where: Location | None = None
        self.overwriting = overwriting(graph, self.kept, owned)
        # Arrays that are made in others, which nobody reads any more: see `spares`.
        self.into: Mapping[Any, Value] = {}
        # What is made here to be written into, and lies row by row.
        self.in_c_order: set[Value] = set()
        # In a loop: what has the name that it takes over from the iteration before.
        self.takes_over: dict[Value, Value] = {}
        # What an arm, or each iteration, gets, and others may want after it; or what
        # has one name with another result of a loop.
        self.lent: frozenset[Value] = frozenset()

    def write(self, nodes: Iterable[Step]) -> None:
        check()
        for node in nodes:
            if type(node) is Guard:
                self._check(node)
            elif type(node.function) is Loop:
                LoopWriter(self, node).write()
            elif type(node.function) is Branch:
                BranchWriter(self, node).write()
            elif node.function in NODE_STATEMENTS:
                NODE_STATEMENTS[node.function](self, node, node.out)
            elif node.out in self.into:
                self._compute_into(node)
            elif node.out in self.overwriting.sources:
                if node.function is np.where:
                    chosen_in_place(self, node)
                else:
                    self._augment(node)
            else:
                self._compute(node)

    def with_spares(self) -> "Body":
        """The same function, of which the next call takes over arrays."""
        found = spared(self.graph, self.kept, self.overwriting.sources)
        self.overwriting = self.overwriting.also(found.augmented)
        self.into = found.into
        return self

    def leave_spares(self, number: int) -> None:
        """Take spares at the beginning, and leave them when nothing reads them more."""
        if own := [array for out, array in self.into.items() if out is array]:
            names = {self.scope.known[value].id for value in self.into}
            for value in [*self.pending]:  # what is given back
                if not names.isdisjoint(names_in(self.scope.known[value])):
                    self.settle(value)
            is_apart = [BlankLine()] if isinstance(self.statements[0], Comment) else []
            self.statements[:0] = [taken(self.scope, number, own), *is_apart]
            self.statements.append(left(self.scope, number, own))

    def without_the_dead(self) -> list[gast.stmt]:
        """All statements, and where to let go of what is not left to the next call."""
        names = {self.scope.known[value].id for value in self.into}
        arrays = memories(self.graph, self.scope.known)
        mortal = [memory for memory in arrays if names.isdisjoint(memory.names)]
        return deleting(self.statements, mortal)

    def name(self, value: Value, node: Node | None = None) -> str:
        """The name of a value, after its hint or the node that makes it."""
        if value in self.takes_over:
            expr = self.scope.known[self.takes_over[value]]
            for other in [*self.pending]:
                if expr.id in names_in(self.scope.known[other]):
                    self.settle(other)
            # It keeps a name of its own for elsewhere: both may be saved.
            self.scope.known[value] = expr
            return str(expr.id)
        id = self.scope.names.name(value, self._hint(self._becomes(value), node))
        self.scope.known[value] = name(id)
        return id

    def results(self, values: Sequence[Value]) -> gast.expr:
        """What a function returns for some values."""
        exprs = [written(self.scope, value) for value in values]
        for i, value in enumerate(values):
            if value in self.scope.arrays:  # the caller may change what it gets
                exprs[i] = call(attribute(exprs[i], "copy"), [])
        return exprs[0] if len(exprs) == 1 else sequence(exprs)

    def give_back(self, result: gast.expr) -> None:
        """Return; a result that was just computed does without a name."""
        last = self.statements[-1] if self.statements else None
        if (
            isinstance(result, gast.Name)
            and isinstance(last, gast.Assign)
            and isinstance(last.targets[0], gast.Name)
            and last.targets[0].id == result.id
        ):
            self.statements.pop()
            result = last.value
        self.statements.append(gast.Return(result))

    def _check(self, guard: Guard) -> None:
        test = self._fitted(guard, len("if :"), lambda: missed(self.scope, guard))
        body = [gast.Return(constant(reason(guard)))]
        self.emit(guard.where, gast.If(test, body, []))

    def leave(self, guard: Guard) -> None:
        """Leave the loop that a guard ends."""
        test = self._fitted(guard, len("if :"), lambda: missed(self.scope, guard))
        self.emit(guard.where, gast.If(test, [gast.Break()], []))

    def _compute(self, node: Node) -> None:
        if "out" in node.kwargs:  # it changes an array that the others may read
            for value in [*self.pending]:
                self.settle(value)
        start = 0
        if self.pending and type(node.out) is Value:
            start = len(self._hint(node.out, node)) + BOUND
        if self.pending:
            expr = self._fitted(node, start, functools.partial(self._computed, node))
        else:
            expr = self._computed(node)
        if type(node.out) is Value and self._waits(node, node.out):
            self.scope.known[node.out] = expr
            self.pending[node.out] = node
        elif type(node.out) is Value and self._is_short(node.out, expr):
            self.scope.known[node.out] = expr
        elif node.function in BORDER and node.out in self.given_back:
            self._rename(node, expr)
            self.pending[node.out] = node
        else:
            self._define(node, expr)

    def _compute_into(self, node: Node) -> None:
        """``h = np.tanh(x, out=array)``"""
        out, array = node.results[0], self.into[node.out]
        for value in [*self.pending]:  # it may read what the array still holds
            if value not in node.inputs:
                self.settle(value)
        if array is out:
            self.name(out, node)
        build = functools.partial(computed_into, self.scope, node, array)
        start = len(self._hint(out, node)) + BOUND
        self._define(node, self._fitted(node, start, build))

    def _computed(self, node: Node) -> gast.expr:
        if node.out in self.overwriting.filled:
            node = replace(node, function=np.full, args=node.args[::-1])
        return computed(self.scope, node)

    def _waits(self, node: Node, out: Value) -> bool:
        """Whether a node is written where its result is used."""
        if out.name is not None or out in self.kept or out not in self.users:
            return False
        user = self.users[out]
        return (
            user is not None
            and (user.where is node.where or user.where == node.where)
            and not FACTS[node.function].effect
        )

    def _is_short(self, out: Value, expr: gast.expr) -> bool:
        """Whether an expression needs no name, however often it is used: ``x.T``."""
        return (
            expr.__class__ is gast.Attribute
            and expr.value.__class__ is gast.Name
            and out.name is None
            and out not in self.kept
        )

    def _fitted(self, node: Step, start: int, build: Callable[[], T]) -> T:
        """Build an expression; if it is too long, parts of it become statements."""
        expr = build()
        if not self.pending:
            return expr
        waiting = {value for value in node.inputs if value in self.pending}
        room = WIDTH - INDENT - start
        while waiting and len(text(expr)) > room:
            widest = max(waiting, key=lambda value: len(text(self.scope.known[value])))
            waiting.remove(widest)
            self.settle(widest)
            expr = build()
        for value in waiting:
            self.placed[value] = self.pending.pop(value)
        return expr

    def fitted(self, node: Node, build: Callable[[], T]) -> T:
        """What is written in a statement: the test of an ``if``, say."""
        return self._fitted(node, len("if :"), build)

    def settle(self, value: Value) -> None:
        """Give a waiting value a statement of its own."""
        self._define(self.pending.pop(value), self.scope.known[value])

    def _define(self, node: Node, expr: gast.expr) -> None:
        out = node.out
        if isinstance(out, tuple):
            names = [self.result(value, node) for value in out]
            self.emit(node.where, unpack(names, expr))
        elif out is not None and self.is_used(out):
            self.emit(node.where, assignment(target(self.result(out, node)), expr))
        else:
            self.emit(node.where, gast.Expr(expr))

    def result(self, value: Value, node: Node) -> str:
        if not self.is_used(value):
            return UNUSED
        if node.function in BORDER and self._is_last(node, node.args[0]):
            self._rename(node, self.scope.known[node.args[0]])  # `x = float(x)`
        return self.name(value, node)

    def _is_last(self, node: Node, item: Any) -> bool:
        """Whether nothing but a node wants an operand, and what it is called.

        The number of an iteration tells further ones.
        """
        if type(item) is not Value or item.is_index:
            return False
        is_wanted = item in self.lent or item in self.kept
        return not is_wanted and self.users.get(item) is node

    def _rename(self, node: Node, expr: gast.expr) -> None:
        """Give a number that is there in another form the name that it has."""
        new = node.results[0]
        old = node.args[0]
        known = self.scope.known[old] if type(old) is Value else None
        if isinstance(known, gast.Name):
            self.scope.names.share(new, known.id)
        self.scope.known[new] = expr

    def is_used(self, value: Value) -> bool:
        return value in self.users or value in self.kept

    def _hint(self, value: Value, node: Node | None) -> str:
        if value.name not in (None, UNUSED):
            return str(value.name)
        function = None if node is None else node.function
        hint = value.hint
        if value in self.hints:
            hint = self.hints[value] or hint
        if not hint and function in NAME_HINTS:
            hint = element_name(node) or NAME_HINTS[function]
        if hint:
            return hint
        hint = str(getattr(function, "__name__", "value"))
        if hint in BUILTIN_NAMES:  # what is called after its function hides no builtin
            self.scope.claim(hint)
        return hint

    def emit(self, where: Location | None, *statements: gast.stmt) -> None:
        """Add statements, after a comment if the user's line is another one."""
        if where is not None and where is not self.where and where != self.where:
            self.statements += comment(where, is_first=not self.statements)
            self.where = where
        self.statements.extend(statements)

    def _becomes(self, value: Value) -> Value:
        """The last of the arrays that one is changed into in place: it has the name."""
        successors = self.overwriting.successors
        while value.name is None and value in successors:
            value = successors[value]
        return value

    def take_over(self, array: Value, node: Node) -> str:
        """The name of an array that a node changes in place, and names anew."""
        for value in [*self.pending]:
            if value not in node.inputs and self._reads(value, array):
                self.settle(value)
        if array in self.pending:
            self.settle(array)
        expr = self.scope.known[node.results[0]] = self.scope.known[array]
        self.scope.names.share(node.results[0], expr.id)
        return str(expr.id)

    def _reads(self, value: Value, array: Value) -> bool:
        """Whether the expression that stands for a value reads an array's memory."""
        expressions = [value]
        while expressions:
            value = expressions.pop()
            node = self.pending.get(value) or self.placed.get(value)
            if node is not None:
                expressions += node.inputs
            elif self.overwriting.is_in(value, array):
                return True
        return False

    def _augment(self, node: Node) -> None:
        """``x += y``."""
        array = self.overwriting.sources[node.results[0]]
        start = len(self._hint(array, node)) + len(" += ")
        expr = self._fitted(node, start, lambda: computed(self.scope, node))
        change = _change_of(self.scope.known[array], expr, node)
        if change is None:
            self._define(node, expr)
        else:
            x = self.take_over(array, node)
            self.emit(node.where, gast.AugAssign(target(x), *change))

    def _target(self, node: Node, out: Value) -> tuple[str, list[gast.stmt]]:
        """The name of the array to change, and the statement that copies it, if any."""
        x, scope = node.args[0], self.scope
        if type(x) is Value and self.overwriting.sources.get(out) is x:
            return self.take_over(x, node), []
        y = self.name(out, node)
        if type(x) is Value and x.kind in ("array", "floats") and x.shape:
            copy = call(attribute(written(scope, x), "copy"), [])
            self.in_c_order.add(out)
        else:
            copy = call(scope.numpy("array"), [written(scope, x)])
        return y, [assignment(target(y), copy)]

    def _update(self, node: Node, out: Value) -> None:
        """``y = x.copy()``, then ``y[index] = value``, or ``+=`` if that is meant."""
        y, copied = self._target(node, out)
        self.emit(
            node.where, *copied, self._fitted(node, 0, lambda: self._put(node, y))
        )

    def _put(self, node: Node, array: str) -> gast.stmt:
        """``array[index] = value``; if the value is ``array[index] + y``, ``+= y``."""
        x, index, value = node.args
        new = written(self.scope, _element_of(node.results[0], value))
        put = _store(self.scope, name(array), index, new)
        operation = self.pending.get(value) if type(value) is Value else None
        if operation is None or value.dtype != x.dtype:
            return put
        for operand in operation.args:
            if self._is_part(operand, x, index) and operand.shape == value.shape:
                change = _change_of(self.scope.known[operand], put.value, operation)
                if change is not None:
                    return augmented(put, *change)
        return put

    def _is_part(self, item: Any, array: Value, index: Any) -> bool:
        """Whether an operand is what is at an index of an array, and has no name."""
        node = self.placed.get(item) if type(item) is Value else None
        return (
            node is not None
            and node.function is operator.getitem
            and node.args[0] is array
            and is_basic(index)
            and is_basic(node.args[1])
            and bool(node.args[1] == index)
        )

    def _add_at(self, node: Node, out: Value) -> None:
        """``y = x.copy()``, then ``y[index] += g``; what repeats adds up."""
        _, index, g = node.args
        y, copied = self._target(node, out)

        def stored() -> gast.stmt:
            put = self._stored(out, y, index, g)
            if not isinstance(put, gast.Assign):
                return put
            return augmented(put, *signed(gast.Add(), put.value, out))

        self.emit(node.where, *copied, self._fitted(node, 0, stored))

    def _scatter(self, node: Node, out: Value) -> None:
        """``dx = np.zeros(shape)``, then ``dx[index] = g``; what repeats adds up."""
        g, index, shape = node.args
        scope, dx = self.scope, self.name(out, node)
        self.in_c_order.add(out)
        stored = self._fitted(node, 0, lambda: self._stored(out, dx, index, g))
        kind = {} if out.dtype == np.float64 else {"dtype": written(scope, out.dtype)}
        zeros = call(scope.numpy("zeros"), [size_of(scope, shape)], kind)
        self.emit(node.where, assignment(target(dx), zeros), stored)

    def _stored(self, out: Value, array: str, index: Any, g: Any) -> gast.stmt:
        """``array[index] = g``, or ``np.add.at`` if an index may repeat."""
        scope, g = self.scope, _element_of(out, g)
        if repeats_nothing(index) or self._is_of_distinct(index, out):
            return _store(scope, name(array), index, written(scope, g))
        is_known = self.overwriting.made_as(out) in self.in_c_order
        return gast.Expr(added(scope, array, index, g, out.shape if is_known else None))

    def _is_of_distinct(self, index: Any, out: Value) -> bool:
        """Whether an index that is known, of integers, repeats none."""
        index = map_values(lambda value: self.constants.get(value, value), index)
        if any(values_in(index)):
            return False
        positions = np.arange(math.prod(out.shape)).reshape(out.shape)[index]
        return bool(np.unique(positions).size == positions.size)


def names_in(expr: gast.expr) -> set[str]:
    """The names that are read in an expression."""
    return {node.id for node in gast.walk(expr) if isinstance(node, gast.Name)}


NODE_STATEMENTS: dict[Any, Callable[[Body, Node, Any], None]] = {
    assign: Body._update,
    scatter: Body._scatter,
    add_at: Body._add_at,
    **FLOATS,
}


def _store(scope: Scope, array: gast.expr, index: Any, value: gast.expr) -> gast.Assign:
    where = indexed(scope, array, index)
    part = made(gast.Subscript, value=where.value, slice=where.slice, ctx=STORE)
    return assignment(part, value)


def augmented(
    put: gast.Assign, operator: gast.operator, value: gast.expr
) -> gast.AugAssign:
    return gast.AugAssign(target=put.targets[0], op=operator, value=value)


def _change_of(
    operand: gast.expr, expr: gast.expr, node: Node
) -> tuple[gast.operator, gast.expr] | None:
    """The ``op`` and ``value`` for which ``operand op= value`` does what it says."""
    if not isinstance(expr, gast.BinOp) or isinstance(expr.op, gast.Pow):
        return None
    if expr.left is operand:
        return expr.op, expr.right
    commutes = FACTS[node.function].commutes and node.results[0].dtype.kind != "c"
    return (expr.op, expr.left) if commutes and expr.right is operand else None


def _element_of(array: Value, item: Any) -> Any:
    """What is put into an array; a NumPy scalar of its dtype as a Python number."""
    is_like = isinstance(item, np.generic) and item.dtype == array.dtype
    return python_number(item, array.dtype) if is_like else item
