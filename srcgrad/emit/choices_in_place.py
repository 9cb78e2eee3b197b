"""A choice of a derivative made in an array that nobody else wants: ``np.copyto``.

To get as much memory anew takes longer than to choose, in large arrays.

>>> from srcgrad.steps import Node, Value
>>> f8 = np.dtype(float)
>>> c = Value((200, 200), np.dtype(bool), "c")
>>> g, h = (Value((200, 200), f8, name) for name in "gh")
>>> arrays_to_choose_in(Node(np.where, (c, g, 0.0), out=h, in_backward=True)) == [g]
True
"""

import math
from typing import Any

import gast
import numpy as np

from srcgrad.emit.literals import written
from srcgrad.emit.syntax import call, constant, name
from srcgrad.policy import MANY_CHOSEN
from srcgrad.steps import Node, Step, Value


def arrays_to_choose_in(node: Step) -> list[Value]:
    """The arrays that ``np.where(c, x, y)`` of a derivative may be made in."""
    if type(node) is not Node or node.function is not np.where:
        return []
    out = node.out
    if not node.in_backward or len(node.args) != 3 or type(out) is not Value:
        return []
    condition, x, y = node.args
    is_mask = type(condition) is Value and condition.dtype == np.dtype(bool)
    if not is_mask or out.kind != "array" or math.prod(out.shape) < MANY_CHOSEN:
        return []
    return [each for each in (y, x) if type(each) is Value and _is_like(each, out)]


def _is_like(array: Value, out: Value) -> bool:
    one, other = (array.shape, array.dtype, array.kind), (out.shape, out.dtype, "array")
    return one == other


def _factor(body: Any, x: Any, array: Value) -> float | None:
    """The number that ``x`` is an array times, if that waits to be written."""
    node = body.pending.get(x) if type(x) is Value else None
    if node is None or node.function is not np.multiply or node.kwargs:
        return None
    others = [item for item in node.args if item is not array]
    is_multiple = len(others) == 1 and type(others[0]) is float
    return others[0] if is_multiple and x.dtype == array.dtype else None


def chosen_in_place(body: Any, node: Node) -> None:
    """Write ``np.copyto(x, y, where=condition)``: elsewhere ``x`` stays as it is.

    Or ``np.multiply(x, 0.5, out=x, where=condition)``, for what is shared in a tie.
    ``body`` is a ``Body``, which stands above this.
    """
    array = body.overwriting.sources[node.results[0]]
    condition, x, y = node.args
    factor = _factor(body, x, array) if array is y else None
    scope, own = body.scope, name(body.take_over(array, node))

    def chosen() -> gast.stmt:
        where = written(scope, condition)
        if factor is not None:
            only = {"out": own, "where": where}
            return gast.Expr(
                call(scope.numpy("multiply"), [own, constant(factor)], only)
            )
        where = where if array is y else gast.UnaryOp(gast.Invert(), where)
        value = written(scope, x if array is y else y)
        return gast.Expr(call(scope.numpy("copyto"), [own, value], {"where": where}))

    body.emit(node.where, body.fitted(node, chosen))
