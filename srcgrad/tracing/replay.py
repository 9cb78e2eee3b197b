"""``Replay``: a call that ran as generated code, once more on the tape.

That is how its gradient is differentiated again: the generated backward knows numbers
only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.errors import where_of
from srcgrad.graph import Graph, Node, evaluate
from srcgrad.modes import override
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.function import Edge
from srcgrad.tape.variable import Variable, restore


@dataclass(frozen=True, slots=True)
class Replay:
    """What is run again: a graph, or where that is not enough the function itself.

    Attributes
    ----------
    graph : Graph
        The forward half.
    positions : tuple of int
        The leaves that are its inputs.
    outputs : tuple of int
        Those of its outputs that have a gradient.
    function : callable or None
        The user's own function, if it has a gradient that a user has written: the
        derivative of such a gradient is that of the user's ``backward``, of which the
        recorded operations of ``forward`` know nothing.
    structure : hashable
        Of the function's arguments.
    result : int
        The leaf of the function's result that has a gradient.
    """

    graph: Graph
    positions: tuple[int, ...]
    outputs: tuple[int, ...]
    function: Callable[..., Any] | None = None
    structure: Any = None
    result: int = 0

    def roots(
        self, leaves: Sequence[Any], edges: dict[int, Edge | None], cotangents: Any
    ) -> list[tuple[Edge, Any]]:
        """Run it on the tape: where a walk back through that starts.

        ``edges`` are the places in the graph that some of the leaves had.
        """
        if self.function is not None:
            again = [_again(leaf, edges.get(i)) for i, leaf in enumerate(leaves)]
            args, kwargs, bound = unflatten(self.structure, again)
            with override(grad_enabled=True):
                results, _ = flatten(self.function(*bound, *args, **kwargs))
            return [(results[self.result].edge, cotangents[0])]
        inputs = tuple(_restored(leaves[i], edges.get(i)) for i in self.positions)
        with override(grad_enabled=True):
            outs = evaluate(self.graph, inputs, _note_line)
        return [
            (outs[i].edge, g) for i, g in zip(self.outputs, cotangents, strict=True)
        ]


def _restored(leaf: Any, edge: Edge | None) -> Any:
    """An argument again, with the edge that it had."""
    if type(leaf) is not Variable:
        return leaf
    return leaf.value if edge is None else restore(leaf.value, edge, leaf.storage)


def _again(leaf: Any, edge: Edge | None) -> Any:
    """An argument again, for the user's own function."""
    if type(leaf) is not Variable:
        return leaf
    return Variable.make(leaf.value, leaf.edge if edge is None else edge, leaf.storage)


def _note_line(node: Node, result: Any) -> None:
    """Give what runs again its line in the user's file."""
    for each in result if isinstance(result, (tuple, list)) else (result,):
        edge = getattr(each, "edge", None)
        if edge is not None and node.where is not None:
            edge[0].where = where_of(node.where.filename, node.where.line)
