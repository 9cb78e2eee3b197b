"""The loops and branches of the program, in a kernel.

What a loop keeps of each iteration is an array with an axis more, made before it; where
the count is known in the end only, it grows.
"""

import operator
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from srcgrad.emit.checks import reason
from srcgrad.emit.literals import written
from srcgrad.emit.syntax import (
    ADD,
    MULT,
    assignment,
    call,
    compare,
    constant,
    integer,
    loop,
    name,
    sequence,
    subscript,
    target,
    unpack,
)
from srcgrad.graph import Graph, walk
from srcgrad.loops import owned_states
from srcgrad.native.elements import BOOL, INT, UnsupportedError, check_dtypes
from srcgrad.native.numbers import converted
from srcgrad.native.small_arrays import elements_of, is_small, named
from srcgrad.native.statements import empty, stored
from srcgrad.steps import Node, Value, values_in
from srcgrad.updates import UPDATES, scatter

# So many items a list has at first that grows.
AT_FIRST = 64


def write_branch(body: Any, node: Node) -> None:
    """Add ``if test: ... else: ...``."""
    test, *given = node.args
    arms = []
    places = [Place(body, value, is_small(value)) for value in node.results]
    body.emit(node.where)
    for arm in node.bodies:
        check_dtypes((*arm.inputs, *arm.outputs))
        _bind(body, arm.inputs, given)
        inner = type(body)(body.kernel, arm)
        inner.write(arm.nodes)
        pairs = zip(places, arm.outputs, strict=True)
        found = [pair for place, value in pairs for pair in place.pairs(inner, value)]
        inner.emit(None, *assigned(found))
        arms.append(inner.statements or [gast.Pass()])
    body.emit(None, gast.If(converted(body.scope, test, BOOL), *arms))
    for place, result in zip(places, node.results, strict=True):
        place.gives(result)
    body.where = None


class Place:
    """The variables of one value that gets another one again and again.

    Of a small array each element has its own, if it ``is_apart``.
    """

    def __init__(self, body: Any, value: Value, is_apart: bool) -> None:
        self._body, self._dtype = body, value.dtype
        self.is_apart = is_apart
        id = body.fresh(value)
        self._ids: Any = np.array(id, object)
        if is_apart:
            ids = [
                body.scope.names.fresh("_".join([id, *map(str, place)]))
                for place in np.ndindex(value.shape)
            ]
            self._ids = np.reshape(np.array(ids, object), value.shape)

    def pairs(self, body: Any, value: Value) -> list[tuple[str, gast.expr]]:
        """Which variable is to get what, if a value comes to be here."""
        if self.is_apart:
            exprs = body.elements(value).reshape(-1)
            return [*zip(self._ids.reshape(-1), exprs, strict=True)]
        if value.kind == "list":
            expr = body.array(value)
        elif value.shape:
            expr = body.row_by_row(value)
        else:
            expr = converted(body.scope, value, self._dtype)
        return [(self._ids[()], expr)]

    def begins(self, item: Any, is_written: bool) -> None:
        """It begins with something."""
        body = self._body
        if is_written and type(item) is Value and not self.is_apart:
            body.emit(None, assignment(target(self._ids[()]), body.copied(item)))
        elif type(item) is Value:
            for id, expr in self.pairs(body, item):
                body.emit(None, assignment(target(id), expr))
        else:
            expr = converted(body.scope, item, self._dtype)
            body.emit(None, assignment(target(self._ids[()]), expr))

    def holds(self, value: Value) -> None:
        """A value of the graph is what is here now."""
        body = self._body
        if self.is_apart:
            elements = [name(id) for id in self._ids.reshape(-1)]
            found = np.empty(len(elements), object)
            found[:] = elements
            body.kernel.holds(value, elements=found.reshape(self._ids.shape))
            return
        body.kernel.holds(value, name(self._ids[()]), bool(value.shape))

    def gives(self, result: Value) -> None:
        """The same of a result, which is in the end what is here."""
        self.holds(result)
        if self.is_apart or (result.kind != "list" and not result.shape):
            self._body.hold_unread(result, map(name, self._ids.reshape(-1)))


