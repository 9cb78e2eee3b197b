"""What a transform makes of what generated code gives, as an expression.

``Found.pack`` knows kinds and shapes, and no values. So what it makes of some arrays
and numbers tells what it makes of all others: most often it puts them in their places.

>>> x, dx = Value((), np.dtype(float), "x", "float"), Value((2,), np.dtype(float), "dx")
>>> written(lambda result, derived: (result, {"x": derived[0]}), "out", [dx], ["dx"])
"(out, {'x': dx})"

A NumPy scalar that it makes a Python float of may be one in the graph already: on
floats, there is nothing to be made then.

>>> dx = Value((), np.dtype(float), "dx", "scalar")
>>> graph = Graph((x,), (Node(np.sin, (x,), out=dx),), (dx,))
>>> print(with_floats(graph, lambda result, derived: float(derived[0]), 0))
dx = sin(x)
dx_1 = float(dx)
return dx_1
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.pytree import flatten
from srcgrad.steps import Node, Value

Pack = Callable[[Any, Any], Any]


class _OtherError(Exception):
    """It makes something of what it is given."""


def written(
    pack: Pack, result: str, derived: Sequence[Value], names: Sequence[str]
) -> str | None:
    """What it makes of a result, and of Values, by name; None if that is no matter of
    places.
    """
    given = [_RESULT, *map(_example, derived, range(len(derived)))]
    pairs = list(zip((result, *names), given, strict=True))

    def expression(found: Any) -> str:
        for name, example in pairs:
            if found is example or _is_same(found, example):
                return name
        if found is None:
            return "None"
        if type(found) is tuple:
            return f"({', '.join(map(expression, found))}{',' * (len(found) == 1)})"
        if type(found) is list:
            return f"[{', '.join(map(expression, found))}]"
        if type(found) is dict and all(type(key) is str for key in found):
            items = (f"{key!r}: {expression(item)}" for key, item in found.items())
            return f"{{{', '.join(items)}}}"
        raise _OtherError

    try:
        return expression(pack(_RESULT, given[1:]))
    except Exception:
        return None  # it will be called, and may raise its error there


def with_floats(graph: Graph, pack: Pack, count: int) -> Graph:
    """Let those outputs be floats that it makes floats of; the first are the result."""
    derived = graph.outputs[count:]
    examples = [*map(_example, derived, range(len(derived)))]
    try:
        leaves = flatten(pack(_RESULT, examples))[0]
    except Exception:
        return graph  # as above
    made = {
        value: replace(value, kind="float")
        for value, example in zip(derived, examples, strict=True)
        if value.kind == "scalar" and _becomes_float(example, leaves)
    }
    if not made:
        return graph
    nodes = tuple(Node(float, (old,), out=new) for old, new in made.items())
    outputs = *graph.outputs[:count], *(made.get(value, value) for value in derived)
    return replace(graph, nodes=(*graph.nodes, *nodes), outputs=outputs)


_RESULT = object()


def _example(value: Value, number: int) -> Any:
    """What a Value may stand for; an object where its kind does not tell all."""
    if value.kind == "array" and value.shape and value.dtype.isnative:
        return np.empty(value.shape, value.dtype)
    if value.dtype != np.dtype(float) or value.kind not in ("float", "scalar"):
        return object()
    kind: Any = float if value.kind == "float" else np.float64
    return kind(number + 0.5)


def _is_same(found: Any, example: Any) -> bool:
    kind: Any = type(found)
    return kind is type(example) and kind in (float, np.float64) and found == example


def _becomes_float(example: Any, leaves: Sequence[Any]) -> bool:
    """Whether all that it makes of a scalar are floats."""
    kinds = {
        type(leaf) for leaf in leaves if isinstance(leaf, float) and leaf == example
    }
    return kinds == {float}
