"""What generated code does with Python's floats, and when it leaves that to NumPy.

>>> from srcgrad.emit.one_line import text
>>> from srcgrad.emit.syntax import name
>>> x, y = (Value((), np.dtype(float), kind="float") for _ in range(2))
>>> scope = Scope()
>>> scope.known[x] = name("x")
>>> text(FLOAT_EXPRESSIONS[larger](scope, Node(larger, (x, 0.0), out=y)))
'x if x > 0.0 else 0.0'
"""

import math
import operator
from collections.abc import Callable
from typing import Any, Protocol

import gast
import numpy as np

from srcgrad.emit.literals import indexed, written
from srcgrad.emit.scope import UNUSED, Scope
from srcgrad.emit.syntax import (
    ADD,
    MULT,
    STORE,
    USUB,
    assignment,
    attribute,
    call,
    compare,
    constant,
    operation,
    sequence,
    target,
    unary,
)
from srcgrad.emit.syntax import choice as choice_of
from srcgrad.facts import Operation
from srcgrad.graph import Graph, walk
from srcgrad.policy import MOST_READ, MOST_TERMS
from srcgrad.steps import Location, Node, Step, Value
from srcgrad.unboxing import (
    choice,
    elements,
    finite,
    floats_of,
    is_kept,
    larger,
    listed,
    of_kind,
    row,
    scalars_of,
    sign,
    smaller,
)

# How the name of a function ends that runs on floats, and what it needs around it.
ON_FLOATS = "_on_floats"
NEEDED = (math.isfinite, OverflowError, np.errstate)


def _choice(scope: Scope, node: Node) -> gast.expr:
    test, first, second = (written(scope, arg) for arg in node.args)
    return choice_of(test, first, second)


def _larger(scope: Scope, node: Node) -> gast.expr:
    return _by_size(scope, node, gast.Gt())


def _smaller(scope: Scope, node: Node) -> gast.expr:
    return _by_size(scope, node, gast.Lt())


def _by_size(scope: Scope, node: Node, order: gast.cmpop) -> gast.expr:
    first, second = (written(scope, arg) for arg in node.args)
    return choice_of(compare(first, order, second), first, second)


def _sign(scope: Scope, node: Node) -> gast.expr:
    x = written(scope, node.args[0])
    otherwise = choice_of(x, constant(-1.0), constant(0.0))
    sign = choice_of(compare(x, gast.Gt(), constant(0.0)), constant(1.0), otherwise)
    sign.is_sign = True  # `_product` asks
    return sign


def _product(scope: Scope, node: Node) -> gast.expr:
    """``g if x > 0.0 else -g if x else g * 0.0``: by a sign."""
    g, sign = [written(scope, arg) for arg in node.args]
    if "is_sign" not in sign.__dict__ or not isinstance(g, gast.Name):
        return operation(g, MULT, sign)
    zero = operation(g, MULT, constant(0.0))
    otherwise = choice_of(sign.orelse.test, unary(USUB, g), zero)
    return choice_of(sign.test, g, otherwise)


def _of_kind(scope: Scope, node: Node) -> gast.expr:
    x, is_python = (written(scope, arg) for arg in node.args)
    kinds = scope.reference(float), scope.numpy("float64")
    return choice_of(is_python, *(call(kind, [x]) for kind in kinds))


def _listed(scope: Scope, node: Node) -> gast.expr:
    (x,) = node.args
    expr = written(scope, x)
    return call(attribute(expr, "tolist"), []) if type(x) is Value else expr


def _floats_of(scope: Scope, node: Node) -> gast.expr:
    is_test = node.results[0].dtype == bool
    return _mapped(scope, scope.reference(bool if is_test else float), node)


def _scalars_of(scope: Scope, node: Node) -> gast.expr:
    is_test = node.results[0].dtype == bool
    return _mapped(scope, scope.numpy("bool_" if is_test else "float64"), node)