def assigned(pairs: Sequence[tuple[str, gast.expr]]) -> list[gast.stmt]:
    """``a, b = b, a + b``, for what has not the right name yet."""
    pairs = [(id, expr) for id, expr in pairs if not _is_named(expr, id)]
    if len(pairs) < 2:
        return [assignment(target(id), expr) for id, expr in pairs]
    exprs = sequence([expr for _, expr in pairs])
    return [unpack([id for id, _ in pairs], exprs)]


def _indexed(graph: Graph) -> set[tuple[int, ...]]:
    """The shapes of what a graph has elements of by numbers that change."""
    return {
        step.inputs[0].shape
        for step in walk(graph)
        if type(step) is Node
        and step.function in (operator.getitem, *UPDATES, scatter)
        and values_in(step.args[1])
        and step.inputs
    }


def _bind(body: Any, parameters: Sequence[Value], given: Sequence[Any]) -> None:
    """Have parameters stand for what they get."""
    for parameter, item in zip(parameters, given, strict=True):
        is_array = parameter.shape or parameter.kind == "list"
        if type(item) is not Value and is_array:
            raise UnsupportedError("a constant array as an argument")
        if type(item) is Value and is_small(parameter):
            elements = body.elements(item)
            is_row_by_row = item in body.kernel.contiguous
            known = body.scope.known.get(item)
            body.kernel.holds(parameter, known, is_row_by_row, elements)
        elif type(item) is Value and is_array:
            expr, axes = body.array(item), body.kernel.axes.get(item)
            body.kernel.holds(parameter, expr, item in body.kernel.contiguous)
            if axes is not None:
                body.kernel.axes[parameter] = axes
        else:
            expr = converted(body.scope, item, parameter.dtype)
            if not isinstance(expr, (gast.Name, gast.Constant)):
                id = body.fresh(parameter)
                body.emit(None, assignment(target(id), expr))
                expr = name(id)
            body.kernel.holds(parameter, expr)
        body.kernel.bits.share(item, parameter)


def write_loop(body: Any, node: Node) -> None:
    """Add a ``for`` or a ``while``."""
    LoopWriter(body, node).write()


