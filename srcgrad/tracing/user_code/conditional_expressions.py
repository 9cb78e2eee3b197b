"""``a if test else b``, and tests with ``and``, ``or`` and ``not``, as calls.

>>> given = lambda text: gast.parse(text).body[0].value
>>> def shown(node):
...     return gast.unparse(node).replace("__srcgrad__.", "")
>>> print(shown(conditional(given("a if t else b"))))
chosen(t, lambda: b, lambda: a)
>>> print(shown(as_test(given("a < b < c and not d"), lambda node: node)))
both(chained(a, 'Lt', b, 'Lt', lambda: c), lambda: negated(d))

What may not be asked for stands in a function: of which both arms may be run.
"""

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.tracing.user_code.copies import capture_call, constant
from srcgrad.tracing.user_code.syntax_trees import placed

NO_PARAMETERS = gast.arguments([], [], None, [], [], None, [])
COMBINED = {gast.And: "both", gast.Or: "either"}


def conditional(node: Any) -> Any:
    """A conditional expression, whose parts are instrumented."""
    arms = _later(node.orelse), _later(node.body)
    return capture_call("chosen", node.test, *arms, at=node)


def as_test(node: Any, visit: Callable[[Any], Any]) -> Any:
    """A test, of plain expressions; ``visit`` instruments its parts."""
    if isinstance(node, gast.BoolOp):
        *others, found = [as_test(value, visit) for value in node.values]
        for other in reversed(others):
            found = capture_call(COMBINED[type(node.op)], other, _later(found), at=node)
        return found
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        return capture_call("negated", as_test(node.operand, visit), at=node)
    is_comparison = isinstance(node, gast.Compare)
    return as_comparison(visit(node)) if is_comparison else visit(node)


def as_comparison(node: Any) -> Any:
    """A comparison that is instrumented, as one in the graph, where it has numbers."""
    if isinstance(node, gast.Compare):
        return _chained(node)
    if isinstance(node, gast.Call) and node.func.attr == "operated":
        symbol, left, right = node.args  # one of which may be a list
        return capture_call("chained", left, symbol, right, at=node)
    return node


def _chained(node: Any) -> Any:
    """``a < b < c``, which looks at ``c`` if the first is true."""
    given = [node.left]
    for number, (op, item) in enumerate(zip(node.ops, node.comparators, strict=True)):
        given += constant(type(op).__name__), _later(item) if number else item
    return capture_call("chained", *given, at=node)


def _later(expression: Any) -> Any:
    return placed(gast.Lambda(NO_PARAMETERS, expression), expression)
