"""From graph to syntax tree: what a person would write for it.

>>> import numpy as np
>>> from srcgrad.emit.unparse import unparse
>>> from srcgrad.graph import Location
>>> def array(*shape, name=None): return Value(shape, np.dtype(float), name)
>>> x, W, t, h = array(3, name="x"), array(3, name="W"), array(3), array(3, name="h")
>>> where = Location("loss.py", 6, "h = np.tanh(x * W)")
>>> product = Node(np.multiply, (x, W), out=t, where=where)
>>> tanh = Node(np.tanh, (t,), out=h, where=where)
>>> forward = Graph(inputs=(x, W), nodes=(product, tanh), outputs=(h,))
>>> print(unparse(lower(forward, None, ()).tree), end="")
import numpy as np
<BLANKLINE>
<BLANKLINE>
def forward(x, W):
    # loss.py:6: h = np.tanh(x * W)
    return np.tanh(x * W)
"""

import builtins
import operator
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

import gast
import numpy as np

from srcgrad.emit.breaking import INDENT, WIDTH
from srcgrad.emit.calls import FORMS, computed, is_pure
from srcgrad.emit.checks import missed, place, reason
from srcgrad.emit.flat import text
from srcgrad.emit.literals import indexed, written
from srcgrad.emit.scope import UNUSED, Scope
from srcgrad.emit.syntax import (
    STORE,
    BlankLine,
    Comment,
    assign,
    attribute,
    call,
    constant,
    function,
    name,
    sequence,
    target,
    unpack,
)
from srcgrad.graph import Graph, Location, Node, Value
from srcgrad.guards import expect
from srcgrad.updates import assign as update
from srcgrad.updates import is_basic, scatter

T = TypeVar("T")

BUILTINS = frozenset(vars(builtins))