def _mapped(scope: Scope, function: gast.expr, node: Node) -> gast.expr:
    items = call(scope.reference(map), [function, written(scope, node.args[0])])
    return call(scope.reference(list), [items])


FLOAT_EXPRESSIONS: dict[Operation, Callable[[Scope, Node], gast.expr | None]] = {
    choice: _choice,
    larger: _larger,
    smaller: _smaller,
    sign: _sign,
    operator.mul: _product,
    of_kind: _of_kind,
    listed: _listed,
    row: _listed,
    floats_of: _floats_of,
    scalars_of: _scalars_of,
}


# What gives a value in another form: outside, and as Python's floats.
BORDER = frozenset(
    {
        *(float, bool, np.float64, np.bool_, np.array, of_kind),
        *(listed, row, floats_of, scalars_of),
    }
)


class Statements(Protocol):
    """What is needed here of the body of a function."""

    scope: Scope

    def result(self, value: Value, node: Node) -> str:
        """The name of a result."""

    def emit(self, where: Location | None, *statements: gast.stmt) -> None:
        """Add statements."""


def _take_apart(body: Statements, node: Node, outs: tuple[Value, ...]) -> None:
    """``(a, b), (c, d) = x.tolist()``."""
    (x,) = node.inputs
    found = [body.result(value, node) for value in outs]
    used = [position for position, name in enumerate(found) if name != UNUSED]
    if x.kind == "floats" and len(used) <= MOST_READ < len(outs):
        for position in used:
            item = written(body.scope, x)
            for index in np.unravel_index(position, x.shape):
                item = indexed(body.scope, item, int(index))
            body.emit(node.where, assignment(target(found[position]), item))
        return
    names = iter(found)

    def targets(shape: tuple[int, ...]) -> gast.expr:
        if not shape:
            return target(next(names))
        return gast.Tuple([targets(shape[1:]) for _ in range(shape[0])], STORE)

    expr = written(body.scope, x)
    if x.kind != "floats":
        expr = call(attribute(expr, "tolist"), [])
    body.emit(node.where, assignment(targets(x.shape), expr))


def _look_at(body: Statements, node: Node, out: object) -> None:
    """Raise, if one of some numbers, and so their sum, is inf or nan."""
    scope = body.scope
    lists = [value for value in node.inputs if value.kind == "floats"]
    terms = [written(scope, value) for value in node.inputs if value not in lists]
    if len(terms) > MOST_TERMS:
        terms = [call(scope.reference(sum), [sequence(terms)])]
    terms += [call(scope.reference(sum), [written(scope, value)]) for value in lists]
    total, *rest = terms
    for term in rest:
        total = operation(total, ADD, term)
    test = call(scope.reference(math.isfinite), [total])
    failed = gast.Raise(scope.reference(OverflowError), None)
    body.emit(None, gast.If(gast.UnaryOp(gast.Not(), test), [failed], []))


FLOAT_STATEMENTS: dict[Any, Callable[[Any, Node, Any], None]] = {
    elements: _take_apart,
    finite: _look_at,
}


def on_floats(
    scope: Scope, function: gast.FunctionDef, graph: Graph
) -> gast.FunctionDef:
    """A function under the name, and with the docstring, of one that runs on floats.

    What it asks NumPy for raises, too, where NumPy has something to say.
    """
    instead = function.name
    function.name += ON_FLOATS
    if any(map(_asks_numpy, walk(graph))):
        errors = {kind: constant("raise") for kind in ("divide", "over", "invalid")}
        raising = call(scope.reference(np.errstate), [], errors)
        function.body = [gast.With([gast.withitem(raising, None)], function.body, None)]
    text = f"On Python's floats; where one of these raises, `{instead}` runs."
    function.body.insert(0, gast.Expr(constant(text)))
    return function


def _asks_numpy(step: Step) -> bool:
    function = step.function if type(step) is Node else None
    return isinstance(function, np.ufunc) and not is_kept(function)
