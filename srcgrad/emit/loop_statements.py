"""A ``Loop`` as a ``for`` statement, with the names that the user has for things.

What is carried has one name before, in and after the loop; an item of each of the ys
is appended to its list in each iteration.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from srcgrad.emit.checks import opposite, reason
from srcgrad.emit.countdowns import counted
from srcgrad.emit.given_rows import Rows, along_rows, rows_of
from srcgrad.emit.literals import written
from srcgrad.emit.scope import UNUSED, Scope
from srcgrad.emit.syntax import (
    LOAD,
    STORE,
    BlankLine,
    Comment,
    assignment,
    attribute,
    call,
    constant,
    integer,
    loop,
    name,
    sequence,
    subscript,
    target,
    unpack,
)
from srcgrad.graph import Graph
from srcgrad.loops import Loop, owned_states
from srcgrad.steps import Node, Value
from srcgrad.updates import add_at, assign, scatter

# With more items, which fill a line, a sequence of numbers is a constant of the module.
MOST_ITEMS = 8


def carried_names(function: Loop, sources: Mapping[Value, Value]) -> dict[Value, Value]:
    """The results that can take over the name of what is carried at once.

    That is so where nothing that has the name is read any more by then, be it after a
    loop that ends in the middle of an iteration. ``sources`` are the arrays that others
    are changed into, under the same name.
    """
    body = function.body
    made = {
        v: position for position, step in enumerate(body.nodes) for v in step.results
    }
    reads = _last_reads(body, sources)
    states, carried = function.parameters()[2], function.computed()[0]
    found: dict[Value, Value] = {}
    for state, value in zip(states, carried, strict=True):
        if value in found or value not in made or state in body.outputs[: len(states)]:
            continue
        if made[value] < function.before_test:
            continue
        step = body.nodes[made[value]]
        # These are several statements, the first of which has the name already.
        first = type(step) is Node and step.function in (assign, add_at, scatter)
        if reads.get(state, -1) <= made[value] - first:
            found[value] = state
    return found


def _last_reads(body: Graph, sources: Mapping[Value, Value]) -> dict[Value, int]:
    """The last step that reads an input of a body, a view of it, or what it becomes."""
    under: dict[Value, set[Value]] = {value: {value} for value in body.inputs}
    last: dict[Value, int] = {}
    for position, step in enumerate(body.nodes):
        read = set[Value]().union(*(under.get(v, ()) for v in step.inputs))
        last.update(dict.fromkeys(read, position))
        for value in step.results:
            if step.shares_memory:
                under[value] = read
            elif (source := sources.get(value)) is not None:
                under[value] = under.get(source, set())
        if type(step) is Node and type(step.function) is Loop:
            # What a loop inside carries may have the name of what that began with.
            results = step.function.results(step.results)[0]
            first = step.function.given(step.args)[1]
            for value, item in zip(results, first, strict=True):
                if type(item) is Value:
                    under[value] = under.get(value, set()) | under.get(item, set())
    for value in body.outputs:
        if value not in body.inputs:
            last.update(dict.fromkeys(under.get(value, ()), len(body.nodes)))
    return last


def header(
    scope: Scope,
    function: Loop,
    xs: Sequence[Any],
    names: Sequence[str],
    times: int | gast.expr,
    rows: Sequence[tuple[gast.expr, gast.expr]] = (),
) -> tuple[gast.expr, gast.expr]:
    """The target of a ``for`` and what it runs over, so many times.

    ``names`` are those of the first index, if there is one, and of the items; ``rows``
    are more targets, and what they are given of.
    """
    is_reversed = function.is_reversed
    over = [_range(*index, times, is_reversed) for index in function.indices[:1]]
    over += [_items(scope, given, is_reversed) for given in xs]
    over += [_backwards(each) if is_reversed else each for _, each in rows]
    targets = [*map(target, names), *(each for each, _ in rows)]
    if not targets:
        return target(UNUSED), _range(0, 1, times, is_reversed)
    if len(targets) == 1:
        return targets[0], over[0]
    whole = gast.Tuple(targets, STORE)
    return whole, call(name("zip"), over, {"strict": constant(True)})


def _backwards(items: gast.expr) -> gast.expr:
    return call(name("reversed"), [items])


def _range(
    start: int, step: int, times: int | gast.expr, is_reversed: bool
) -> gast.expr:
    if isinstance(times, int):
        stop: gast.expr = integer(start + step * times)
    else:
        stop = gast.BinOp(integer(step), gast.Mult(), times)
        if abs(step) == 1:
            stop = times if step > 0 else gast.UnaryOp(gast.USub(), times)
        stop = _plus(stop, start)
    parts = [integer(start), stop, integer(step)]
    used = slice(1, 2) if (start, step) == (0, 1) else slice(2 + (step != 1))
    numbers = call(name("range"), parts[used])
    return _backwards(numbers) if is_reversed else numbers


def _items(scope: Scope, given: Any, is_reversed: bool) -> gast.expr:
    if type(given) is Value:
        items = written(scope, given)
    elif not any(type(item) is Value for item in given) and len(given) > MOST_ITEMS:
        items = scope.hold(given)
    else:
        items = written(scope, tuple(given))
    return _backwards(items) if is_reversed else items


def other_indices(function: Loop, first: str) -> Iterator[gast.expr]:
    """The indices after the first one, in terms of that: ``t + 1``."""
    (start, step), *others = function.indices
    for other, stride in others:
        if stride == step:
            yield _plus(name(first), other - start)
        elif stride == -step:
            total = other + start
            yield gast.BinOp(integer(total), gast.Sub(), name(first))
        elif stride % step == 0:
            factor = stride // step
            times = gast.BinOp(integer(factor), gast.Mult(), name(first))
            yield _plus(times, other - factor * start)
        else:
            # Whole numbers: the first is start + step * k.
            back = _plus(name(first), -start)
            if step != 1:
                back = gast.BinOp(back, gast.FloorDiv(), integer(step))
            yield _plus(gast.BinOp(back, gast.Mult(), integer(stride)), other)


def _plus(expr: gast.expr, number: int) -> gast.expr:
    if not number:
        return expr
    operator = gast.Add() if number > 0 else gast.Sub()
    return gast.BinOp(expr, operator, constant(abs(number)))


class LoopWriter:
    """Writes one loop into the statements of a function, or of another loop."""

    def __init__(self, body: Any, node: Node) -> None:
        # A `Body`, which stands above this.
        self.outer, self.whole = body, node
        wanted = {value for value in node.results if body.is_used(value)}
        self.node, self.times = counted(node, wanted)
        self.rows: list[Rows] = []
        if self.times is None:
            self.node, self.rows = along_rows(self.node)
        node = self.node
        self.scope = body.scope
        self.function: Loop = node.function  # type: ignore[assignment]
        _, _, self.states, self.consts = self.function.parameters()
        self.carried, self.last, self.ys, self.lists = self.function.computed()
        self.inner = type(body)(
            self.scope,
            self.function.body,
            self.function.body.outputs,
            {},
            owned_states(self.function),
        )
        self.inner.lent = frozenset(self.consts)
        self.inner.given_back = set()  # as in arms: what it gives has its name in it
        self.inner.takes_over = carried_names(
            self.function, self.inner.overwriting.sources
        )
        self.at_first: list[gast.stmt] = []
        self.stays: dict[Value, gast.expr] = {}

    def write(self) -> None:
        """Add the statements: what comes before the loop, and itself."""
        outer, function = self.outer, self.function
        whole = self._whole_times()
        for value in [*outer.pending]:
            if value in self.whole.inputs:
                outer.settle(value)
        xs, first, consts = function.given(self.node.args)
        for state, value in zip(self.states, first, strict=True):
            self._begin(state, value)
        for parameter, value in zip(self.consts, consts, strict=True):
            self.scope.known[parameter] = written(self.scope, value)
        names = [self.inner.name(value) for value in self._parameters()]
        times = whole or self._times(xs)
        where, over = header(self.scope, function, xs, names, times, self._rows())
        indices = function.parameters()[0]
        if indices:
            for value, expr in zip(
                indices[1:], other_indices(function, names[0]), strict=True
            ):
                self.scope.known[value] = expr
        lists = self._lists()
        self._note_last()
        statements = self._statements(lists)
        if function.test is None:
            statement: gast.stmt = loop(where, over, statements or [gast.Pass()])
        else:
            for id, (start, step) in zip(names, function.indices[:1], strict=False):
                outer.emit(None, assignment(target(id), integer(start)))
                further = gast.AugAssign(target(id), gast.Add(), integer(step))
                statements.append(further)
            statement = self._until(statements)
        outer.emit(None, statement)
        for id, _ in lists:
            if self.function.is_reversed:
                reverse = call(attribute(name(id), "reverse"), [])
                outer.emit(None, gast.Expr(reverse))
        outer.where = None
        self._name_results()

    def _rows(self) -> list[tuple[gast.expr, gast.expr]]:
        """The targets for what is given row by row, and of what."""
        found = []
        for rows in self.rows:
            if isinstance(rows.items, Value):
                own = target(self.inner.name(rows.items))
            else:
                ids = [UNUSED if v is None else self.inner.name(v) for v in rows.items]
                own = gast.Tuple([*map(target, ids)], STORE)
            found.append((own, rows_of(self.scope, rows)))
        return found

    def _whole_times(self) -> int | gast.expr | None:
        """How often it runs, if that is a float only in the graph: ``float(i)``."""
        if type(self.times) is float and self.times.is_integer():
            return int(self.times)
        node = self.outer.pending.get(self.times) if self.times is not None else None
        if node is None or node.function is not float or node.kwargs:
            return None
        (number,) = node.args
        if type(number) is not Value or number.dtype.kind != "i":
            return None
        self.outer.placed[self.times] = self.outer.pending.pop(self.times)
        return written(self.scope, number)

    def _times(self, xs: Sequence[Any]) -> int | gast.expr:
        """How often it runs."""
        if self.times is not None:
            return call(name("int"), [written(self.scope, self.times)])
        lists = (item for item in xs if type(item) is Value)
        if self.function.exit_condition is None or not self.function.is_reversed:
            return self.function.count
        return call(name("len"), [written(self.scope, next(lists))])

    def _statements(self, lists: Sequence[tuple[str, Value]]) -> list[gast.stmt]:
        """What an iteration does."""
        inner, nodes = self.inner, self.function.body.nodes
        test, exit_condition = self.function.test, self.function.exit_condition
        if test is not None and exit_condition is not None and exit_condition.is_last:
            inner.statements += self.at_first
            inner.write([step for step in nodes if step is not test])
            inner.statements += self._appended(lists)
            inner.statements += self._hold_last()
            inner.leave(test)
            return [*inner.statements, *self._carry_on()]
        if test is not None and exit_condition is not None:
            position = nodes.index(test)
            inner.write(nodes[:position])
            inner.leave(test)
            inner.statements += self.at_first
            inner.write(nodes[position + 1 :])
            statements = inner.statements
        else:
            inner.write(nodes)
            statements = [*self.at_first, *inner.statements]
        ends = *self._appended(lists), *self._hold_last(), *self._carry_on()
        return [*statements, *ends]

    def _appended(self, lists: Sequence[tuple[str, Value]]) -> list[gast.stmt]:
        appended = (self._append(id, value) for id, value in lists)
        return [statement for statement in appended if statement is not None]

    def _until(self, statements: list[gast.stmt]) -> gast.stmt:
        """``while test: ...``, or another loop that a ``break`` ends."""
        exit_condition, test = self.function.exit_condition, self.function.test
        assert exit_condition is not None
        assert test is not None
        if exit_condition.most is not None:
            times = call(name("range"), [constant(exit_condition.most)])
            if exit_condition.stops:
                return loop(target(UNUSED), times, statements)
            missed = gast.Return(constant(reason(test)))
            return gast.For(target(UNUSED), times, statements, [missed], None)
        rest = [
            *itertools.dropwhile(
                lambda s: isinstance(s, (Comment, BlankLine)), statements
            )
        ]
        first = rest[0]
        if not isinstance(first, gast.If) or not isinstance(first.body[0], gast.Break):
            return gast.While(constant(True), statements, [])
        if test.where is not None:
            self.outer.emit(test.where)
        return gast.While(opposite(first.test), rest[1:], [])

    def _parameters(self) -> Sequence[Value]:
        """The first index, and the items."""
        indices, items, _, _ = self.function.parameters()
        return (*indices[:1], *items)

    def _begin(self, state: Value, first: Any) -> None:
        """Give what is carried its first value, if that has not the name already."""
        scope = self.scope
        is_overwritten = state in self.inner.overwriting.successors
        if self._is_free(first):
            expr = scope.known[first]
            if isinstance(expr, gast.Name) and (
                not is_overwritten or first in self.outer.overwriting.successors
            ):
                scope.known[state] = expr
                return
        expr = written(scope, first)
        if is_overwritten:
            expr = call(attribute(expr, "copy"), [])
        id = self.inner.name(state)
        self.outer.emit(None, assignment(target(id), expr))

    def _is_free(self, first: Any) -> bool:
        """Whether nobody else wants what is carried in."""
        if type(first) is not Value or first in self.scope.arrays:
            return False
        # The consts of an outer loop are wanted in its next iteration, too.
        if first in self.outer.kept or first in self.outer.lent:
            return False
        return (
            self.outer.users.get(first) is self.whole
            and self.node.inputs.count(first) == 1
        )

    def _lists(self) -> list[tuple[str, Value]]:
        """The lists of the ys, with what is appended to them."""
        results = self.function.results(self.node.results)
        found: dict[Value, str] = {}
        for value, items in zip(
            self.ys, self.function.items_of(results[2]), strict=True
        ):
            if value not in found:
                named = next((item.name for item in items if item.name), None)
                called = named or value.hint or self._function_of(value)
                found[value] = self.scope.names.fresh(f"{called}s")
            self._name_items(found[value], items)
        for value, whole in zip(self.lists, results[3], strict=True):
            if value in found:
                self.scope.known[whole] = name(found[value])
            else:
                found[value] = self.outer.name(whole)
        for value, id in found.items():
            self.outer.emit(None, assignment(target(id), gast.List([], LOAD)))
            if value in self.states:  # before it has another value
                self.at_first.append(_appended(id, self.scope.known[value]))
        return [(id, value) for value, id in found.items()]

    def _name_items(self, id: str, items: Sequence[Value]) -> None:
        """Items of a list are told by their places."""
        for number, value in enumerate(items):
            self.scope.stacked[value] = id, items, number
            self.scope.known[value] = subscript(name(id), constant(number))

    def _function_of(self, value: Value) -> str:
        """What has made a value in the body."""
        steps = (step for step in self.function.body.nodes if value in step.results)
        maker = getattr(next(steps, None), "function", None)
        return getattr(maker, "__name__", "item")

    def _note_last(self) -> None:
        """Give what is wanted in the end, but was there before, a name that stays."""
        for number, value in enumerate(self.last):
            if value in self.function.body.inputs:
                id = self.scope.names.fresh(f"last_{value.name or number}")
                expr = self.scope.known[value]
                self.at_first.append(assignment(target(id), expr))
                self.stays[value] = name(id)

    def _hold_last(self) -> list[gast.stmt]:
        """Give what is wanted in the end another name than what is carried on takes.

        An array that is carried in and changed in place has the name of that.
        """
        scope, held = self.scope, []
        carried = zip(self.states, self.carried, strict=True)
        taken = {scope.known[state].id: value for state, value in carried}
        exit_condition = self.function.exit_condition
        # Where a limit ends it, what is carried on has been so once more.
        is_late = (
            exit_condition is not None
            and exit_condition.is_last
            and exit_condition.stops
        )
        for value in (*self.last, *(self.carried if is_late else ())):
            expr = self.stays.get(value) or written(scope, value)
            if isinstance(expr, gast.Name) and taken.get(expr.id, value) is not value:
                id = scope.names.fresh(f"last_{value.name or expr.id}")
                held.append(assignment(target(id), expr))
                self.stays[value] = name(id)
        return held

    def _append(self, id: str, value: Value) -> gast.stmt | None:
        if value in self.states:
            return None
        return _appended(id, written(self.scope, value))

    def _carry_on(self) -> list[gast.stmt]:
        """``a, b = b, a + b``, for what has not the right name yet."""
        scope = self.scope
        pairs = []
        for state, value in zip(self.states, self.carried, strict=True):
            id, expr = scope.known[state].id, written(scope, value)
            if not (isinstance(expr, gast.Name) and expr.id == id):
                pairs.append((id, expr))
        if len(pairs) < 2:
            return [assignment(target(id), expr) for id, expr in pairs]
        return [unpack([id for id, _ in pairs], sequence(expr for _, expr in pairs))]

    def _name_results(self) -> None:
        scope, exit_condition = self.scope, self.function.exit_condition
        carried, last, _, _ = self.function.results(self.node.results)
        # A test that comes last comes before these have their names again; else a state
        # has gone on from what stays of it.
        is_late = exit_condition is not None and exit_condition.is_last
        sources = self.carried if is_late else self.states
        for value, source in zip(carried, sources, strict=True):
            stays = self.stays.get(source) if is_late else None
            scope.known[value] = stays or written(scope, source)
        for value, source in zip(last, self.last, strict=True):
            scope.known[value] = self.stays.get(source) or written(scope, source)
        # What is carried, and wanted of the last iteration, is two results of one name.
        ends = [*self.carried, *self.last]
        self.outer.lent |= {
            value
            for value, end in zip((*carried, *last), ends, strict=True)
            if ends.count(end) > 1
        }


def _appended(id: str, expr: gast.expr) -> gast.stmt:
    return gast.Expr(call(attribute(name(id), "append"), [expr]))
