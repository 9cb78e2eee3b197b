"""From graph to syntax tree: what a person would write for it.

>>> import numpy as np
>>> from srcgrad.emit.unparse import unparse
>>> from srcgrad.steps import Location, Node
>>> def array(*shape, name=None): return Value(shape, np.dtype(float), name)
>>> x, W, t, h = array(3, name="x"), array(3, name="W"), array(3), array(3, name="h")
>>> where = Location("loss.py", 6, "h = np.tanh(x * W)")
>>> product = Node(np.multiply, (x, W), out=t, where=where)
>>> tanh = Node(np.tanh, (t,), out=h, where=where)
>>> forward = Graph(inputs=(x, W), nodes=(product, tanh), outputs=(h,))
>>> print(unparse(lower(Partition(forward)).tree), end="")
import numpy as np
<BLANKLINE>
<BLANKLINE>
def forward(x, W):
    # loss.py:6: h = np.tanh(x * W)
    return np.tanh(x * W)
"""

import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import gast

from srcgrad.emit.body import NODE_STATEMENTS, Body
from srcgrad.emit.breaking import WIDTH
from srcgrad.emit.expressions import EXPRESSIONS
from srcgrad.emit.literals import written
from srcgrad.emit.scope import UNUSED, Scope
from srcgrad.emit.syntax import (
    BlankLine,
    constant,
    function,
    name,
    sequence,
    unpack,
)
from srcgrad.emit.unboxed import NEEDED, on_floats
from srcgrad.graph import Graph, Partition, walk
from srcgrad.steps import Node, Value

S = TypeVar("S", bound=Scope)


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module as a syntax tree, and the constants that it has no literals for."""

    tree: gast.Module
    constants: Mapping[str, Any]


# Writes a function that runs before ``forward``, if it is needed.
Before = Callable[[Scope], gast.FunctionDef | None]


def lower(
    partition: Partition,
    header: str = "",
    with_forward: bool = True,
    before: Before | None = None,
    has_spares: bool = False,
) -> Lowered:
    """Write forward and backward of a graph as functions ``forward`` and ``backward``.

    ``with_forward``: or else ``backward`` alone. ``has_spares``: arrays have the same
    shapes in each call, and the next one may work in those of the last (``spares``).
    """
    unboxed = partition.unboxed if with_forward else None
    graphs = _graphs(partition, with_forward)
    if unboxed is not None:
        graphs += _graphs(unboxed, with_forward)
    scope = scope_of(Scope, graphs, () if unboxed is None else NEEDED)
    first = None if before is None else before(scope)
    defined = [] if first is None else [first]
    if unboxed is not None:
        written_for = zip(
            _functions(scope, unboxed, with_forward),
            _graphs(unboxed, with_forward),
            strict=True,
        )
        defined += [on_floats(scope, *each) for each in written_for]
        scope.start_anew()
    scope.has_spares = has_spares
    defined += _functions(scope, partition, with_forward)
    sections = [_docstring(header), *imports_of(scope.imports), scope.statements]
    body = [*apart(filter(None, sections)), *defined]
    return Lowered(gast.Module(body, []), scope.injected)


def scope_of(
    kind: type[S], graphs: Sequence[Graph], needed: Iterable[Callable[..., Any]] = ()
) -> S:
    """The module around the functions of some graphs, before any is written.

    ``needed`` are further functions that will be called by name.
    """
    nodes = [step for graph in graphs for step in walk(graph) if type(step) is Node]
    functions = {node.function: node for node in nodes}
    bodies = [body for node in functions.values() for body in node.bodies]
    arrays = {
        key: array
        for graph in (*graphs, *bodies)
        for key, array in graph.constants.items()
    }
    own = functions - EXPRESSIONS.keys() - NODE_STATEMENTS.keys()
    return kind({*own, *needed}, arrays)


def _graphs(partition: Partition, with_forward: bool) -> list[Graph]:
    forward = [partition.forward] if with_forward else []
    return forward if partition.backward is None else [*forward, partition.backward]


def _functions(
    scope: Scope, partition: Partition, with_forward: bool
) -> list[gast.FunctionDef]:
    found = [forward_function(scope, partition)] if with_forward else []
    if partition.backward is not None:
        found.append(backward_function(scope, partition, partition.backward))
    return found


def _hints(partition: Partition) -> dict[Value, str]:
    """What to call nameless values that go in or out."""
    forward = partition.forward
    hints = dict.fromkeys(forward.outputs, "out")
    hints.update(dict.fromkeys(forward.inputs, "arg"))
    for value, gradient in zip(forward.inputs, partition.gradients, strict=False):
        if gradient is not None:
            hints.setdefault(gradient, f"d{value.name or 'arg'}")
    hints.update(dict.fromkeys(partition.cotangents, "dout"))
    return hints


def forward_function(scope: Scope, partition: Partition) -> gast.FunctionDef:
    """Write the forward half; what ``scope`` knows already is no matter of its own."""
    hints = _hints(partition)
    graph, saved = partition.forward, partition.saved
    scope.stacked.clear()  # the lists of another function
    body = Body(scope, graph, (*graph.outputs, *saved), hints)
    body = body.with_spares() if scope.has_spares else body
    parameters = [body.name(value) for value in graph.inputs]
    body.write(graph.nodes)
    body.leave_spares(0)
    result = body.results(graph.outputs)
    if partition.backward is None:
        body.give_back(result)
    else:
        rest = sequence(written(scope, value) for value in saved)
        body.statements.append(gast.Return(sequence([result, rest])))
    return function("forward", parameters, body.without_the_dead())


def backward_function(
    scope: Scope, partition: Partition, graph: Graph
) -> gast.FunctionDef:
    """Write the backward half."""
    hints = _hints(partition)
    scope.stacked.clear()
    body = Body(scope, graph, graph.outputs, hints)
    body = body.with_spares() if scope.has_spares else body
    parameters = ["saved", *(body.name(value) for value in partition.cotangents)]
    if partition.saved:
        # What is held for a replay alone is not read here.
        is_read = body.users.keys() | body.kept
        names = [body.name(v) if v in is_read else UNUSED for v in partition.saved]
        body.statements.append(unpack(names, name("saved")))
    body.write(graph.nodes)
    body.leave_spares(1)
    body.give_back(body.results(graph.outputs))
    return function("backward", parameters, body.without_the_dead())


def _docstring(header: str) -> list[gast.stmt]:
    """A header as docstring: on one line, or with the closing quotes on their own."""
    width = WIDTH - 2 * len('"""')
    lines: list[str] = []
    for line in header.split("\n"):
        if len(line) > width:
            lines += textwrap.wrap(line, width, break_long_words=False)
        else:
            lines.append(line)
    value = lines[0] if len(lines) == 1 else "\n".join([*lines, ""])
    return [gast.Expr(constant(value))] if header else []


def imports_of(modules: Iterable[str]) -> list[list[gast.stmt]]:
    """Import statements: the standard library's, then the others."""
    standard: list[gast.stmt] = []
    others: list[gast.stmt] = []
    for module in sorted(modules):
        names = [gast.alias(module, "np" if module == "numpy" else None)]
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        (standard if is_standard else others).append(gast.Import(names))
    return [standard, others]


def apart(sections: Iterable[list[gast.stmt]]) -> list[gast.stmt]:
    """Statements with a blank line between one section and the next."""
    statements: list[gast.stmt] = []
    for section in sections:
        statements += [BlankLine(), *section] if statements else section
    return statements