# What a nameless result is called, where that is not after its function.
HINTS = {operator.getitem: "part", update: "updated", scatter: "scattered"}


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module as a syntax tree, and the constants that it has no literals for."""

    tree: gast.Module
    constants: Mapping[str, Any]


def lower(
    forward: Graph, backward: Graph | None, saved: Sequence[Value], header: str = ""
) -> Lowered:
    """Write both halves of a graph as functions ``forward`` and ``backward``.

    ``saved`` goes from one to the other, in order.
    """
    halves = [forward] if backward is None else [forward, backward]
    nodes = chain.from_iterable(half.nodes for half in halves)
    arrays = {key: array for half in halves for key, array in half.constants.items()}
    functions = {node.function for node in nodes}
    scope = Scope(functions - FORMS.keys() - STATEMENTS.keys() - {expect}, arrays)
    hints = _hints(forward, backward)
    defined = [_forward(scope, forward, saved, backward is not None, hints)]
    if backward is not None:
        defined.append(_backward(scope, backward, saved, hints))
    sections = [_docstring(header), *_imports(scope.imports), scope.statements]
    body = [*_apart(filter(None, sections)), *defined]
    return Lowered(gast.Module(body, []), scope.injected)


def _hints(forward: Graph, backward: Graph | None) -> dict[Value, str]:
    """What to call nameless values that go in or out."""
    hints = dict.fromkeys(forward.outputs, "out")
    hints.update(dict.fromkeys(forward.inputs, "arg"))
    if backward is not None:
        for value, gradient in zip(forward.inputs, backward.gradients, strict=False):
            if gradient is not None:
                hints.setdefault(gradient, f"d{value.name or 'arg'}")
        hints.update(dict.fromkeys(backward.cotangents, "dout"))
    return hints


def _forward(
    scope: Scope,
    graph: Graph,
    saved: Sequence[Value],
    saves: bool,
    hints: dict[Value, str],
) -> gast.FunctionDef:
    body = _Body(scope, graph, (*graph.outputs, *saved), hints)
    parameters = [body.name(value) for value in graph.inputs]
    body.write(graph.nodes)
    result = body.results(graph.outputs)
    if saves:
        rest = sequence(written(scope, value) for value in saved)
        body.statements.append(gast.Return(sequence([result, rest])))
    else:
        body.give_back(result)
    return function("forward", parameters, body.statements)


def _backward(
    scope: Scope, graph: Graph, saved: Sequence[Value], hints: dict[Value, str]
) -> gast.FunctionDef:
    gradients = [gradient for gradient in graph.gradients if gradient is not None]
    body = _Body(scope, graph, gradients, hints)
    parameters = ["saved", *(body.name(value) for value in graph.cotangents)]
    if saved:
        names = [body.name(value) for value in saved]
        body.statements.append(unpack(names, name("saved")))
    body.write(graph.nodes)
    body.give_back(body.results(gradients))
    return function("backward", parameters, body.statements)


class _Body:
    """The statements of one function, as they come together.

    A value that has no name, and is used once, by a later node of the same line, waits
    in ``pending`` and is written where it is used. Only pure calls wait, so it does not
    matter what they move past.
    """

    def __init__(
        self, scope: Scope, graph: Graph, kept: Iterable[Value], hints: dict[Value, str]
    ) -> None:
        self.scope = scope
        self.statements: list[gast.stmt] = []
        self.hints = hints
        self.kept = frozenset(kept)
        self.users = _only_users(graph)
        self.pending: dict[Value, Node] = {}
        self.where: Location | None = None

    def write(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node.out is None:
                self._check(node)
            elif node.function in STATEMENTS and isinstance(node.out, Value):
                STATEMENTS[node.function](self, node, node.out)
            else:
                self._compute(node)

    def name(self, value: Value, function: Any = None) -> str:
        """The name of a value, after its hint or the function that makes it."""
        id = self.scope.names.name(value, self._hint(value, function))
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

    def _check(self, node: Node) -> None:
        test = self._fitted(node, len("if :"), lambda: missed(self.scope, node))
        body = [gast.Return(constant(reason(node)))]
        self._emit(node.where, gast.If(test, body, []))

    def _compute(self, node: Node) -> None:
        if "out" in node.kwargs:  # it changes an array that the others may read
            for value in [*self.pending]:
                self._settle(value)
        start = 0
        if isinstance(node.out, Value):
            start = len(self._hint(node.out, node.function)) + len("_1 = ")
        expr = self._fitted(node, start, lambda: computed(self.scope, node))
        if isinstance(node.out, Value) and self._waits(node, node.out):
            self.scope.known[node.out] = expr
            self.pending[node.out] = node
        else:
            self._define(node, expr)

    def _waits(self, node: Node, out: Value) -> bool:
        """Whether a node is written where its result is used."""
        user = self.users.get(out)
        return (
            user is not None
            and out.name is None
            and out not in self.kept
            and (user.where is node.where or user.where == node.where)
            and is_pure(self.scope, node.function)
        )

    def _fitted(self, node: Node, start: int, build: Callable[[], T]) -> T:
        """Build an expression; if it is too long, parts of it become statements."""
        expr = build()
        if not self.pending:
            return expr
        waiting = {value for value in node.inputs if value in self.pending}
        room = WIDTH - INDENT - start
        while waiting and len(text(expr)) > room:
            widest = max(waiting, key=lambda value: len(text(self.scope.known[value])))
            waiting.remove(widest)
            self._settle(widest)
            expr = build()
        for value in waiting:
            del self.pending[value]
        return expr

    def _settle(self, value: Value) -> None:
        """Give a waiting value a statement of its own."""
        self._define(self.pending.pop(value), self.scope.known[value])

    def _define(self, node: Node, expr: gast.expr) -> None:
        out = node.out
        if isinstance(out, tuple):
            names = [self._result(value, node) for value in out]
            self._emit(node.where, unpack(names, expr))
        elif out is not None and self._is_used(out):
            self._emit(node.where, assign(target(self._result(out, node)), expr))
        else:
            self._emit(node.where, gast.Expr(expr))

    def _result(self, value: Value, node: Node) -> str:
        return self.name(value, node.function) if self._is_used(value) else UNUSED

    def _is_used(self, value: Value) -> bool:
        return value in self.users or value in self.kept

    def _hint(self, value: Value, function: Any) -> str:
        if value.name not in (None, UNUSED):
            return str(value.name)
        hint = self.hints.get(value) or HINTS.get(function)
        if hint is None:
            hint = str(getattr(function, "__name__", "value"))
            if hint in BUILTINS:  # what is called after its function hides no builtin
                self.scope.claim(hint)
        return hint

    def _emit(self, where: Location | None, *statements: gast.stmt) -> None:
        """Add statements, after a comment if the user's line is another one."""
        if where is not None and where is not self.where and where != self.where:
            if self.statements:
                self.statements.append(BlankLine())
            self.statements.append(Comment(_quoted(where)))
            self.where = where
        self.statements.extend(statements)

    def _update(self, node: Node, out: Value) -> None:
        """``y = x.copy()``, then ``y[index] = value``."""
        x, index, value = node.args
        scope, y = self.scope, self.name(out, node.function)
        put = self._fitted(
            node, 0, lambda: _store(scope, name(y), index, written(scope, value))
        )
        if isinstance(x, Value) and x.kind != "array":
            copy = call(scope.numpy("array"), [written(scope, x)])
        else:
            copy = call(attribute(written(scope, x), "copy"), [])
        self._emit(node.where, assign(target(y), copy), put)

    def _scatter(self, node: Node, out: Value) -> None:
        """``dx = np.zeros(shape)``, then ``dx[index] = g``; what repeats adds up."""
        g, index, shape = node.args
        scope, dx = self.scope, self.name(out, node.function)

        def put() -> gast.stmt:
            if is_basic(index):
                return _store(scope, name(dx), index, written(scope, g))
            at = attribute(scope.numpy("add"), "at")
            args = (name(dx), written(scope, index), written(scope, g))
            return gast.Expr(call(at, args))

        added = self._fitted(node, 0, put)
        size = shape[0] if len(shape) == 1 else shape
        kind = {} if out.dtype == np.float64 else {"dtype": written(scope, out.dtype)}
        zeros = call(scope.numpy("zeros"), [written(scope, size)], kind)
        self._emit(node.where, assign(target(dx), zeros), added)


