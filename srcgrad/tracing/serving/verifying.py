"""The tape beside generated code: values, and gradients, are compared."""

from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.errors import DivergenceError, located
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.tape.engine import ExecutionEngine, first_cotangent
from srcgrad.tape.function import Edge, Leaf, has_edge
from srcgrad.tape.variable import Variable

WHAT_NOW = "this is an error in srcgrad: please report it, with the function"


def compare(function: FunctionType, ours: Any, theirs: Any) -> None:
    """Raise if generated code and the tape gave different results, or gradients.

    Raises
    ------
    DivergenceError
        With both.
    """
    our, their = flatten(ours)[0], flatten(theirs)[0]
    for mine, other in zip(our, their, strict=True):
        a, b = raw_of(mine), raw_of(other)
        same_kind = type(mine) is type(other) and type(a) is type(b)
        if not same_kind or not _close(a, b):
            raise located(
                DivergenceError(
                    f"{function.__name__}: generated code gave {a!r}, the tape {b!r}"
                ),
                WHAT_NOW,
            )
    for mine, other in zip(our, their, strict=True):
        first, second = _gradients(mine), _gradients(other)
        for edge in {**first, **second}:
            a, b = (_or_zeros(found.get(edge), edge) for found in (first, second))
            if not _close(a, b):
                raise located(
                    DivergenceError(
                        f"{function.__name__}: as a gradient generated code gave "
                        f"{a!r}, the tape {b!r}"
                    ),
                    WHAT_NOW,
                )


def _gradients(result: Any) -> dict[Edge, Any]:
    """What flows back from a result to the leaves of the tape, from ones."""
    if not isinstance(result, Variable) or not has_edge(result):
        return {}
    edge: Any = result.edge
    leaves = [(leaf, 0) for leaf in _leaves_under(edge[0])]
    if not leaves:
        return {}
    one = first_cotangent(result.shape, result.dtype)
    with np.errstate(all="ignore"):  # the cotangent is not the user's
        engine = ExecutionEngine(True, is_inner=True)
        return dict(engine.run_backward([(edge, one)], leaves))


def _leaves_under(node: Any) -> Iterator[Leaf]:
    seen, waiting = {node}, [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Leaf) and not node.is_inner:
            yield node
        for edge in node.edges:
            if edge is not None and edge[0] not in seen:
                seen.add(edge[0])
                waiting.append(edge[0])


def _or_zeros(g: Any, edge: Edge) -> Any:
    node = edge[0]
    return np.zeros(node.shape, node.dtype) if g is None else np.asarray(g)


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, (np.ndarray, np.generic, float, complex)):
        close: bool = np.shape(a) == np.shape(b) and np.allclose(
            a, b, rtol=1e-6, atol=1e-8, equal_nan=True
        )
        return close
    return bool(a == b)