class LoopWriter:
    """Writes one loop into the statements of a body."""

    def __init__(self, body: Any, node: Node) -> None:
        loop: Any = node.function
        self.outer, self.node, self.loop = body, node, loop
        self.scope, self.kernel = body.scope, body.kernel
        self.indices, self.items, self.states, self.consts = loop.parameters()
        self.carried, self.last, self.ys, self.lists = loop.computed()
        self.xs, self.first, self.given = loop.given(node.args)
        self.inner = type(body)(body.kernel, loop.body, owned_states(loop))
        self.inner.is_loop = True
        self.number = self.scope.names.fresh(self._hint())
        # The arrays of what is kept, by what of the body's outputs that is.
        self.kept: list[tuple[Value, str]] = []
        self.indexed = _indexed(loop.body)
        self.places: list[Place] = []
        self.lasts: list[Place] = []

    def _hint(self) -> str:
        named = next(iter(self.indices), None)
        return (named.name if named is not None and named.name else None) or "k"

    @property
    def grows(self) -> bool:
        """Whether the count is known in the end only."""
        return self.loop.exit_condition is not None and not self.loop.is_reversed

    def write(self) -> None:
        """Add the statements."""
        check_dtypes((*self.loop.body.inputs, *self.loop.body.outputs))
        self.outer.emit(self.node.where)
        count = self._count()
        _bind(self.outer, self.consts, self.given)
        for state, item in zip(self.states, self.first, strict=True):
            self._begin(state, item)
        for index in self.indices:
            self.kernel.bits.index(index)
        self.lasts = [
            Place(self.outer, value, self._is_apart(value)) for value in self.last
        ]
        sequences = [*map(self._sequence, self.items, self.xs)]
        self._number_indices()
        for item, array, items in zip(self.items, sequences, self.xs, strict=True):
            self._take(item, array, items)
        if self.grows:
            self._until(count)
        else:
            self.inner.write(self.loop.body.nodes)
            self._keep(count)
            statements = self._ends()
            over = self._numbers(count)
            self.outer.emit(None, loop(target(self.number), over, statements))
        self._name_results()
        self.outer.where = None

    # ----- Before it -----

    def _count(self) -> gast.expr:
        lists = [item for item in self.xs if type(item) is Value]
        if self.loop.exit_condition is None or not self.loop.is_reversed:
            return constant(self.loop.count)
        return self.kernel.axes[lists[0]][0]

    def _numbers(self, count: gast.expr) -> gast.expr:
        if not self.loop.is_reversed:
            return call(name("range"), [count])
        last: gast.expr = gast.BinOp(count, gast.Sub(), constant(1))
        if isinstance(count, gast.Constant):
            last = integer(count.value - 1)
        minus = gast.UnaryOp(gast.USub(), constant(1))
        return call(name("range"), [last, minus, minus])

    def _begin(self, state: Value, item: Any) -> None:
        """Give what is carried its first value."""
        if state.dtype == INT:
            raise UnsupportedError("a whole number that a loop changes is Python's")
        if state.kind not in ("array", "scalar", "float"):
            raise UnsupportedError("a list that a loop carries is left to NumPy")
        if state.shape and type(item) is not Value:
            raise UnsupportedError("a constant array that a loop begins with")
        place = Place(self.outer, state, self._is_apart(state))
        place.begins(item, state in self.inner.overwriting.successors)
        place.holds(state)
        self.places.append(place)

    def _is_apart(self, value: Value) -> bool:
        return is_small(value) and value.shape not in self.indexed

    def _keep(self, count: gast.expr) -> None:
        """The arrays of what is kept of each iteration."""
        results = self.loop.results(self.node.results)
        for value, items in zip(self.ys, self.loop.items_of(results[2]), strict=True):
            id = self._empty(value, count)
            for number, item in enumerate(items):
                expr = subscript(name(id), constant(number))
                self.kernel.holds(item, expr, bool(item.shape))
        for value, whole in zip(self.lists, results[3], strict=True):
            self.kernel.holds(whole, name(self._empty(value, count, whole)))
            own = name(self.number) if self.grows else count
            self.kernel.axes[whole] = (own, *self._axes(value))

    def _empty(self, value: Value, count: gast.expr, whole: Value | None = None) -> str:
        first = constant(AT_FIRST) if self.grows else count
        shape = first, *self._axes(value), *value.shape
        hint: str = self.outer.fresh(value if whole is None else whole)
        made = empty(self.scope, shape, value.dtype)
        self.outer.emit(None, assignment(target(hint), made))
        self.kept.append((value, hint))
        return hint

    def _axes(self, value: Value) -> tuple[gast.expr, ...]:
        """The axes of a list that one item is."""
        if value.kind != "list":
            return ()
        axes: tuple[gast.expr, ...] = self.kernel.axes[value]
        if not all(isinstance(axis, gast.Constant) for axis in axes):
            raise UnsupportedError("lists of several lengths are left to NumPy")
        return axes

    def _sequence(self, item: Value, items: Any) -> gast.expr:
        """What is gone along, as an array with an axis more."""
        if type(items) is Value:
            return self.outer.array(items)
        if not any(type(each) is Value for each in items):
            return self.kernel.constant(np.array(items, item.dtype))
        if len(items) > AT_FIRST and item.shape:
            raise UnsupportedError("so many arrays to go along are left to NumPy")
        id = self.outer.fresh(item)
        made = empty(self.scope, (len(items), *item.shape), item.dtype)
        self.outer.emit(None, assignment(target(id), made))
        for number, each in enumerate(items):
            is_array = type(each) is Value and each.shape
            read = self.outer.array(each) if is_array else written(self.scope, each)
            self.outer.emit(None, stored(name(id), [number], read))
        return name(id)

    # ----- In an iteration -----

    def _number_indices(self) -> None:
        for index, (start, step) in zip(self.indices, self.loop.indices, strict=True):
            expr: gast.expr = name(self.number)
            if step != 1:
                expr = gast.BinOp(integer(step), MULT, expr)
            if start:
                expr = gast.BinOp(integer(start), ADD, expr)
            if not isinstance(expr, gast.Name):
                id = self.inner.fresh(index)
                self.inner.emit(None, assignment(target(id), expr))
                expr = name(id)
            self.kernel.holds(index, expr)

    def _take(self, item: Value, array: gast.expr, items: Any) -> None:
        """One item of what is gone along."""
        id = self.inner.fresh(item)
        if is_small(item):
            read = elements_of(array, item.shape, name(self.number))
            self.kernel.holds(item, elements=named(self.inner, id, read))
            return
        read = subscript(array, name(self.number))
        self.inner.emit(None, assignment(target(id), read))
        self.kernel.holds(item, name(id), bool(item.shape))
        if item.dtype == INT:
            self.kernel.bits.index(item)
        if item.kind == "list":
            axes = self.kernel.axes.get(items, ())[1:]
            if not axes:
                raise UnsupportedError("lists of lists that NumPy has made")
            self.kernel.axes[item] = axes

    def _ends(self) -> list[gast.stmt]:
        """What an iteration keeps, and carries on."""
        statements: list[gast.stmt] = []
        for value, id in self.kept:
            if self.grows:
                full = compare(
                    name(self.number), gast.Eq(), call(name("len"), [name(id)])
                )
                grown = call(name(self.kernel.prelude("grown")), [name(id)])
                statements.append(gast.If(full, [assignment(target(id), grown)], []))
            statements += self._stored(value, id)
        for group, values in ((self.lasts, self.last), (self.places, self.carried)):
            pairs = zip(group, values, strict=True)
            found = [p for place, v in pairs for p in place.pairs(self.inner, v)]
            statements += assigned(found)
        return [*self._materialized(), *statements]

    def _stored(self, value: Value, id: str) -> list[gast.stmt]:
        """Keep an item: an array, or what its elements are."""
        if is_small(value):
            exprs = self.inner.elements(value)
            return [
                stored(name(id), [name(self.number), *place], exprs[place])
                for place in np.ndindex(value.shape)
            ]
        kept = output_of(self.inner, value)
        return [stored(name(id), [name(self.number)], kept)]

    def _materialized(self) -> list[gast.stmt]:
        """What the body has come to add while its ends were written."""
        statements: list[gast.stmt] = self.inner.statements
        self.inner.statements = []
        return statements

    def _until(self, count: gast.expr) -> None:
        """The loop that a test ends."""
        nodes, test, condition = (
            self.loop.body.nodes,
            self.loop.test,
            self.loop.exit_condition,
        )
        if test is None or condition is None:
            raise UnsupportedError("a loop without a test of its own is left to NumPy")
        position = nodes.index(test)
        self.inner.write(nodes[:position])
        more = gast.AugAssign(target(self.number), ADD, constant(1))
        fails = self.inner.test(test)
        if condition.is_last:
            id = self.scope.names.fresh("is_over")
            self.inner.emit(test.where, assignment(target(id), fails))
            self.inner.write(nodes[position + 1 :])
            self._keep(count)
            leaves = gast.If(name(id), [gast.Break()], [])
            rest = [*self._ends(), more, leaves]
        else:
            self.inner.emit(test.where, gast.If(fails, [gast.Break()], []))
            self.inner.write(nodes[position + 1 :])
            self._keep(count)
            rest = [*self._ends(), more]
        statements = rest
        self.outer.emit(None, assignment(target(self.number), constant(0)))
        if condition.most is None:
            statement: gast.stmt = gast.While(constant(True), statements, [])
        else:
            error = call(name("ValueError"), [constant(reason(test))])
            otherwise = [] if condition.stops else [gast.Raise(error, None)]
            numbers = call(name("range"), [constant(condition.most)])
            statement = gast.For(target("_"), numbers, statements, otherwise, None)
        self.outer.emit(None, statement)

    # ----- After it -----

    def _name_results(self) -> None:
        carried, last, _, _ = self.loop.results(self.node.results)
        places = *self.places, *self.lasts
        for place, value in zip(places, (*carried, *last), strict=True):
            place.gives(value)


def output_of(body: Any, value: Value) -> gast.expr:
    """What a loop or a kernel gives."""
    if value.kind == "list":
        return body.array(value)
    if value.shape:
        return body.row_by_row(value)
    return converted(body.scope, value, value.dtype)


def list_of(body: Any, value: Value) -> gast.expr:
    """The items of a list that a kernel gives, as an array; that may have more room."""
    (count,) = body.kernel.axes[value][:1]
    if len(body.kernel.axes[value]) > 1:
        raise UnsupportedError("lists of lists are no result of a kernel")
    items = subscript(body.array(value), gast.Slice(None, count, None))
    return call(body.scope.numpy("ascontiguousarray"), [items])


def _is_named(expr: gast.expr, id: str) -> bool:
    return isinstance(expr, gast.Name) and expr.id == id