STATEMENTS: dict[Any, Callable[[_Body, Node, Value], None]] = {
    update: _Body._update,
    scatter: _Body._scatter,
}


def _store(scope: Scope, array: gast.expr, index: Any, value: gast.expr) -> gast.Assign:
    where = indexed(scope, array, index)
    return assign(gast.Subscript(where.value, where.slice, STORE), value)


def _only_users(graph: Graph) -> dict[Value, Node | None]:
    """For each value that is used: the node that uses it, None if more than once."""
    users: dict[Value, Node | None] = {}
    for node in graph.nodes:
        for value in node.inputs:
            users[value] = None if value in users else node
    return users


def _quoted(where: Location) -> str:
    """A line of the user's source, as long as a comment may be."""
    line = where.text.strip().partition("\n")[0]
    comment = f"{place(where)}{line}" if line else place(where)[: -len(": ")]
    room = WIDTH - INDENT - len("# ")
    return comment if len(comment) <= room else f"{comment[: room - 4]} ..."


def _docstring(header: str) -> list[gast.stmt]:
    """A header as docstring: on one line, or with the closing quotes on their own."""
    width = WIDTH - 2 * len('"""')
    lines = [
        part
        for line in header.split("\n")
        for part in textwrap.wrap(line, width, break_long_words=False) or [""]
    ]
    value = lines[0] if len(lines) == 1 else "\n".join([*lines, ""])
    return [gast.Expr(constant(value))] if header else []


def _imports(modules: Iterable[str]) -> list[list[gast.stmt]]:
    """Import statements: the standard library's, then the others."""
    standard: list[gast.stmt] = []
    others: list[gast.stmt] = []
    for module in sorted(modules):
        names = [gast.alias(module, "np" if module == "numpy" else None)]
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        (standard if is_standard else others).append(gast.Import(names))
    return [standard, others]


def _apart(sections: Iterable[list[gast.stmt]]) -> list[gast.stmt]:
    """Statements with a blank line between one section and the next."""
    statements: list[gast.stmt] = []
    for section in sections:
        statements += [BlankLine(), *section] if statements else section
    return statements
